"""torch-sim NVE of a batch of crystals, as its bench.py sets it up (float32)."""
from turns import load_bench, serve


def make(a):
    bench = load_bench(a["peers"], "torchsim")
    run, _, _ = bench.nve(a["n"], a["systems"], bench.F32, a["list"])
    run(a["warm"])

    def turn():
        run(a["steps"])
        return a["n"] * a["systems"] * a["steps"], {}

    return dict(peer=bench.PEER, list=a["list"], dtype="float32"), turn


serve(make)
