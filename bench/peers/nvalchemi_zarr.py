"""Frames of 4000 atoms into nvalchemi's Zarr sink, as it comes (float32; zstd is its default)."""
import os, shutil, tempfile
from turns import serve


def make(a):
    import importlib.metadata, torch
    from nvalchemi.data import AtomicData, Batch
    from nvalchemi.dynamics.sinks import ZarrData

    torch.manual_seed(1)
    frames = []
    for _ in range(8):
        data = AtomicData(
            atomic_numbers=torch.full((4000,), 18),
            positions=52.6 * torch.rand(4000, 3),
            forces=torch.rand(4000, 3) - 0.5,
            cell=52.6 * torch.eye(3)[None],
            pbc=torch.ones(1, 3, dtype=torch.bool),
        )
        frames.append(Batch.from_data_list([data]))
    path = os.path.join(tempfile.mkdtemp(), "frames.zarr")

    def turn():
        shutil.rmtree(path, ignore_errors=True)
        sink = ZarrData(path)
        for step in range(a["steps"]):
            sink.write(frames[step % 8])
        return a["steps"], {}

    return dict(peer="nvalchemi-" + importlib.metadata.version("nvalchemi-toolkit"), dtype="float32"), turn


serve(make)
