"""Environments of peers: one folder per package, without editgauge in it.

A folder holds a virtual environment or npm's node_modules, and `installed.json`, which is written last. A folder
without that file is left from an interrupted installation.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from corpora.sample import Format
from editcore.errors import UsageError

# A peer and its package; `peers.toml` has their values


@dataclass(frozen=True, slots=True)
class Package:
    name: str
    version: str
    client: Literal["pip", "npm"] = "pip"
    beside: tuple[str, ...] = ()
    """Further requirements, which are installed too."""
    minors: tuple[int, int] = (11, 99)
    """The first and the last minor version of Python 3 that the package supports."""
    program: str = ""
    """npm: a glob for the installed program, relative to the environment; empty for a library."""
    link: str = ""
    """npm: the name of a symbolic link to the program, if the program acts by the name it is called by."""
    runtime: str = ""
    """npm: a glob for the program that runs the adapter, relative to the environment; empty for node."""
    adapter: str = ""
    """pip: the module of the adapter, if several peers share it; empty if it is named after its only peer."""
    folder: str = ""
    """The name of the environment's folder; empty if it is named after the package."""
    megabytes: int = 1
    """Megabytes on disk with all dependencies, measured on Linux."""

    @property
    def requirements(self) -> tuple[str, ...]:
        separator = "==" if self.client == "pip" else "@"
        return (f"{self.name}{separator}{self.version}", *self.beside)

    @property
    def is_library(self) -> bool:
        """True for a library for Node.js, which an adapter in JavaScript calls."""
        return self.client == "npm" and not self.program


@dataclass(frozen=True, slots=True)
class Peer:
    """Somebody else's way to apply an edit."""

    name: str
    formats: tuple[Format, ...]
    summary: str
    """One line."""
    package: Package | None = None
    """None for a program of the operating system."""
    command: tuple[str, ...] = ()
    """A program that applies a patch from stdin to the current folder, with its arguments; empty for a peer with an
    adapter.
    """
    needs_context: bool = False
    """True if the search text needs unchanged lines around the change."""


_MARKER = "installed.json"
_LAST_LINES = 5
_INSTALL_S = 1_800


def environment_of(package: Package) -> Path:
    """The folder of a package's environment; it may not exist."""
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    root = os.environ.get("EDITGAUGE_PEERS") or Path(data) / "editgauge" / "peers"
    return Path(root).absolute() / (package.folder or package.name.lstrip("@").replace("/", "-"))


def installed(package: Package) -> str | None:
    """Name and installed version of the package; None if it is not installed or cannot run any more."""
    folder = environment_of(package)
    try:
        version = json.loads((folder / _MARKER).read_bytes())["version"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    # A virtual environment outlives the interpreter it was made with.
    return f"{package.name} {version}" if _runs(package, folder) else None


def _runs(package: Package, folder: Path) -> bool:
    if package.is_library:
        return _runtime(package, folder) is not None and (folder / "node_modules" / package.name).is_dir()
    return os.access(folder / package.link if package.link else _python(folder), os.X_OK)


def _runtime(package: Package, folder: Path) -> str | None:
    if not package.runtime:
        return shutil.which("node")
    return next((str(path) for path in sorted(folder.glob(package.runtime)) if os.access(path, os.X_OK)), None)


def _python(folder: Path) -> Path:
    return folder / "bin" / "python"


def adapter_command(name: str, package: Package) -> tuple[list[str], Mapping[str, str]]:
    """The command line of a peer's adapter, and the environment variables that it needs."""
    if package.is_library:
        script, folder = Path(__file__).parent / "adapters" / f"{name}.mjs", environment_of(package)
        return [_runtime(package, folder) or "node", str(script)], {"EDITGAUGE_PEER": str(folder)}
    # Its module path holds the adapters and the package only, never the current folder.
    variables = {"PYTHONPATH": str(Path(__file__).parent), "PYTHONSAFEPATH": "1", "PYTHONNOUSERSITE": "1"}
    return [str(_python(environment_of(package))), "-m", f"adapters.{package.adapter or name}", name], variables


@contextmanager
def installation(package: Package) -> Iterator[None]:
    """Install the package into its environment, from the registries that pip, uv or npm are configured for.

    The environment is kept if the body succeeds, and removed on any exception. Raises UsageError if installing fails.
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
            (folder / _MARKER).write_text(json.dumps({"version": package.version}))
        except OSError as error:
            raise UsageError(
                f"{folder} cannot be written: {error.strerror or error}", "Name another folder in EDITGAUGE_PEERS."
            ) from None
        yield
    except BaseException:
        remove_environment(package)
        raise


def remove_environment(package: Package) -> bool:
    """Delete the package's environment, complete or not; return True if there was one."""
    folder = environment_of(package)
    if not folder.exists():
        return False
    # First, so that a partly deleted environment does not count as installed.
    (folder / _MARKER).unlink(missing_ok=True)
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
    """The path of uv, beside this interpreter or on the PATH; None without one."""
    return shutil.which("uv", path=os.path.dirname(sys.executable)) or shutil.which("uv")


def _interpreter(package: Package) -> str:
    """An interpreter that the package supports: this one, or the first on the PATH that starts."""
    first, last = package.minors
    if first <= sys.version_info.minor <= last:
        return sys.executable
    last = min(last, first + 5)
    for minor in range(first, last + 1):
        found = shutil.which(f"python3.{minor}")
        if found and subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode == 0:
            return found
    wanted = f"Python 3.{first}" if first == last else f"Python 3.{first} to 3.{last}"
    raise UsageError(
        f"{package.name} needs {wanted}, which is not on the PATH", f"Install one, so that python3.{first} starts it."
    )


def _install_with_npm(package: Package, folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise UsageError(f"{package.name} needs npm, which is not on the PATH", "Install Node.js with npm.")
    options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    _call([npm, "install", "--prefix", str(folder), *options, *package.requirements], package)
    if package.is_library:
        return
    programs = sorted(folder.glob(package.program))
    if not programs:
        raise UsageError(
            f"{package.name} contains no program for this machine", "See its documentation for the systems it supports."
        )
    (folder / package.link).symlink_to(programs[0])


def _call(command: Sequence[str], package: Package) -> None:
    """Run an installer. Raises UsageError with the last lines of its output if it fails, and if it takes too long."""
    try:
        answer = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=_INSTALL_S,
        )
    except subprocess.TimeoutExpired:
        raise UsageError(
            f"{package.name} {package.version} is not installed after {_INSTALL_S // 60} minutes", "Try again later."
        ) from None
    if answer.returncode != 0:
        lines = [line.strip() for line in (answer.stderr or answer.stdout).splitlines() if line.strip()]
        what = " ".join(lines[-_LAST_LINES:]) or f"exit code {answer.returncode}"
        raise UsageError(
            f"{package.name} {package.version} cannot be installed: {what}",
            f"That is what {Path(command[0]).name} reported; nothing was left behind.",
        )
