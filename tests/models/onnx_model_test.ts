import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import {
  Batch,
  ConvergenceHook,
  type DynamicsContext,
  DynamicsStage,
  fcc,
  FIRE,
  initVelocities,
  lennardJones,
  NVE,
  rattle,
} from "@hooke/hooke";
import { OnnxModel } from "@hooke/hooke/models/onnx";
import { dataOf, GraphBuilder, lennardJonesModel, openSession } from "@hooke/hooke/onnx";
import { readModel, readReference } from "../onnx/shared_models.ts";
import { numbersOf, storedBatch } from "./onnx_references.ts";
import { lacks } from "../machine.ts";

const ARGON = { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 };
const argon = (far: number, seed: number) =>
  rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), far, seed);

Deno.test("the Lennard-Jones graph and the kernel agree, periodic or not, in every form of its inputs", async () => {
  const free = { symbols: ["Ar", "Ar"], positions: [0, 0, 0, 3.9, 0, 0] };
  const systems = () => Batch.from([argon(0.1, 1), free, argon(0.2, 2)]);
  const expected = systems();
  await using exact = new NVE({ model: lennardJones(ARGON), dt: 1, device: "reference" });
  await exact.run(expected, 0);
  for (const form of [{}, { list: "half" }, { edges: "separate", batchIndex: "edge" }] as const) {
    const neighbors = "list" in form ? form.list : "full";
    await using model = await OnnxModel.open(lennardJonesModel({ ...ARGON, ...form }), {
      neighbors,
    });
    const batch = systems();
    await using md = new NVE({ model, dt: 1 });
    await md.run(batch, 0);
    for (let s = 0; s < 3; s++) {
      const energy = expected.get("energy")[s]!;
      assertAlmostEquals(batch.get("energy")[s]!, energy, 1e-5 * Math.abs(energy));
    }
    const largest = Math.max(...expected.get("forces").map(Math.abs));
    for (const [k, force] of expected.get("forces").entries()) {
      assertAlmostEquals(batch.get("forces")[k]!, force, 1e-5 * largest);
    }
  }
});

Deno.test("a graph relaxes crystals to the kernel's structures, and converged systems do not move", async () => {
  const relaxed = async (model: ConstructorParameters<typeof FIRE>[0]["model"]) => {
    const batch = Batch.from([argon(0.1, 1), argon(0.05, 2)]);
    await using opt = new FIRE({
      model,
      dt: 0.5,
      nSteps: 500,
      hooks: [ConvergenceHook.fromFmax(0.001)],
    });
    await opt.run(batch);
    assertEquals([...batch.get("status")], [1, 1]);
    return batch;
  };
  await using graph = await OnnxModel.open(lennardJonesModel(ARGON));
  const [ours, theirs] = [await relaxed(graph), await relaxed(lennardJones(ARGON))];
  for (const [k, x] of theirs.get("positions").entries()) {
    assertAlmostEquals(ours.get("positions")[k]!, x, 1e-3);
  }
  for (const s of [0, 1]) {
    assertAlmostEquals(ours.get("energy")[s]!, theirs.get("energy")[s]!, 1e-5);
  }
});

Deno.test("energies use the stated unit, and elements the stated numbers", async () => {
  const graph = new GraphBuilder("types");
  const positions = graph.input("positions", "f32", ["N", 3]);
  const species = graph.input("species", "f32", ["N"]);
  const nothing = graph.mul(graph.reduceSum(positions, [0, 1]), graph.constant("f32", [0]));
  graph.output("energy", graph.add(graph.reduceSum(species, [0], true), nothing));
  graph.output("forces", graph.mul(positions, graph.constant("f32", [2])));
  await using model = await OnnxModel.open(graph.build(), {
    cutoff: 3,
    energyUnit: 27.25,
    elements: { Ar: 0, Kr: 5 },
  });
  const energy = async (symbols: string[]) => {
    const batch = Batch.from([{
      symbols,
      positions: symbols.flatMap((_, i) => [4 * i + 1, 0, 0]),
    }]);
    await using md = new NVE({ model, dt: 1 });
    await md.run(batch, 0);
    assertEquals(batch.get("forces")[0], 2 * 27.25);
    return batch.get("energy")[0];
  };
  assertEquals(await energy(["Ar", "Kr", "Kr"]), 10 * 27.25);
  await assertRejects(
    () => energy(["Ar", "Xe"]),
    RangeError,
    "atom 1 of system 0 is Xe",
  );
});

