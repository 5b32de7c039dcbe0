"""Velocity Verlet of molecules over ANI-1x by onnxruntime, one thread: {"input", "warm", "steps"}.

Lists are made once, before: only the session, and what carries numbers to it and back, is in a step.
"""
import json
import numpy as np
import onnxruntime
from turns import serve

SPECIES, MASSES = {1: 0, 6: 1, 7: 2, 8: 3}, {1: 1.008, 6: 12.011, 7: 14.007, 8: 15.999}
ACCELERATION, DT = 9.648533212331e-3, 0.5  # Å/fs² per eV/Å/amu; fs


def lists(x):
    """Edges within 5.2 Å and triplets of those within 3.5 Å of one molecule."""
    d = np.linalg.norm(x[None] - x[:, None], axis=2)
    src, dst = np.nonzero((d < 5.2) & ~np.eye(len(x), dtype=bool))
    near = d[src, dst] < 3.5
    first, second = np.nonzero((src[:, None] == src[None]) & near[:, None] & near[None])
    first, second = first[first < second], second[first < second]
    return np.stack([src, dst]), src[first], np.stack([first, second])


def make(a):
    with open(a["input"]) as file:
        given = json.load(file)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(given["model"], options, providers=["CPUExecutionProvider"])
    x, edges, centers, triplets, owners, atoms, count = [], [], [], [], [], 0, 0
    numbers = [n for system in given["systems"] for n in system["numbers"]]
    for index, system in enumerate(given["systems"]):
        own = np.array(system["positions"]).reshape(-1, 3)
        edge, center, triplet = lists(own)
        x.append(own), edges.append(edge + atoms), centers.append(center + atoms), triplets.append(triplet + count)
        owners.append(np.full(len(own), index))
        atoms, count = atoms + len(own), count + edge.shape[1]
    x = np.concatenate(x)
    feeds = dict(
        species=np.array([SPECIES[n] for n in numbers]), edge_index=np.concatenate(edges, 1),
        shifts=np.zeros((count, 3), np.float32), trip_center=np.concatenate(centers),
        trip_edge=np.concatenate(triplets, 1), batch_idx=np.concatenate(owners),
        energy0=np.zeros(len(given["systems"]), np.float32))
    weights = ACCELERATION / np.array([MASSES[n] for n in numbers])[:, None]
    v = np.zeros_like(x)

    def evaluate():
        energy, forces = session.run(["energy", "forces"], {**feeds, "positions": x.astype(np.float32)})
        return energy, forces.astype(float)

    state = list(evaluate())
    about = dict(peer=f"onnxruntime {onnxruntime.__version__}", dtype="float32", energy=state[0].tolist())

    def step(count):
        for _ in range(count):
            v[:] += 0.5 * DT * weights * state[1]
            x[:] += DT * v
            state[:] = evaluate()
            v[:] += 0.5 * DT * weights * state[1]
        return count, {}

    step(a["warm"])
    return about, lambda: step(a["steps"])


serve(make)
