"""A potential that can be exported, whatever family it comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

#: The inputs that most networks take.
EDGE_INPUTS = ("positions", "species", "edge_index", "shifts", "batch_idx", "energy0")
#: The inputs of a network with angles.
TRIPLET_INPUTS = ("positions", "species", "edge_index", "shifts", "trip_edge", "batch_idx", "energy0")


@dataclass(frozen=True)
class Potential:
    """An energy function and everything that a manifest says about it."""

    #: Name of the potential, as its authors call it.
    name: str
    #: Takes the tensors of `inputs` in this order and returns an energy per system in eV, shape [B].
    module: torch.nn.Module
    #: Atoms further apart than this do not interact, in Å.
    cutoff: float
    #: Symbols in the order of the network's own element indices, or symbol to index.
    elements: Sequence[str] | Mapping[str, int]
    #: Names of the inputs; `hooke_export.graph` makes them.
    inputs: Sequence[str] = EDGE_INPUTS
    #: Both edges of a triplet are shorter than this, in Å; only needed by networks with angles.
    reach: float | None = None
    #: Cutoff of the second list of edges, in Å; only needed by networks with long-range parts.
    far: float | None = None
    #: Energy in eV that each atom of an element adds; Hooke adds it in float64, outside the graph.
    atom_energies: Mapping[str, float] = field(default_factory=dict)
    #: Makes an ASE calculator of the family's own Python code; without it, `module` itself is the reference.
    calculator: Callable[[], Any] | None = None
    #: Gives molecules to `calculator` in a large periodic box, and slabs as periodic along their vacuum, too.
    boxed: bool = False
    #: Precision of `calculator`.
    precision: str = "float64"
    #: Traces the module with `make_fx` before the export.
    needs_make_fx: bool = False
    #: License of the weights.
    license: str = ""
    #: Where the weights come from.
    source: str = ""
    #: Python packages whose versions the reference names.
    packages: Sequence[str] = ()

    def index_of(self) -> dict[str, int]:
        """Returns the network's own index of each element."""
        if isinstance(self.elements, Mapping):
            return dict(self.elements)
        return {symbol: index for index, symbol in enumerate(self.elements)}
