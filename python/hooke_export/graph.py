"""The inputs of a network: atoms, edges and triplets of several structures in one graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch

from .structures import Structure

#: Which axis of an input has which free length.
AXES: dict[str, dict[int, str]] = {
    "positions": {0: "N"},
    "species": {0: "N"},
    "edge_index": {1: "E"},
    "shifts": {0: "E"},
    "edge_index_far": {1: "F"},
    "shifts_far": {0: "F"},
    "reverse_edge": {0: "E"},
    "trip_edge": {1: "T"},
    "batch_idx": {0: "N"},
    "energy0": {0: "B"},
}


def joined_graph(
    structures: Sequence[Structure],
    index_of: Mapping[str, int],
    cutoff: float,
    reach: float | None = None,
    far: float | None = None,
) -> dict[str, torch.Tensor]:
    """Returns all inputs, floats in float64, lists as Hooke makes them."""
    counts = np.array([len(one.symbols) for one in structures])
    first = np.concatenate([[0], np.cumsum(counts)])
    edges, shifts = _joined_edges(structures, first, cutoff)
    positions = np.concatenate([one.positions for one in structures])
    lengths = np.linalg.norm(positions[edges[1]] - positions[edges[0]] + shifts, axis=1)
    made = {
        "positions": positions,
        "species": np.array([index_of[symbol] for one in structures for symbol in one.symbols]),
        "edge_index": edges,
        "shifts": shifts,
        "reverse_edge": reverse_of(edges, shifts),
        "trip_edge": triplets_of(edges, lengths, reach or 0.0),
        "batch_idx": np.repeat(np.arange(len(structures)), counts),
        "energy0": np.zeros(len(structures)),
    }
    if far is not None:
        made["edge_index_far"], made["shifts_far"] = _joined_edges(structures, first, far)
    return {name: torch.as_tensor(array) for name, array in made.items()}


def _joined_edges(structures: Sequence[Structure], first: np.ndarray, cutoff: float) -> tuple[np.ndarray, np.ndarray]:
    parts = [edges_of(one, cutoff) for one in structures]
    edges = np.concatenate([index + first[s] for s, (index, _) in enumerate(parts)], axis=1)
    return edges, np.concatenate([shift for _, shift in parts])


def edges_of(structure: Structure, cutoff: float) -> tuple[np.ndarray, np.ndarray]:
    """Returns sources and targets [2, E] and shifts in Å [E, 3], each pair both ways, by source, target and shift."""
    images = _images(structure, cutoff)
    offsets = images @ structure.cell
    apart = structure.positions[None, :, None] - structure.positions[:, None, None] + offsets
    squared = (apart**2).sum(-1)
    near = squared < cutoff**2
    count = len(structure.symbols)
    home = np.flatnonzero((images == 0).all(1))[0]
    near[np.arange(count), np.arange(count), home] = False
    source, target, image = np.nonzero(near)
    return np.stack([source, target]), offsets[image]


def _images(structure: Structure, cutoff: float) -> np.ndarray:
    """Returns the whole lattice translations that can bring an atom into reach."""
    if not any(structure.pbc):
        return np.zeros((1, 3))
    heights = 1 / np.linalg.norm(np.linalg.inv(structure.cell), axis=0)
    fractional = structure.positions @ np.linalg.inv(structure.cell)
    spread = np.ptp(fractional, axis=0)
    most = np.where(structure.pbc, np.ceil(cutoff / heights + spread), 0).astype(int)
    ranges = [np.arange(-n, n + 1) for n in most]
    return np.stack(np.meshgrid(*ranges, indexing="ij"), -1).reshape(-1, 3)


def reverse_of(edges: np.ndarray, shifts: np.ndarray) -> np.ndarray:
    """Returns, for each edge, the index of the edge that goes the other way."""
    keys = np.round(shifts * 1e4).astype(np.int64)
    place = {(int(i), int(j), *map(int, key)): e for e, (i, j, key) in enumerate(zip(*edges, keys))}
    return np.array([place[(int(j), int(i), *map(int, -key))] for i, j, key in zip(*edges, keys)], dtype=np.int64)


def triplets_of(edges: np.ndarray, lengths: np.ndarray, reach: float) -> np.ndarray:
    """Returns the pairs of short edges that leave the same atom [2, T], each pair once."""
    short = np.flatnonzero(lengths < reach)
    by_source: dict[int, list[int]] = {}
    for edge in short:
        by_source.setdefault(int(edges[0, edge]), []).append(int(edge))
    pairs = [(a, b) for _, own in sorted(by_source.items()) for i, a in enumerate(own) for b in own[i + 1 :]]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2).T.copy()