Deno.test("dynamics over a graph conserves its energy", async () => {
  await using model = await OnnxModel.open(lennardJonesModel(ARGON));
  const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
  initVelocities(batch, 40, { seed: 3 });
  await using md = new NVE({ model, dt: 2 });
  const energies: number[] = [];
  md.hooks.add({
    stage: DynamicsStage.AFTER_STEP,
    frequency: 10,
    reads: ["energy", "kineticEnergy"] as const,
    call: (ctx: DynamicsContext<"energy" | "kineticEnergy">) =>
      void energies.push(ctx.read.energy.at(0)! + ctx.read.kineticEnergy.at(0)!),
  });
  await md.run(batch, 200);
  assert(Math.max(...energies) - Math.min(...energies) < 32 * 2e-5, String(energies));
});

/** Returns all pairs of atoms of one system within a cutoff, in both directions. */
function allPairs(
  positions: readonly number[],
  owners: readonly number[],
  cutoff: number,
): number[][] {
  const pairs: number[][] = [];
  for (let i = 0; i < owners.length; i++) {
    for (let j = 0; j < owners.length; j++) {
      if (i === j || owners[i] !== owners[j]) continue;
      const square = [0, 1, 2].reduce(
        (sum, k) => sum + (positions[3 * i + k]! - positions[3 * j + k]!) ** 2,
        0,
      );
      if (square < cutoff * cutoff) pairs.push([i, j]);
    }
  }
  return pairs;
}

Deno.test({
  name: "a real potential gives the same results from atoms as from prepared inputs",
  ignore: lacks("models"),
  async fn() {
    const { inputs } = readReference("schnet");
    const positions = numbersOf(inputs.positions!), numbers = numbersOf(inputs.z!);
    const owners = numbersOf(inputs.batch_idx!), size = Math.max(...owners) + 1;
    const pairs = allPairs(positions, owners, 5);
    const whole = (values: readonly number[]) => BigInt64Array.from(values, BigInt);
    await using session = await openSession(readModel("schnet_ef.onnx"));
    const given = await session.run({
      positions: { data: Float32Array.from(positions), dims: [owners.length, 3] },
      z: { data: whole(numbers) },
      edge_index: {
        data: whole([0, 1].flatMap((k) => pairs.map((pair) => pair[k]!))),
        dims: [2, pairs.length],
      },
      shifts: { data: new Float32Array(3 * pairs.length), dims: [pairs.length, 3] },
      batch_idx: { data: whole(owners) },
      energy0: { data: new Float32Array(size) },
    });

    const batch = Batch.from(Array.from({ length: size }, (_, s) => {
      const atoms = owners.flatMap((owner, i) => owner === s ? [i] : []);
      return {
        numbers: atoms.map((i) => numbers[i]!),
        positions: atoms.flatMap((i) => positions.slice(3 * i, 3 * i + 3)),
      };
    }));
    await using model = await OnnxModel.open(readModel("schnet_ef.onnx"), { cutoff: 5 });
    await using md = new NVE({ model, dt: 1 });
    await md.run(batch, 0);
    const energies = dataOf(given, "energy", "float32"),
      forces = dataOf(given, "forces", "float32");
    for (const [s, energy] of energies.entries()) {
      assertAlmostEquals(batch.get("energy")[s]!, energy, 1e-6 * Math.abs(energy));
    }
    const most = Math.max(...forces.map(Math.abs));
    for (const [k, force] of forces.entries()) {
      assertAlmostEquals(batch.get("forces")[k]!, force, 1e-5 * most);
    }
  },
});

Deno.test({
  name:
    "a real potential over the stored edges, which a function gives, is what PyTorch made of them",
  ignore: lacks("models"),
  async fn() {
    const { systems, edges, energies, forces } = storedBatch("schnet", "z");
    await using model = await OnnxModel.open(readModel("schnet_ef.onnx"), {
      derived: {
        edge_index: () => ({ data: edges, dims: [2, edges.length / 2] }),
        shifts: () => ({ data: new Float32Array(1.5 * edges.length), dims: [edges.length / 2, 3] }),
      },
    });
    const batch = Batch.from(systems);
    await using md = new NVE({ model, dt: 1 });
    await md.run(batch, 0);
    // Tolerance relative to the largest value: 1e-6, and three times the difference of Python's onnxruntime
    // from float64.
    const near = (actual: ArrayLike<number>, expected: readonly number[], python: number) => {
      const limit = (1e-6 + 3 * python) * Math.max(...expected.map(Math.abs));
      for (const [i, value] of expected.entries()) assertAlmostEquals(actual[i]!, value, limit);
    };
    near(batch.get("energy"), energies, 3.48e-7);
    near(batch.get("forces"), forces, 1.29e-6);
  },
});
