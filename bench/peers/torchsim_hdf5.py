"""Frames of 4000 atoms into torch-sim's reporter, compressed as it comes (float32)."""
import os, tempfile
from turns import load_bench, serve


def make(a):
    bench = load_bench(a["peers"], "torchsim")
    torch, ts = bench.torch, bench.ts
    _, box, _ = bench.nve(4000, 1, bench.F32, "alchemi_cell")
    state = box[0]
    torch.manual_seed(1)
    frames = [(52.6 * torch.rand(4000, 3), torch.rand(4000, 3) - 0.5) for _ in range(8)]
    path = os.path.join(tempfile.mkdtemp(), "frames.h5")

    def turn():
        if os.path.exists(path):
            os.remove(path)
        reporter = ts.TrajectoryReporter(path, state_frequency=1, state_kwargs={"save_forces": True})
        for step in range(a["steps"]):
            state.positions, state.forces = frames[step % 8]
            reporter.report(state, step)
        reporter.close()
        return a["steps"], {"bytes": os.path.getsize(path)}

    return dict(peer=bench.PEER, dtype="float32"), turn


serve(make)
