"""Structures on which exported potentials are compared with their own Python code."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from .elements import radius

#: Structures that every reference contains; "perfect crystal", "slab" and "isolated atom" are added on request.
DEFAULT_LABELS = ("rattled crystal", "strained cell", "molecule")
#: Structures of the elements that occur in no other.
CHAIN = "chain of elements"
#: Atoms of a chain are never further apart, in Å, so that they interact at every cutoff.
_FARTHEST = 3.2
#: Elements of a chain: 16 Å at most, so that it fits with its neighborhood into the boxes of `evaluate`, which are 30 Å.
_LONGEST = 6


@dataclass(frozen=True)
class Structure:
    """Atoms, with a cell if they repeat."""

    label: str
    symbols: list[str]
    #: Å, shape [N, 3].
    positions: np.ndarray
    #: Lattice vectors in Å, shape [3, 3]; zeros for a molecule.
    cell: np.ndarray
    pbc: tuple[bool, bool, bool]


# Element or elements, lattice constant in Å, fractional coordinates of a cubic cell.
_FCC = [(0, 0, 0), (0, 0.5, 0.5), (0.5, 0, 0.5), (0.5, 0.5, 0)]
_CRYSTALS = {
    "NaCl": (("Na", "Cl"), 5.64, 0.5),
    "Si": (("Si", "Si"), 5.43, 0.25),
    "MgO": (("Mg", "O"), 4.21, 0.5),
    "C": (("C", "C"), 3.57, 0.25),
    "Cu": (("Cu",), 3.61, 0.0),
    "Al": (("Al",), 4.05, 0.0),
}

_MOLECULES = {
    "water": (
        ["O", "H", "H"],
        [(0, 0, 0.119), (0, 0.763, -0.477), (0, -0.763, -0.477)],
    ),
    "ethanol": (
        ["C", "C", "O", "H", "H", "H", "H", "H", "H"],
        [
            (1.168, -0.402, 0.0), (0.0, 0.56, 0.0), (-1.19, -0.215, 0.0),
            (-1.946, 0.381, 0.0), (0.043, 1.208, 0.886), (0.043, 1.208, -0.886),
            (2.116, 0.145, 0.0), (1.129, -1.04, 0.885), (1.129, -1.04, -0.885),
        ],
    ),
    "ammonia": (
        ["N", "H", "H", "H"],
        [(0, 0, 0.116), (0, 0.94, -0.271), (0.814, -0.47, -0.271), (-0.814, -0.47, -0.271)],
    ),
}


def structures_for(elements: Collection[str], everything: bool = False) -> list[Structure]:
    """Returns structures in which every element that a potential knows occurs.

    Raises a ValueError if it knows neither the elements of a crystal nor those of a molecule.
    """
    crystals = [name for name, (kinds, _, _) in _CRYSTALS.items() if set(kinds) <= set(elements)]
    molecules = [name for name, (kinds, _) in _MOLECULES.items() if set(kinds) <= set(elements)]
    if not crystals and not molecules:
        raise ValueError("no reference structure has only elements that the potential knows")
    found = [_rattled(_crystal(name, "rattled crystal"), seed) for seed, name in enumerate(crystals[:3])]
    found += [_strained(_crystal(name, "strained cell"), seed) for seed, name in enumerate(crystals[:2])]
    found += [_rattled(_molecule(name), seed, 0.05) for seed, name in enumerate(molecules[:3])]
    found += _chains(elements, {symbol for structure in found for symbol in structure.symbols})
    if everything:
        found += [_crystal(name, "perfect crystal") for name in crystals[:2]]
        found += [_slab(name) for name in crystals[:1]]
        found += [_atom(_crystal(crystals[0], "").symbols[0] if crystals else "O")]
    return found


def _crystal(name: str, label: str) -> Structure:
    kinds, a, offset = _CRYSTALS[name]
    corners = np.array(_FCC)
    parts = [corners] if len(kinds) == 1 else [corners, corners + offset]
    symbols = [kind for kind in kinds for _ in corners]
    return Structure(label, symbols, np.concatenate(parts) % 1 * a, np.eye(3) * a, (True, True, True))


def _molecule(name: str) -> Structure:
    symbols, positions = _MOLECULES[name]
    return Structure("molecule", list(symbols), np.array(positions, float), np.zeros((3, 3)), (False,) * 3)


def _chains(elements: Collection[str], covered: Collection[str]) -> list[Structure]:
    """Returns chains of the elements that are not covered."""
    left = [symbol for symbol in elements if symbol not in covered and symbol != "X"]
    groups = [left[start : start + _LONGEST] for start in range(0, len(left), _LONGEST)]
    # The first element comes again at the end: A-B is the same with both exchanged, A-B-A is not.
    return [_rattled(_chain([*group, group[0]]), 20 + seed, 0.05) for seed, group in enumerate(groups)]


def _chain(symbols: list[str]) -> Structure:
    """Returns a zigzag of atoms, with angles of 110°."""
    angles = np.radians([35 if bond % 2 else -35 for bond in range(len(symbols) - 1)])
    radii = np.array([radius(symbol) for symbol in symbols])
    lengths = np.minimum(1.1 * (radii[1:] + radii[:-1]), _FARTHEST)
    bonds = lengths[:, None] * np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)
    positions = np.concatenate([np.zeros((1, 3)), np.cumsum(bonds, axis=0)])
    return Structure(CHAIN, symbols, positions, np.zeros((3, 3)), (False,) * 3)


def _atom(symbol: str) -> Structure:
    return Structure("isolated atom", [symbol], np.zeros((1, 3)), np.zeros((3, 3)), (False,) * 3)


def _slab(name: str) -> Structure:
    base = _crystal(name, "slab")
    a = base.cell[2, 2]
    cell = base.cell + np.diag([0, 0, 2 * a + 15])
    # In the middle of the vacuum: some packages wrap atoms along the vector that does not repeat, too.
    positions = np.concatenate([base.positions, base.positions + [0, 0, a]]) + [0, 0, 7]
    slab = Structure("slab", base.symbols * 2, positions, cell, (True, True, False))
    return _rattled(slab, 7, 0.05)


def _rattled(structure: Structure, seed: int, width: float = 0.08) -> Structure:
    noise = np.random.default_rng(seed).normal(0, width, structure.positions.shape)
    return Structure(structure.label, structure.symbols, structure.positions + noise, structure.cell, structure.pbc)


def _strained(structure: Structure, seed: int) -> Structure:
    rattled = _rattled(structure, seed + 10, 0.05)
    deformation = np.eye(3) + np.random.default_rng(seed).uniform(-0.04, 0.04, (3, 3))
    cell, positions = rattled.cell @ deformation, rattled.positions @ deformation
    return Structure(rattled.label, rattled.symbols, positions, cell, rattled.pbc)
