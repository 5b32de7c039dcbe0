"""torch-sim L-BFGS of rattled crystals in one batch, as its lbfgs_init and lbfgs_step come."""
import time
from turns import load_bench, serve


def make(a):
    bench = load_bench(a["peers"], "torchsim")
    dtype = getattr(bench.torch, a["dtype"])
    model = bench.model(dtype, a["list"])

    def turn():
        state, _ = bench.state(a["n"], a["systems"], dtype, relax=True, vel=False)
        wall, cpu = time.perf_counter(), time.process_time()
        state = bench.lbfgs_init(state=state, model=model)
        steps = 0
        # All go on until the last is relaxed: looking is all that it costs.
        while state.forces.norm(dim=-1).max().item() > a["fmax"] and steps < 500:
            state = bench.lbfgs_step(state, model)
            steps += 1
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        return 1, dict(cpu_s=cpu, wall_s=wall, steps=steps, fmax=state.forces.norm(dim=-1).max().item())

    turn()  # compiles
    return dict(peer=bench.PEER, dtype=a["dtype"], list=a["list"]), turn


serve(make)
