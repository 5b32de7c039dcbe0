"""Serves turns to run.ts: one JSON object as the argument, then one repeat for each line on stdin.

A driver calls `serve(make)`. `make(arguments)` sets up and warms, and returns (about, turn): what to tell of
itself, and a function that does one repeat and returns (events, extra). Each answer is a line
{"cpu_s", "wall_s", "events", ...extra}. What libraries print goes to stderr.
"""
import importlib.util, json, os, sys, time

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")


def load_bench(peers, peer):
    """The peer's own bench.py as a module, none of its cases run, so that set-up is the peer's own."""
    sys.argv = ["bench.py", "none"]
    path = os.path.join(peers, peer, "bench.py")
    spec = importlib.util.spec_from_file_location(f"{peer}_bench", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def serve(make):
    arguments = json.loads(sys.argv[1])
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def tell(**answer):
        out.write(json.dumps(answer) + "\n")
        out.flush()

    about, turn = make(arguments)
    tell(ready=True, **about)
    for _ in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        events, extra = turn()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        # A turn that has to set up first times itself and says so.
        tell(**{"cpu_s": cpu, "wall_s": wall, "events": events, **extra})
