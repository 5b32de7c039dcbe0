"""Families of potentials. Each module has `load(name)`, which returns a `Potential`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..potential import Potential

#: Name on the command line to module.
FAMILIES = {
    "aimnet2": "aimnet2",
    "ani": "ani",
    "chgnet": "chgnet",
    "m3gnet": "m3gnet",
    "mace": "mace",
    "mattersim": "mattersim",
    "nequip": "nequip",
    "allegro": "nequip",
    "orb": "orb",
    "pet": "pet",
    "sevennet": "sevennet",
    "tensornet": "tensornet",
    "torch": "torch_module",
}

#: Start of the only architectures of ORB that have an energy to differentiate, and no cap on neighbors.
_ORB = "orb-v3-conservative-inf-"


def refusal(family: str, name: str) -> str | None:
    """Returns why a published potential cannot be exported, as far as its name tells."""
    architecture = name.partition(":")[0]
    if family != "orb" or not architecture.startswith("orb-") or architecture.startswith(_ORB):
        return None
    if architecture.startswith("orb-v3-conservative-"):
        return f"{architecture} takes a capped number of neighbors, and its energy jumps where others come in"
    return (
        f"{architecture} predicts forces directly: they are not the gradient of its energy, which is all that is "
        f"exported. Take an architecture that starts with {_ORB}"
    )


def load(family: str, name: str) -> Potential:
    """Loads a potential with the family's own packages, which must be installed."""
    return import_module(f".{FAMILIES[family]}", __name__).load(name)
