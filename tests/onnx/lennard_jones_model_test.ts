/** The Lennard-Jones model in the file against the potential by hand and the kernel's. */
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { Batch, fcc, rattle, System } from "../../src/batch/mod.ts";
import { buildNeighborList } from "../../src/batch/neighbors/mod.ts";
import { lennardJones } from "../../src/models/mod.ts";
import {
  decodeModel,
  describeModel,
  lennardJonesModel,
  type LennardJonesModelOptions,
} from "../../src/onnx/mod.ts";
import { evaluate } from "../dynamics/atoms.ts";
import { f32, i32, numbersOf, runModel, type Tensors, worst } from "./ort.ts";

const ARGON = { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 };

/**
 * Returns the inputs of a model for systems: their pairs within the cutoff and `beyond`, the same for all forms of
 * inputs.
 */
function feedsOf(systems: readonly System[], half = false, beyond = 0): Tensors {
  const batch = Batch.from(systems);
  const cutoff = ARGON.cutoff + beyond;
  const { count, edges, shifts } = buildNeighborList(batch, { cutoff, half });
  const vectors = new Float32Array(3 * count);
  for (let e = 0; e < count; e++) {
    const cell = systems[batch.systemOfNode[edges[e]!]!]!.cell;
    for (let d = 0; d < 9; d++) {
      vectors[3 * e + d % 3]! += shifts[3 * e + Math.floor(d / 3)]! * cell[d]!;
    }
  }
  const [src, dst] = [edges.slice(0, count), edges.slice(count, 2 * count)];
  return {
    positions: f32(batch.get("positions"), batch.nodeCount, 3),
    edge_index: i32(edges.slice(0, 2 * count), 2, count),
    edge_src: i32(src, count),
    edge_dst: i32(dst, count),
    shifts: f32(vectors, count, 3),
    batch_idx: i32(batch.systemOfNode, batch.nodeCount),
    edge_batch: i32(src.map((atom) => batch.systemOfNode[atom]!), count),
    energy0: f32(new Float32Array(systems.length), systems.length),
  };
}

/** With further entries that must not matter. */
function padded(feeds: Tensors, count: number): Tensors {
  const grow = (name: string, ...rest: number[][]) => [...numbersOf(feeds[name]), ...rest.flat()];
  const zeros = Array<number>(count).fill(0);
  const [src, dst] = [grow("edge_src", zeros), grow("edge_dst", zeros)];
  return {
    ...feeds,
    edge_index: i32([...src, ...dst], 2, src.length),
    edge_src: i32(src, src.length),
    edge_dst: i32(dst, dst.length),
    edge_batch: i32(grow("edge_batch", zeros), src.length),
    shifts: f32(grow("shifts", ...zeros.map(() => [100, 0, 0])), src.length, 3),
  };
}

/** A crystal in a skewed cell, smaller than the cutoff. */
function skewed(): System {
  const plain = rattle(fcc({ element: "Ar", a: 5.3, cells: [3, 1, 1] }), 0.2, 4);
  return new System({
    symbols: Array<string>(12).fill("Ar"),
    positions: plain.positions,
    cell: [15.9, 0.3, -0.7, 0.9, 5.4, 0.2, 0.4, -0.5, 5.6],
  });
}

const SYSTEMS = [
  rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1),
  skewed(),
  new System({ symbols: ["Ar"], positions: [[50, 0, 0]] }),
  rattle(fcc({ element: "Ar", a: 5.5, cells: 2 }), 0.15, 2),
];

const FORMS: readonly Partial<LennardJonesModelOptions>[] = [
  {},
  { list: "half" },
  { edges: "separate", batchIndex: "edge" },
  { list: "half", edges: "separate" },
  { list: "half", batchIndex: "edge" },
];

Deno.test("a Lennard-Jones dimer in a batch has the energy and forces of the formula", async () => {
  const model = lennardJonesModel(ARGON);
  const { energy, forces } = await runModel(model, {
    positions: f32([9, 9, 9, 0, 0, 0, 2, 2, Math.sqrt(8)], 3, 3), // 4 Å
    edge_index: i32([1, 2, 2, 1], 2, 2),
    shifts: f32(new Float32Array(6), 2, 3),
    batch_idx: i32([1, 0, 0], 3),
    energy0: f32([0, 0], 2),
  });
  const s = (3.4 / 4) ** 6, end = (3.4 / 8.5) ** 6;
  const expected = 4 * 0.0104 * (s * s - s) - 4 * 0.0104 * (end * end - end);
  const [e0, e1] = numbersOf(energy);
  assertAlmostEquals(e0!, expected, 1e-7 * Math.abs(expected) * 4);
  assertEquals(e1, 0);
  const slope = -24 * 0.0104 * (2 * s * s - s) / 4; // dE/dr: below 0 would push apart
  const f = [2, 2, Math.sqrt(8)].map((x) => slope * x / 4);
  const golden = [0, 0, 0, ...f, ...f.map((x) => -x)];
  assert(worst(numbersOf(forces), golden) < 1e-6, `${numbersOf(forces)} is not ${golden}`);
});

