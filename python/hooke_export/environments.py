"""One Python environment per family, because their packages exclude each other.

Torch and the exporter are installed once, in a base environment; an environment of a family sees it through a path
file and adds exactly pinned packages.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

from .pins import BASE, FAMILY_OF, PINS


def cache_folder() -> Path:
    """Returns the folder of all environments: HOOKE_EXPORT_CACHE, or a folder in the user's cache."""
    chosen = os.environ.get("HOOKE_EXPORT_CACHE")
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(chosen) if chosen else Path(cache) / "hooke" / "export"


def environment(family: str) -> Path:
    """Returns the Python of a family; the first call installs its packages."""
    base = _installed("base", BASE, None)
    name = FAMILY_OF.get(family, family)
    pins = PINS.get(name, ())
    return _installed(name, pins, base) if pins else base


def run_isolated(family: str, arguments: list[str]) -> int:
    """Runs `hooke-export` with these arguments in the environment of a family; returns its exit code."""
    python = environment(family)
    _link_itself(python)
    return subprocess.run([str(python), "-m", "hooke_export", *arguments]).returncode


def _link_itself(python: Path) -> None:
    """Makes this package, and nothing else that is installed beside it, visible to an environment."""
    link = _packages(python.parent.parent) / "hooke_export"
    here = Path(__file__).parent
    if not link.exists() or link.resolve() != here.resolve():
        link.unlink(missing_ok=True)
        link.symlink_to(here)


def _installed(name: str, pins: tuple[str, ...], base: Path | None) -> Path:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    digest = hashlib.sha256("\n".join([version, *BASE, *pins]).encode()).hexdigest()[:10]
    folder = cache_folder() / f"{name}-{digest}"
    python = folder / "bin" / "python"
    done = folder / "installed"
    if not done.exists():
        print(f"hooke-export: installing {name} into {folder}", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True, symlinks=True)
        pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        if base is not None:
            _see(folder, base)
            pip.append("--no-deps")  # the pins are complete; a resolver would fetch another torch
        subprocess.run([*pip, *pins], check=True)
        done.write_text("\n".join(pins))
    return python


def _see(folder: Path, base: Path) -> None:
    """Makes the packages of `base` visible, behind those of the environment itself."""
    (_packages(folder) / "hooke_base.pth").write_text(f"{_packages(base.parent.parent)}\n")


def _packages(folder: Path) -> Path:
    return folder / f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
