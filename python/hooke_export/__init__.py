"""Writes machine-learned potentials as ONNX files that Hooke opens, each with a manifest and a reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .potential import Potential
    from .write import write

__all__ = ["Potential", "write"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Imports torch only when it is needed: `--isolated` runs without it."""
    if name == "Potential":
        from .potential import Potential

        return Potential
    if name == "write":
        from .write import write

        return write
    raise AttributeError(name)
