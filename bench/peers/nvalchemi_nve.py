"""nvalchemi-toolkit NVE of a batch of crystals, as its bench.py sets it up (float32, skin 1 Å)."""
from turns import load_bench, serve


def make(a):
    bench = load_bench(a["peers"], "nvalchemi")
    engine, batch, _ = bench.mk(a["n"], a["systems"], bench.F32, 1.0)
    engine.run(batch, n_steps=a["warm"])

    def turn():
        engine.run(batch, n_steps=a["steps"])
        return a["n"] * a["systems"] * a["steps"], {}

    return dict(peer=bench.PEER, dtype="float32"), turn


serve(make)
