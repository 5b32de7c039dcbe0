/** Models of whole batches, which run on the active systems only. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { Batch, ConvergenceHook, field, FIRE, hook, type SystemInput } from "@hooke/hooke";
import { openBackend } from "@hooke/hooke/backend";
import { OnnxModel, type OnnxModelOptions } from "@hooke/hooke/models/onnx";
import { GraphBuilder } from "@hooke/hooke/onnx";
import { evaluateModel } from "../../src/models/evaluate.ts";
import { edgeSprings } from "./edge_springs.ts";

/** A graph of springs to the origin, E = Σ x², with the number of atoms that it receives as a further output. */
function springs(): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("springs");
  const x = g.input("positions", "f32", ["N", 3]);
  const owners = g.input("batch_idx", "i32", ["N"]);
  const zeros = g.mul(g.input("energy0", "f32", ["B"]), 1);
  g.output("energy", g.scatterAdd(zeros, owners, g.reduceSum(g.mul(x, x), [1])), ["B"]);
  g.output("forces", g.mul(x, -2), ["N", 3]);
  const ones = g.add(g.mul(x, 0), 1 / 3);
  g.output("received", g.add(zeros, g.reduceSum(ones, [0, 1])), ["B"]);
  return g.build();
}

/** Returns a system with one atom at each distance from the origin in Å. */
function atoms(...distances: number[]): SystemInput {
  return {
    numbers: distances.map(() => 1),
    positions: distances.flatMap((x) => [x, 0.5 * x, 0.1]),
  };
}

/** Systems with 1, 2, 3 and 1 atoms. The third converges first, then the first, the last and the second. */
const SYSTEMS = [atoms(0.7), atoms(5, 3), atoms(0.1, 0.2, 0.1), atoms(2)];

const received = field<Float32Array>()("received");

/** Returns an engine whose hook appends the number of atoms that each step's evaluation has received to `counts`. */
function relaxer(model: OnnxModel, counts: number[]): FIRE {
  const count = hook({
    name: "count",
    reads: [received],
    on: { dynamics: { AFTER_STEP: ({ read }) => void counts.push(Math.round(read.received[1]!)) } },
  });
  return new FIRE({ model, dt: 0.1, hooks: [ConvergenceHook.fromFmax(0.5), count] });
}

const OPTIONS: OnnxModelOptions = { outputs: { received: "received" } };

Deno.test("a model receives only the systems that are not finished", async () => {
  for (const padding of [undefined, false, true]) {
    const chosen = padding === undefined ? OPTIONS : { ...OPTIONS, padding };
    await using model = await OnnxModel.open(springs(), chosen);
    const counts: number[] = [];
    await using opt = relaxer(model, counts);
    const batch = await opt.run(Batch.from(SYSTEMS), 1000);
    assertEquals([...batch.get("status")], [1, 1, 1, 1]);
    const steps = [...batch.get("stepsDone")];
    assertEquals(steps.map((_, s) => s).sort((a, b) => steps[a]! - steps[b]!), [2, 0, 3, 1]);
    // A system leaves in the step after the one in which it has converged. Padding keeps the shapes of inputs.
    const sizes = [1, 2, 3, 1];
    const expected = counts.map((_, step) =>
      sizes.reduce((sum, size, s) => padding || step < steps[s]! ? sum + size : sum, 0)
    );
    assertEquals(counts, expected);
    assertEquals(new Set(counts), new Set(padding ? [7] : [7, 4, 3, 2]));
  }
});

Deno.test("finished systems keep the results of the step in which they have converged", async () => {
  await using model = await OnnxModel.open(springs(), OPTIONS);
  await using opt = relaxer(model, []);
  const last: { energy: number; force: number }[] = [], later: unknown[] = [];
  const shown = (energy: ArrayLike<number>, forces: ArrayLike<number>, s: number) => {
    const atom = [0, 1, 3, 6][s]!;
    return { energy: energy[s]!, force: forces[3 * atom]! };
  };
  opt.hooks.add(hook({
    name: "watch",
    reads: ["energy", "forces"],
    on: {
      dynamics: {
        ON_CONVERGE: ({ convergedMask, read }) => {
          for (let s = 0; s < 4; s++) {
            if (convergedMask[s] === 1) last[s] = shown(read.energy, read.forces, s);
          }
        },
        AFTER_STEP: ({ read }) => {
          if (last[2] !== undefined) later.push(shown(read.energy, read.forces, 2));
        },
      },
    },
  }));
  const batch = await opt.run(Batch.from(SYSTEMS), 1000);
  assert(later.length > 5, String(later.length));
  for (const one of later) assertEquals(one, last[2]);
  assertEquals(
    last,
    [0, 1, 2, 3].map((s) => shown(batch.get("energy"), batch.get("forces"), s)),
  );
});

