"""torch-sim's FIRE of rattled crystals in flight, as its optimize() and InFlightAutoBatcher come: {"input", "at_once",
"fmax", "dtype"}.
"""
import json, time
from turns import load_bench, serve


def make(a):
    bench = load_bench(a["peers"], "torchsim")
    ts, torch, np = bench.ts, bench.torch, bench.np
    dtype = getattr(torch, a["dtype"])
    model = bench.model(dtype, "default")
    with open(a["input"]) as file:
        systems = json.load(file)["systems"]

    def states():
        made = []
        for system in systems:
            x = torch.tensor(np.reshape(system["positions"], (-1, 3)), dtype=dtype)
            n = len(x)
            made.append(ts.SimState(
                positions=x, masses=torch.full((n,), bench.MASS, dtype=dtype),
                cell=torch.tensor(np.reshape(system["cell"], (1, 3, 3)), dtype=dtype), pbc=True,
                atomic_numbers=torch.full((n,), 18, dtype=torch.long),
                system_idx=torch.zeros(n, dtype=torch.long)))
        return ts.concatenate_states(made)

    def turn():
        state = states()
        steps = [0]
        hook = model.register_forward_hook(lambda *_: steps.__setitem__(0, steps[0] + 1))
        wall, cpu = time.perf_counter(), time.process_time()
        batcher = ts.InFlightAutoBatcher(
            model, max_memory_scaler=a["at_once"] * len(systems[0]["positions"]) // 3, memory_scales_with="n_atoms")
        done = ts.optimize(
            system=state, model=model, optimizer=ts.Optimizer.fire, max_steps=5000, autobatcher=batcher,
            convergence_fn=ts.generate_force_convergence_fn(force_tol=a["fmax"]))
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        hook.remove()
        fmax = done.forces.norm(dim=-1).max().item()
        if fmax > a["fmax"] or done.n_systems != len(systems):
            raise RuntimeError(f"{done.n_systems} of {len(systems)} crystals, fmax {fmax}")
        return 1, dict(cpu_s=cpu, wall_s=wall, steps=steps[0])

    turn()
    return dict(peer=bench.PEER, dtype=a["dtype"]), turn


serve(make)
