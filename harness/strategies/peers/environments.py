"""The environments that peers live in: one folder a package, in which nothing of ours is installed.

A folder holds a virtual environment, or npm's node_modules, and `installed.json`, which is written last: without
it the folder is what an interrupted installation left behind.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from editcore.errors import UsageError
from harness.strategies.peers.peer import Package

_MARK = "installed.json"
_LAST_LINES = 5
"""Of what a failed installer said, those that are shown."""


def environment_of(package: Package) -> Path:
    """The folder of a package's environment, which need not be there."""
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    root = os.environ.get("EDITGAUGE_PEERS") or Path(data) / "editgauge" / "peers"
    return Path(root).absolute() / package.name.lstrip("@").replace("/", "-")


def installed(package: Package) -> str | None:
    """Name and version of the package as it is installed; None where it is not, or can no longer run."""
    folder = environment_of(package)
    try:
        version = json.loads((folder / _MARK).read_bytes())["version"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    # A virtual environment outlives the interpreter it was made with.
    return f"{package.name} {version}" if _runs(package, folder) else None


def _runs(package: Package, folder: Path) -> bool:
    return os.access(folder / package.link if package.link else _python(folder), os.X_OK)


def _python(folder: Path) -> Path:
    return folder / "bin" / "python"


def adapter_command(name: str, package: Package) -> tuple[list[str], Mapping[str, str]]:
    """What starts the adapter of a peer, and the environment variables it needs."""
    # Only the adapters and the package are on its path, whatever lies where it is started.
    variables = {"PYTHONPATH": str(Path(__file__).parent), "PYTHONSAFEPATH": "1", "PYTHONNOUSERSITE": "1"}
    return [str(_python(environment_of(package))), "-m", f"adapters.{name}"], variables


@contextmanager
def installation(package: Package) -> Iterator[None]:
    """Make the package's environment, from whichever registries pip, uv or npm are set up to use.

    It is kept if the body goes well, and removed on any exception. Raises UsageError where it cannot be made.
    """
    folder = environment_of(package)
    remove_environment(package)
    try:
        try:
            folder.mkdir(parents=True)
            if package.client == "npm":
                _install_with_npm(package, folder)
            else:
                _install_with_pip(package, folder)
            (folder / _MARK).write_text(json.dumps({"version": package.version}))
        except OSError as error:
            raise UsageError(
                f"{folder} cannot be written: {error.strerror or error}", "Name another folder in EDITGAUGE_PEERS."
            ) from None
        yield
    except BaseException:
        remove_environment(package)
        raise


def remove_environment(package: Package) -> bool:
    """Delete the package's environment, whole or half made; whether there was one."""
    folder = environment_of(package)
    if not folder.exists():
        return False
    # What is half gone must not be taken for whole.
    (folder / _MARK).unlink(missing_ok=True)
    shutil.rmtree(folder)
    return True


def _install_with_pip(package: Package, folder: Path) -> None:
    base, uv = _interpreter(package), _uv()
    if uv:
        _call([uv, "venv", "--quiet", "--allow-existing", "--python", base, str(folder)], package)
        _call([uv, "pip", "install", "--quiet", "--python", str(_python(folder)), *package.requirements], package)
    else:
        _call([base, "-m", "venv", str(folder)], package)
        pip = [str(_python(folder)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _call([*pip, *package.requirements], package)


def _uv() -> str | None:
    """uv beside this interpreter, or on the PATH."""
    return shutil.which("uv", path=os.path.dirname(sys.executable)) or shutil.which("uv")


def _interpreter(package: Package) -> str:
    """An interpreter that the package runs on: this one, or the first on the PATH that starts."""
    if sys.version_info.minor in package.minors:
        return sys.executable
    first, last = package.minors[0], min(package.minors[-1], package.minors[0] + 5)
    for minor in range(first, last + 1):
        found = shutil.which(f"python3.{minor}")
        if found and subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode == 0:
            return found
    asked = f"Python 3.{first}" if first == last else f"Python 3.{first} to 3.{last}"
    raise UsageError(
        f"{package.name} needs {asked}, and there is none on the PATH",
        f"Install one, so that python3.{first} starts it.",
    )


def _install_with_npm(package: Package, folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise UsageError(f"{package.name} needs npm, which is not on the PATH", "Install Node.js with npm.")
    options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    _call([npm, "install", "--prefix", str(folder), *options, *package.requirements], package)
    programs = sorted(folder.glob(package.program))
    if not programs:
        raise UsageError(f"{package.name} brought no program for this machine", "See which systems it supports.")
    (folder / package.link).symlink_to(programs[0])


def _call(command: Sequence[str], package: Package) -> None:
    """Run an installer. Raises UsageError with the last it said where it fails."""
    answer = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace", check=False
    )
    if answer.returncode != 0:
        said = [line.strip() for line in (answer.stderr or answer.stdout).splitlines() if line.strip()]
        what = " ".join(said[-_LAST_LINES:]) or f"exit code {answer.returncode}"
        raise UsageError(
            f"{package.name} {package.version} cannot be installed: {what}",
            f"{Path(command[0]).name} said so; nothing was left behind.",
        )