Deno.test("a run that is resumed after systems have finished has the bits of one that was not", async () => {
  await using model = await OnnxModel.open(springs(), OPTIONS);
  const whole: number[] = [], first: number[] = [], second: number[] = [];
  await using uninterrupted = relaxer(model, whole);
  const expected = await uninterrupted.run(Batch.from(SYSTEMS), 1000);
  await using before = relaxer(model, first), after = relaxer(model, second);
  await before.run(Batch.from(SYSTEMS), 1 + whole.indexOf(3));
  const resumed = await after.load(structuredClone(await before.save()));
  await after.run(resumed, 1000);
  assertEquals([...first, ...second], whole);
  assert(first.includes(7) && first.at(-1) === 3 && second[0] === 3, String(first));
  for (const name of ["positions", "forces", "energy", "stepsDone", "received"]) {
    assertEquals(resumed.get(name), expected.get(name), name);
  }
});

Deno.test("a system has the same bits beside inactive systems and without them", async () => {
  const line = (...x: number[]): SystemInput => ({
    numbers: x.map((_, i) => 1 + i),
    positions: x.flatMap((x) => [x, 0.1 * x * x, 0]),
  });
  const systems = [line(0, 2), line(0, 3, 5), line(1), line(1, 2, 4, 7)];
  await using model = await OnnxModel.open(edgeSprings({ hasTriplets: true }), {
    cutoff: 5,
    reach: 4,
  });
  for (const name of ["wasm", "reference"] as const) {
    const backend = openBackend(name);
    // The last batch has no triplets, so that it gets a companion.
    for (const active of [[0, 1, 0, 1], [1, 0, 0, 1], [1, 0, 1, 0]]) {
      const own = systems.filter((_, s) => active[s] === 1);
      const all = await evaluateModel(model, Batch.from(systems), backend, { active });
      const some = await evaluateModel(model, Batch.from(own), backend);
      const isActive = systems.flatMap(({ numbers }, s) =>
        Array(3 * numbers!.length).fill(active[s])
      );
      assertEquals(all.energy.filter((_, s) => active[s] === 1), some.energy);
      assertEquals(all.forces.filter((_, k) => isActive[k] === 1), some.forces);
      assert(some.forces.some((force) => force !== 0));
    }
  }
});

Deno.test("an unknown element beside inactive systems is named by its system in the batch", async () => {
  const batch = Batch.from([atoms(1), { numbers: [1, 11], positions: [0, 0, 0, 2, 0, 0] }]);
  await using model = await OnnxModel.open(edgeSprings({ isSparse: true }), { cutoff: 5 });
  await assertRejects(
    () => evaluateModel(model, batch, openBackend("wasm"), { active: [0, 1] }),
    RangeError,
    "on atom 1 of system 1: it is Na",
  );
});

Deno.test("a model with fixed lengths, or constants with a row per system, receives all systems", async () => {
  const graph = (length: number | "B", isConstant: boolean) => {
    const g = new GraphBuilder("springs");
    const x = g.input("positions", "f32", ["N", 3]), owners = g.input("batch_idx", "i32", ["N"]);
    const zeros = g.mul(g.input("energy0", "f32", [length]), 1);
    const k = isConstant ? g.input("stiffness", "f32", ["B"]) : g.add(zeros, 3);
    const own = g.scatterAdd(zeros, owners, g.reduceSum(g.mul(x, x), [1]));
    g.output("energy", g.mul(own, k), ["B"]);
    return g.build();
  };
  const constants = { stiffness: [3, 3] };
  for (
    const [bytes, options] of [[graph(2, false), {}], [graph("B", true), { constants }]] as const
  ) {
    await using model = await OnnxModel.open(bytes, options);
    const batch = Batch.from([atoms(1), atoms(2, 0)]);
    const { energy } = await evaluateModel(model, batch, openBackend("wasm"), { active: [0, 1] });
    assertEquals(energy[0], 0);
    assert(Math.abs(energy[1]! - 3 * (4 + 1 + 0.02)) < 1e-5, String(energy));
  }
});
