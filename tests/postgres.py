"""A PostgreSQL server for the tests, where one is installed."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "max_connections": "200",
    "shared_buffers": "32MB",
}


class NoServerError(Exception):
    """No server can be started; the message says why."""


@contextmanager
def server() -> Iterator[str]:
    """Run a server and yield its URL. Raises NoServerError where none can be started."""
    programs = _programs()
    with tempfile.TemporaryDirectory(prefix="pg") as name:
        data, log = Path(name, "data"), Path(name, "log")
        data.mkdir()
        started_by = _as_another_user(name, data) if os.geteuid() == 0 else []
        with log.open("wb") as output:
            _run([*started_by, programs / "initdb", "-D", data, *_INITIAL], name, log)
            settings = [part for key, value in SETTINGS.items() for part in ("-c", f"{key}={value}")]
            process = subprocess.Popen(
                [*started_by, programs / "postgres", "-D", data, "-k", name, *settings],
                stdout=output, stderr=output, cwd=name,
            )  # fmt: skip
        try:
            _wait_for(process, name, log)
            yield f"postgresql+psycopg://postgres@/postgres?host={name}"
        finally:
            process.send_signal(signal.SIGQUIT)
            process.wait(20)


_INITIAL = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]


def _programs() -> Path:
    """The directory with the programs of the newest server installed."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    found = shutil.which("initdb") or (installed[-1] if installed else None)
    if found is None:
        raise NoServerError("no PostgreSQL server is installed")
    return Path(found).resolve().parent


def _as_another_user(directory: str, data: Path) -> list[str]:
    """The command that runs a program as another user, because the server refuses to run as root.

    The directories are given to that user.
    """
    program = shutil.which("setpriv")
    if program is None:
        raise NoServerError("PostgreSQL does not run as root, and there is no setpriv to start it as another user")
    users = {user.pw_name: user for user in pwd.getpwall()}
    user = users.get("postgres") or users["nobody"]
    for path in (directory, data):
        os.chown(path, user.pw_uid, user.pw_gid)
    return [program, f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--pdeathsig=QUIT"]


def _run(command: list[str | Path], directory: str, log: Path) -> None:
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode:
        log.write_text(done.stdout + done.stderr)
        raise NoServerError(f"PostgreSQL could not be set up: {done.stderr.strip().splitlines()[-1:]}")


def _wait_for(process: subprocess.Popen[bytes], directory: str, log: Path) -> None:
    for _ in range(1000):
        try:
            psycopg.connect(host=directory, user="postgres", dbname="postgres").close()
        except psycopg.OperationalError:
            if process.poll() is not None:
                break
            time.sleep(0.02)
        else:
            return
    raise NoServerError(f"PostgreSQL did not start: {log.read_text()[-500:]}")
