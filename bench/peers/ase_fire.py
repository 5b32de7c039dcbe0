"""ASE FIRE of rattled crystals, one after another."""
import time
from turns import load_bench, serve


def make(a):
    bench = load_bench(a["peers"], "ase")

    def turn():
        atoms = [bench.mk(*bench.rattled(a["n"], seed)) for seed in range(a["systems"])]
        wall, cpu = time.perf_counter(), time.process_time()
        steps = []
        for system in atoms:
            fire = bench.FIRE(system, logfile=None)
            fire.run(fmax=a["fmax"], steps=1000)
            steps.append(fire.nsteps)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        fmax = max(float(bench.np.linalg.norm(s.get_forces(), axis=1).max()) for s in atoms)
        return 1, dict(cpu_s=cpu, wall_s=wall, steps=max(steps), steps_mean=sum(steps) / len(steps), fmax=fmax)

    return dict(peer=bench.PEER, dtype="float64"), turn


serve(make)
