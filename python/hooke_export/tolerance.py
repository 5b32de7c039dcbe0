"""Accepted differences between a file and the code that it comes from, and how far float32 may widen them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

#: Differences: energy in eV per atom, forces and stress relative to the largest value of the structure, or to 1 eV/Å
#: and 0.01 eV/Å³ if that is larger.
Differences = dict[str, float]

#: Accepted of a file.
TOLERANCE: Differences = {"energy": 1e-5, "forces": 1e-4, "stress": 1e-4}
#: A network that is less exact in float32 may differ by this many times its own error: Hooke adds in another order.
FLOAT32 = 4
#: What that never exceeds. A network whose own error in float32 is larger is not exported.
WIDEST: Differences = {"energy": 1e-4, "forces": 1e-3, "stress": 1e-2}

#: Jumps at the cutoff that are reported: eV, eV/Å.
_JUMPS = (1e-3, 0.05)


def tolerance_of(rounding: Sequence[Differences]) -> Differences:
    """Returns what is accepted of a network with these errors in float32, one entry per structure."""
    return {
        name: min(WIDEST[name], max([least, *(FLOAT32 * one.get(name, 0.0) for one in rounding)]))
        for name, least in TOLERANCE.items()
    }


def check_module(label: str, rounding: Differences) -> None:
    """Raises a RuntimeError if the module in float32 is not what the family's own Python code computes."""
    for name, limit in WIDEST.items():
        found = rounding.get(name, 0.0)
        if not found <= limit:
            raise RuntimeError(
                f"the module in float32 differs from the family's own code by {found:.1e} ({name}) on a {label}, and "
                f"at most {limit:.0e} is accepted; nothing was written"
            )


def widened(tolerance: Differences) -> str:
    """Says which limits are wider than usual; empty if none is."""
    wide = [f"{name} {value:.0e}" for name, value in tolerance.items() if value > TOLERANCE[name]]
    return f"; accepted because of float32: {', '.join(wide)}" if wide else ""


def largest_jumps(jumps: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Returns the largest jumps of energies and of forces; NaN if one of them is NaN."""
    return _largest(energy for energy, _ in jumps), _largest(forces for _, forces in jumps)


def _largest(values: Iterable[float]) -> float:
    found = list(values)
    return math.nan if any(map(math.isnan, found)) else max(found, default=0.0)  # `max` alone may drop NaN


def show_jumps(jumps: tuple[float, float]) -> str:
    """Says how large jumps are; empty if they are small."""
    if all(jump <= limit for jump, limit in zip(jumps, _JUMPS)):
        return ""
    energy, forces = jumps
    return f"; not smooth: at the cutoff energies jump by {energy:.0e} eV, forces by {forces:.0e} eV/Å"
