/** A system that comes apart in a stream leaves it, and all others have the bits that they have alone. */
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { System } from "../../src/batch/mod.ts";
import {
  DivergedError,
  Dynamics,
  fireRelaxer,
  type Integrator,
  langevin,
  SizeAwareSampler,
  type StreamFailure,
} from "../../src/dynamics/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { potential } from "../../src/models/potential.ts";
import { assertSameBits, bitsOf, idle } from "./atoms.ts";
import { onEngines } from "./on_engines.ts";
import { alone, FIELDS, rattled, streamed } from "./streams.ts";
import { test } from "../suite.ts";

/** Two atoms so close that the forces between them are beyond all numbers. */
function bursting(): System {
  return new System({
    symbols: ["Ar", "Ar"],
    positions: [0, 0, 0, 1e-4, 0, 0],
    cell: [10.52, 0, 0, 0, 10.52, 0, 0, 0, 10.52],
    pbc: true,
  });
}

/** One that is out of reach after some steps of 2 fs. */
function flying(steps: number): System {
  const [first] = rattled(1);
  const velocities = new Float64Array(3 * first!.nodeCount).fill(1e9 / (2 * steps - 1));
  return new System({
    numbers: first!.numbers,
    positions: first!.positions,
    cell: first!.cell!,
    pbc: first!.pbc!,
    velocities,
  });
}

Deno.test(
  "a diverged system is dropped from a stream with onDiverged, and all others have the same bits as alone",
  onEngines(async (backend, name) => {
    const md = langevin({ dt: 2, temperature: 60, friction: 0.01, seed: 5 });
    const cases: readonly (readonly [Integrator, System[], number, number[]])[] = [
      [md, rattled(7).toSpliced(1, 1, flying(4)).toSpliced(5, 1, flying(9)), 20, [1, 5]],
      [fireRelaxer({ dt: 0.3, maxStep: 1e12 }), rattled(5).toSpliced(3, 1, bursting()), 1000, [3]],
    ];
    for (const [scheme, systems, maxSteps, lost] of cases) {
      const options = { backend, maxSystems: 2, maxSteps };
      await assertRejects(() => streamed(scheme, systems, options), DivergedError);
      if (name === "webgpu") {
        await assertRejects(
          () => streamed(scheme, systems, { ...options, onDiverged: "drop" }),
          RangeError,
          'onDiverged must be "throw" on a GPU',
        );
        continue;
      }
      for (const hooks of [[], [idle()]]) {
        const { found, summary } = await streamed(scheme, systems, {
          ...options,
          hooks,
          onDiverged: "drop",
        });
        const left = systems.map((_, i) => i).filter((i) => !lost.includes(i));
        assertEquals([...found.keys()].sort(), left);
        assertEquals(summary.failures.map(({ sourceIndex }) => sourceIndex).sort(), lost);
        assertEquals([summary.systems, summary.graduated], [systems.length, left.length]);
        assert(summary.isDone);
        for (const { reason } of summary.failures) assertMatch(reason, /^System \d+ diverged /);
        for (const [id, batch] of found) {
          const one = await alone(scheme, systems[id]!, { id, backend, steps: maxSteps });
          assertSameBits(bitsOf(batch, 0, FIELDS), bitsOf(one, 0, FIELDS), `${name} ${id}`);
        }
      }
    }
  }),
);

test("a stream of which nothing is left but what has come apart ends", async () => {
  const model = potential(({ forces }) => (forces.fill(NaN), 0), { name: "nothing" });
  const scheme = langevin({ dt: 2, temperature: 60, friction: 0.01, seed: 5 });
  await using engine = new Dynamics(scheme, { model, device: "reference" });
  const sink = new MemorySink();
  const sampler = new SizeAwareSampler(rattled(5), { maxSystems: 2 });
  const told: StreamFailure[] = [];
  const onFailure = (failure: StreamFailure) => void told.push(failure);
  const options = { sinks: [sink], maxSteps: 3, onDiverged: "drop", onFailure } as const;
  const { failures, isDone } = await engine.stream(sampler, options);
  assertEquals(told, failures);
  assertEquals([sink.length, failures.length, isDone], [0, 5, true]);
  assertEquals(new Set(failures.map(({ sourceIndex }) => sourceIndex)).size, 5);
});

test("what is to become of what comes apart must be a word that means something", async () => {
  const stream = () =>
    streamed(fireRelaxer({ dt: 0.3 }), rattled(2), {
      backend: "wasm",
      onDiverged: "skip" as never,
    });
  await assertRejects(stream, TypeError, 'onDiverged must be "throw" or "drop"');
  const wrong = () =>
    streamed(fireRelaxer({ dt: 0.3 }), rattled(2), {
      backend: "wasm",
      onFailure: "print" as never,
    });
  await assertRejects(wrong, TypeError, "onFailure must be a function");
});