Deno.test("pairs across a periodic boundary use their shifts", async () => {
  const feeds = {
    positions: f32([0, 0, 0, 6, 0, 0], 2, 3),
    edge_index: i32([0, 1, 1, 0], 2, 2),
    shifts: f32([-10, 0, 0, 10, 0, 0], 2, 3), // 4 Å, the other way round
    batch_idx: i32([0, 0], 2),
    energy0: f32([0], 1),
  };
  const { forces } = await runModel(lennardJonesModel(ARGON), feeds);
  const s = (3.4 / 4) ** 6, pull = 24 * 0.0104 * (2 * s * s - s) / 4;
  assert(worst(numbersOf(forces), [pull, 0, 0, -pull, 0, 0]) < 1e-6, `${numbersOf(forces)}`);
});

for (const truncation of ["shift", "cut"] as const) {
  Deno.test(`all forms of the model agree with the kernel to 1e-5, truncation ${truncation}`, async () => {
    const kernel = await evaluate(lennardJones({ ...ARGON, truncation }), SYSTEMS);
    for (const form of FORMS) {
      const model = lennardJonesModel({ ...ARGON, ...form, truncation });
      // More pairs than count, as with a skin.
      const { energy, forces } = await runModel(model, feedsOf(SYSTEMS, form.list === "half", 0.7));
      const off = [
        worst(numbersOf(energy), kernel.energy),
        worst(numbersOf(forces), kernel.forces),
      ];
      assert(off[0]! < 1e-6 && off[1]! < 1e-5, `${JSON.stringify(form)} is off by ${off}`);
    }
  });
}

Deno.test("padding does not change a bit, also for empty lists", async () => {
  for (const form of FORMS) {
    const model = lennardJonesModel({ ...ARGON, ...form });
    const feeds = feedsOf(SYSTEMS, form.list === "half");
    const [plain, more] = [await runModel(model, feeds), await runModel(model, padded(feeds, 77))];
    assertEquals(numbersOf(more.energy), numbersOf(plain.energy));
    assertEquals(numbersOf(more.forces), numbersOf(plain.forces));
    const alone = feedsOf([SYSTEMS[2]!]);
    const nothing = await runModel(model, alone);
    assertEquals([...numbersOf(nothing.energy), ...numbersOf(nothing.forces)], [0, 0, 0, 0]);
  }
});

Deno.test("a NaN position affects only its own system", async () => {
  for (const batchIndex of ["atom", "edge"] as const) {
    const model = lennardJonesModel({ ...ARGON, batchIndex });
    const feeds = feedsOf(SYSTEMS);
    const before = await runModel(model, feeds);
    const positions = numbersOf(feeds.positions);
    positions[4] = NaN; // y of the second atom
    const after = await runModel(model, {
      ...feeds,
      positions: f32(positions, positions.length / 3, 3),
    });
    const [energy, forces] = [numbersOf(after.energy), numbersOf(after.forces)];
    assert(Number.isNaN(energy[0]!), `${energy}`);
    assert(forces.slice(3, 6).some(Number.isNaN), `${forces.slice(3, 6)}`);
    assertEquals(energy.slice(1), numbersOf(before.energy).slice(1));
    assertEquals(forces.slice(96), numbersOf(before.forces).slice(96));
  }
});

Deno.test("the file declares its inputs and parameters", () => {
  const { inputs, outputs, metadata, opset } = describeModel(
    decodeModel(lennardJonesModel({ ...ARGON, list: "half", edges: "separate" })),
  );
  assertEquals(opset, 18);
  assertEquals(inputs, [
    { name: "positions", type: "f32", shape: ["N", 3] },
    { name: "edge_src", type: "i32", shape: ["E"] },
    { name: "edge_dst", type: "i32", shape: ["E"] },
    { name: "shifts", type: "f32", shape: ["E", 3] },
    { name: "batch_idx", type: "i32", shape: ["N"] },
    { name: "energy0", type: "f32", shape: ["B"] },
  ]);
  assertEquals(outputs, [
    { name: "energy", type: "f32", shape: ["B"] },
    { name: "forces", type: "f32", shape: ["N", 3] },
  ]);
  assertEquals(metadata, { cutoff: "8.5", neighbors: "half", units: "eV, Å" });
});

Deno.test("a Lennard-Jones model rejects invalid parameters", () => {
  const refuses = (options: unknown, kind: typeof TypeError | typeof RangeError, message: string) =>
    assertThrows(
      () => lennardJonesModel({ ...ARGON, ...options as object }),
      kind,
      `Cannot make a Lennard-Jones model: ${message}`,
    );
  refuses({ epsilon: 0 }, RangeError, "epsilon must be above 0 and finite; got 0");
  refuses({ sigma: NaN }, RangeError, "sigma must be above 0 and finite; got NaN");
  refuses({ cutoff: "8" }, TypeError, "cutoff must be a number; got 8");
  refuses({ truncation: "switch" }, RangeError, "truncation must be shift or cut");
  refuses({ list: "both" }, RangeError, "list must be full or half; got both");
  refuses({ edges: 2 }, RangeError, "edges must be stacked or separate; got 2");
  refuses({ batchIndex: "node" }, RangeError, "batchIndex must be atom or edge");
});
