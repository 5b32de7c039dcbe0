"""nvalchemi-toolkit FIRE of rattled crystals in one batch, with ASE's dt: theirs is divided by the root of the mass."""
import time
from turns import load_bench, serve


def make(a):
    bench = load_bench(a["peers"], "nvalchemi")
    dtype = getattr(bench.torch, a["dtype"])
    root = bench.MASS ** 0.5

    def turn():
        engine, batch, _ = bench.mk(a["n"], a["systems"], dtype, 1.0, bench.FIRE, True, dt=0.1 * root, dt_max=root,
                                    maxstep=0.2, convergence_hook=bench.ConvergenceHook.from_fmax(a["fmax"]))
        wall, cpu = time.perf_counter(), time.process_time()
        engine.run(batch, n_steps=1500)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        fmax = batch.forces.norm(dim=-1).max().item()
        return 1, dict(cpu_s=cpu, wall_s=wall, steps=int(engine.step_count), fmax=fmax)

    turn()  # compiles
    return dict(peer=bench.PEER, dtype=a["dtype"]), turn


serve(make)
