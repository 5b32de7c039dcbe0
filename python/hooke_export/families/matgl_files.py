"""Folders that matgl saved: versions before 3 sum messages at the other end of an edge.

matgl 3 moved the sums of messages from the target of an edge to its source, trained its own weights anew, and still
loads old ones without a warning. They are right for one element (Si) and wrong by 1 eV per atom for several (NaCl).
"""

from __future__ import annotations

import json
from pathlib import Path

#: Start of a name that says that messages are summed at targets.
OLD = "matgl2:"


def is_recent(folder: Path) -> bool:
    """Returns whether matgl 4 or newer saved a folder: it notes an option that older versions do not have."""
    saved = json.loads((folder / "model.json").read_text())
    return "compile_model" in saved.get("kwargs", {})


def refuse_old(name: str, folder: Path, remedy: str) -> None:
    """Raises a NotImplementedError if a version of matgl before 4 saved a folder."""
    if not is_recent(folder):
        raise NotImplementedError(
            f"matgl 3 or older saved {name}, and weights of matgl 2 and older give wrong energies in newer versions, "
            f"without a warning. If it is from matgl 3, load and save it with matgl 4; {remedy}"
        )
