"""The three files of a potential: graph, manifest, reference."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import torch

from . import __version__
from .check import check_file, jumps_at_cutoff
from .evaluate import Values, evaluate, evaluate_module, inputs_of
from .potential import Potential
from .structures import DEFAULT_LABELS, Structure, structures_for
from .tolerance import check_module, show_jumps, tolerance_of, widened
from .trace import trace

#: Name of the note in the metadata of a file that holds its manifest.
MANIFEST = "hooke"
#: Name of the note that says that a reference was written beside the file, and by which program.
REFERENCE = "hooke.reference"


def write(
    potential: Potential, out: Path, everything: bool = False, report: Callable[[str], None] = lambda _: None
) -> list[Path]:
    """Writes `out`, and the manifest and the reference beside it; returns their paths.

    `report` is given a line of text when each part begins, and the result of the comparison.

    Raises a RuntimeError, and writes nothing, if the file is not what the family's own Python code computes.
    """
    usual = structures_for(potential.index_of())
    traced = [structure for structure in usual if structure.label in DEFAULT_LABELS]
    report("tracing the network")
    graph = trace(potential, inputs_of(potential, traced))
    graph.metadata_props.add(key=MANIFEST, value=json.dumps(manifest_of(potential), ensure_ascii=False))
    graph.metadata_props.add(key=REFERENCE, value=f"hooke-export {__version__}")
    model = graph.SerializeToString()
    report("running the file in onnxruntime")
    check_file(potential, usual, model)
    structures = structures_for(potential.index_of(), everything)
    report(f"computing {len(structures)} structures for the reference")
    values = reference_of(potential, structures, hashlib.sha256(model).hexdigest())
    for structure, rounding in zip(values["structures"], values["float32"]):
        check_module(structure["label"], rounding)
    report(_result(potential, values))
    manifest, reference = out.with_suffix(".json"), out.with_suffix(".ref.json")
    out.write_bytes(model)
    manifest.write_text(json.dumps(manifest_of(potential), indent=2, ensure_ascii=False) + "\n")
    reference.write_text(json.dumps(values) + "\n")
    return [out, manifest, reference]


def _result(potential: Potential, values: dict[str, Any]) -> str:
    """Returns the largest differences in words, and what a user should compare with the paper."""
    largest = {name: max((one[name] for one in values["float32"]), default=0.0) for name in ("energy", "forces")}
    by = potential.packages[0] if potential.calculator and potential.packages else "the network in float64"
    refused = len(values["refused"])
    return (
        f"checked against {by}, {len(values['structures'])} structures: energy {largest['energy']:.0e} eV per atom, "
        f"forces {largest['forces']:.0e} relative{f', {refused} structures refused' if refused else ''}"
        f"{widened(values['tolerance'])}{show_jumps(jumps_at_cutoff(potential))}; "
        f"cutoff {potential.cutoff:g} Å; elements {' '.join(potential.index_of())}"
    )


def manifest_of(potential: Potential) -> dict[str, Any]:
    """Returns the manifest in the words of Hooke's `OnnxManifest`."""
    elements = potential.elements
    said = {
        "cutoff": potential.cutoff,
        "reach": potential.reach,
        "triplets": "unordered" if "trip_edge" in potential.inputs else None,
        "elements": dict(elements) if hasattr(elements, "keys") else list(elements),
        "lists": {"far": {"cutoff": potential.far, "inputs": FAR_MEANINGS}} if potential.far else None,
        "inputs": {MEANINGS[name]: name for name in potential.inputs if name in MEANINGS},
        "outputs": {"energy": "energy"},
        "neighbors": "full",
        "energyUnit": "eV",
        "lengthUnit": "Å",
        "atomEnergies": dict(potential.atom_energies) or None,
        "invariant": True,
        "license": potential.license or None,
        "source": potential.source or None,
    }
    return {name: value for name, value in said.items() if value is not None}


#: Input of the graph to its meaning in a manifest.
MEANINGS = {
    "positions": "positions",
    "species": "numbers",
    "edge_index": "edges",
    "shifts": "shifts",
    "reverse_edge": "reverseEdges",
    "trip_edge": "tripletEdges",
    "batch_idx": "batchIndex",
    "energy0": "systems",
}

#: The same for the second list of edges.
FAR_MEANINGS = {"edges": "edge_index_far", "shifts": "shifts_far"}


def reference_of(potential: Potential, structures: list[Structure], sha256: str) -> dict[str, Any]:
    """Returns structures and what the family's own Python code says of them; structures it refuses are `refused`."""
    values: list[tuple[Structure, Values]] = []
    rounding: list[dict[str, float]] = []
    refused: list[dict[str, str]] = []
    calculator = potential.calculator() if potential.calculator else None
    for structure in structures:
        try:
            found = evaluate(potential, structure, calculator)
        except Exception as error:  # whatever another package raises for a structure it cannot take
            refused.append({"label": structure.label, "error": f"{type(error).__name__}: {error}"[:200]})
            continue
        if np.isfinite(found.energy) and np.isfinite(found.forces).all():
            values.append((structure, found))
            rounding.append(_difference(found, evaluate_module(potential, structure, torch.float32)))
        else:
            refused.append({"label": structure.label, "error": "the result is not finite"})
    usual = [one for (structure, _), one in zip(values, rounding) if structure.label in DEFAULT_LABELS]
    return {
        "format": "hooke-reference",
        "version": 1,
        "model": sha256,
        "name": potential.name,
        "producer": "; ".join(_versions(potential)),
        "precision": potential.precision if potential.calculator else "float64",
        "structures": [_system(structure) for structure, _ in values],
        "energy": [found.energy for _, found in values],
        "forces": [found.forces.reshape(-1).tolist() for _, found in values],
        "stress": [None if found.stress is None else found.stress.reshape(-1).tolist() for _, found in values],
        "tolerance": tolerance_of(usual),
        "float32": rounding,
        "refused": refused,
    }


def _difference(expected: Values, found: Values) -> dict[str, float]:
    """Returns differences in the measures of `TOLERANCE`."""
    atoms = len(expected.forces)
    forces = np.abs(found.forces - expected.forces).max() / max(1, np.abs(expected.forces).max())
    same = {"energy": abs(found.energy - expected.energy) / atoms, "forces": float(forces)}
    if expected.stress is None or found.stress is None:
        return same
    stress = np.abs(found.stress - expected.stress).max() / max(0.01, np.abs(expected.stress).max())
    return {**same, "stress": float(stress)}


def _system(structure: Structure) -> dict[str, Any]:
    return {
        "label": structure.label,
        "symbols": structure.symbols,
        "positions": structure.positions.reshape(-1).tolist(),
        "cell": structure.cell.reshape(-1).tolist() if any(structure.pbc) else None,
        "pbc": list(structure.pbc),
    }


def _versions(potential: Potential) -> list[str]:
    found = [f"hooke-export {__version__}"]
    for name in potential.packages:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(name)
    return [*found, f"torch {torch.__version__}"]
