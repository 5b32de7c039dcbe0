"""Writes the node tests of the Python package onnx into a folder, one file per case.

    python node_cases.py FOLDER OPERATOR...

Only cases whose nodes all have one of the operators: "Add", or "com.microsoft.Gelu" where the domain is another one.

A file is a list of runs of bytes, each behind its length in 4 bytes, the lowest first. The first is a JSON text:
{"name", "sets": [{"inputs": [kind], "outputs": [kind]}]}, the second the model; then come the values in the order in
which the text has them. Each is a TensorProto where the kind is "tensor"; another kind is a Python class, and its
bytes are none.
"""

import json
import struct
import sys
import warnings
from pathlib import Path

import numpy as np
from onnx import TensorProto, numpy_helper
from onnx.backend.test.case.node import collect_testcases


def operator(node):
    return node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}.{node.op_type}"


def packed(value):
    """The kind of a value, and its bytes."""
    if isinstance(value, TensorProto):
        return "tensor", value.SerializeToString()
    if isinstance(value, (np.ndarray, np.generic)):
        return "tensor", numpy_helper.from_array(np.asarray(value)).SerializeToString()
    return type(value).__name__, b""


def write(case, folder):
    sets = [([packed(x) for x in inputs], [packed(y) for y in outputs]) for inputs, outputs in case.data_sets]
    head = {
        "name": case.name,
        "sets": [{"inputs": [k for k, _ in i], "outputs": [k for k, _ in o]} for i, o in sets],
    }
    runs = [json.dumps(head).encode(), case.model.SerializeToString()]
    runs += [run for i, o in sets for _, run in i + o]
    (folder / f"{case.name}.case").write_bytes(b"".join(struct.pack("<I", len(run)) + run for run in runs))


def main():
    folder, operators = Path(sys.argv[1]), set(sys.argv[2:])
    # Some cases draw random numbers.
    np.random.seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = collect_testcases(None)
    for case in cases:
        if all(operator(node) in operators for node in case.model.graph.node):
            write(case, folder)


if __name__ == "__main__":
    main()
