import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { Batch, fcc, rattle, System, type SystemInput } from "../../../src/batch/mod.ts";
import { parseExtxyz } from "../../../src/batch/extxyz/mod.ts";
import {
  atomsData,
  type AtomsDataOptions,
  type TrainingBatch,
} from "../../../src/training/data/mod.ts";
import { readReference } from "../../onnx/shared_models.ts";
import { decode } from "../../onnx/reference_feeds.ts";
import { gathered } from "./gathered.ts";
import { lacks } from "../../machine.ts";

/** Three in a row, 1 Å apart, with all that can be learned. */
const row: SystemInput = {
  symbols: ["O", "H", "H"],
  positions: [[0, 0, 0], [1, 0, 0], [2, 0, 0]],
  energy: -10.5,
  forces: [1, 2, 3, 4, 5, 6, 7, 8, 9],
  stress: [11, 22, 33, 23, 13, 12],
};
/** One atom and its images along a slanted vector. */
const chain: SystemInput = {
  symbols: ["H"],
  positions: [5, 5, 5],
  cell: [[0, 3, 4], [9, 0, 0], [0, 0, 9]],
  pbc: [true, false, false],
  energy: -1.25,
  forces: [0, 0, -0.5],
  stress: [1, 2, 3, 4, 5, 6, 7, 8, 9],
};

const plain = { batchSize: 2, shuffle: false } as const;

async function first(
  systems: readonly (System | SystemInput)[],
  options: Partial<AtomsDataOptions> = {},
): Promise<TrainingBatch> {
  const source = atomsData(systems, { ...plain, cutoff: 1.5, ...options });
  return (await gathered(source))[0]!;
}

const int64 = (...values: number[]) => BigInt64Array.from(values, BigInt);

Deno.test("atomsData() feeds two systems as one graph, with what it should give", async () => {
  // Of the row the neighbors are 1 Å apart; the chain's vector is 5 Å long.
  const batch = await first([row, chain], { cutoff: 5.5, names: { cell: "lattice" } });
  const { positions, z, edge_index, shifts, batch_idx, energy0, lattice, ...targets } = batch.feeds;
  assertEquals([batch.size, batch.tokens], [2, 4]);
  assertEquals(positions, {
    data: Float32Array.of(0, 0, 0, 1, 0, 0, 2, 0, 0, 5, 5, 5),
    dims: [4, 3],
  });
  assertEquals(z, { data: int64(8, 1, 1, 1), dims: [4] });
  assertEquals(batch_idx, { data: int64(0, 0, 0, 1), dims: [4] });
  assertEquals(energy0, { data: Float32Array.of(0, 0), dims: [2] });
  const sources = [0, 0, 1, 1, 2, 2, 3, 3], ends = [1, 2, 0, 2, 0, 1, 3, 3];
  assertEquals(edge_index, { data: int64(...sources, ...ends), dims: [2, 8] });
  const moved = [0, 3, 4, 0, -3, -4];
  assertEquals(shifts, {
    data: Float32Array.of(...new Array(18).fill(0), ...moved),
    dims: [8, 3],
  });
  assertEquals(lattice, {
    data: Float32Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 4, 9, 0, 0, 0, 0, 9),
    dims: [2, 3, 3],
  });
  assertEquals(targets, {
    energy_target: { data: Float32Array.of(-10.5, -1.25), dims: [2] },
    atoms: { data: Float32Array.of(3, 1), dims: [2] },
    forces_target: { data: Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, -0.5), dims: [4, 3] },
    stress_target: {
      data: Float32Array.of(11, 12, 13, 12, 22, 23, 13, 23, 33, 1, 2, 3, 4, 5, 6, 7, 8, 9),
      dims: [2, 3, 3],
    },
  });
});

Deno.test("atomsData() lists triplets: pairs of short edges that leave one atom", async () => {
  const { feeds } = await first([row, row], { cutoff: 2.5, reach: 1.5 });
  // Edges 0 … 5 of a row: 0→1, 0→2, 1→0, 1→2, 2→0, 2→1. Only the middle atom has two short ones.
  assertEquals(feeds.trip_center, { data: int64(1, 4), dims: [2] });
  assertEquals(feeds.trip_edge, { data: int64(2, 8, 3, 9), dims: [2, 2] });
  // Across a face: the first atom lies between the others.
  const ring: SystemInput = {
    symbols: ["Ar", "Ar", "Ar"],
    positions: [[0.5, 0, 0], [1.5, 0, 0], [9.5, 0, 0]],
    cell: [10, 0, 0],
    pbc: [true, false, false],
  };
  const around = (await first([ring], { reach: 1.2 })).feeds;
  assertEquals(around.edge_index!.data, int64(0, 0, 1, 2, 1, 2, 0, 0));
  assertEquals([around.trip_center!.data, around.trip_edge!.data], [int64(0), int64(0, 1)]);
});

Deno.test("atomsData() has the edges of a crystal: nearest neighbors, across its faces too", async () => {
  const a = 5.26;
  const { feeds } = await first([fcc({ element: "Ar", a, cells: 2 })], {
    cutoff: 4,
  });
  const [x, index, shifts] = [feeds.positions!, feeds.edge_index!, feeds.shifts!]
    .map(({ data }) => Array.from(data, Number)) as [number[], number[], number[]];
  const count = 32 * 12;
  assertEquals(index.length, 2 * count);
  for (let e = 0; e < count; e++) {
    const [i, j] = [index[e]!, index[count + e]!];
    const vector = [0, 1, 2].map((k) => x[3 * j + k]! - x[3 * i + k]! + shifts[3 * e + k]!);
    assertAlmostEquals(Math.hypot(...vector), a / Math.SQRT2, 1e-5);
  }
});

// The reference of schnet lists the edges of cubes of about 3 Å, not their diagonals.
for (const [model, cutoffs] of [["schnet", [4]], ["ani1x_1", [5.2, 3.5]]] as const) {
  const name = `atomsData() makes the inputs that the reference of ${model} has`;
  Deno.test({ name, ignore: lacks("models") }, async () => {
    const { inputs } = readReference(model);
    const theirs = Object.fromEntries(
      Object.entries(inputs).map(([name, tensor]) => [name, Array.from(decode(tensor), Number)]),
    );
    const isAni = model === "ani1x_1";
    const numbers = isAni ? theirs.species!.map((s) => [1, 6, 7, 8][s]!) : theirs.z!;
    const systems = theirs.energy0!.map((_, system): SystemInput => {
      const nodes = [...numbers.keys()].filter((node) => theirs.batch_idx![node] === system);
      return {
        numbers: nodes.map((node) => numbers[node]!),
        positions: nodes.map((node) => theirs.positions!.slice(3 * node, 3 * node + 3)),
      };
    });
    const { feeds } = await first(systems, {
      batchSize: systems.length,
      cutoff: cutoffs[0],
      ...(isAni && {
        reach: cutoffs[1]!,
        elements: ["H", "C", "N", "O"],
        names: { numbers: "species" },
      }),
    });
    assertEquals(
      Object.keys(feeds).sort(),
      Object.keys(theirs).filter((name) => name !== "V").sort(),
    );
    const ours = Object.fromEntries(
      Object.entries(feeds).map(([name, { data }]) => [name, Array.from(data, Number)]),
    );
    for (const name of ["positions", isAni ? "species" : "z", "batch_idx", "energy0"]) {
      assertEquals(ours[name], theirs[name], name);
    }
    assertEquals(feeds.edge_index!.dims, inputs.edge_index!.dims);
    assertEquals(pairsOf(ours.edge_index!).sort(), pairsOf(theirs.edge_index!).sort());
    if (isAni) assertEquals(tripletsOf(ours).sort(), tripletsOf(theirs).sort());
  });
}

/** "i j" for each column of two rows. */
function pairsOf(rows: readonly number[]): string[] {
  const count = rows.length / 2;
  return Array.from({ length: count }, (_, e) => `${rows[e]} ${rows[count + e]}`);
}

/** "center: i j" for each triplet, the ends in order. */
function tripletsOf(feeds: Readonly<Record<string, readonly number[]>>): string[] {
  const { trip_center, trip_edge, edge_index } = feeds;
  const [count, edges] = [trip_center!.length, edge_index!.length / 2];
  return trip_center!.map((center, t) => {
    const ends = [trip_edge![t]!, trip_edge![count + t]!].map((e) => {
      assertEquals(edge_index![e], center);
      return edge_index![edges + e]!;
    });
    return `${center}: ${ends.sort((a, b) => a - b).join(" ")}`;
  });
}

Deno.test("atomsData() names tensors by its option names, and omits those that are null", async () => {
  const { feeds } = await first([row], {
    names: { positions: "r", numbers: "species", shifts: null, batchIndex: null, forces: "F" },
    elements: { O: 3, H: 0 },
    stress: false,
  });
  assertEquals(Object.keys(feeds).sort(), [
    "F",
    "atoms",
    "edge_index",
    "energy0",
    "energy_target",
    "r",
    "species",
  ]);
  assertEquals(feeds.species!.data, int64(3, 0, 0));
  const none = await first([row], { names: { energy: null, forces: null, stress: null } });
  assertEquals("energy_target" in none.feeds, false);
});

Deno.test("atomsData() takes the energies of free atoms off, in double precision", async () => {
  // Alone, neither energy has a place for the difference in single precision.
  const atoms: SystemInput = { ...row, energy: -54321.015625 * 3 + 1 / 1024 };
  const { feeds } = await first([atoms], {
    elementEnergies: { O: -54321.015625, H: -54321.015625 },
  });
  assertEquals(feeds.energy_target!.data, Float32Array.of(1 / 1024));
});

Deno.test("atomsData() reads what is learned from fields and from info, as an extxyz file has it", async () => {
  const file = [
    "2",
    'Lattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3:dft:R:3 REF=-3.5 w="1 2 3 4 5 6 7 8 9"',
    "H 0 0 0 1 2 3",
    "H 1 0 0 4 5 6",
  ].join("\n");
  const systems = parseExtxyz(file);
  const told = { energy: "REF", forces: "dft", stress: "w" } as const;
  const source = atomsData(systems, { ...plain, cutoff: 2, ...told });
  const { energy_target: energy, forces_target: forces, stress_target: stress } =
    (await gathered(source))[0]!.feeds;
  assertEquals(energy, { data: Float32Array.of(-3.5), dims: [1] });
  assertEquals(forces!.data, Float32Array.of(1, 2, 3, 4, 5, 6));
  assertEquals(stress!.data, Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9));
  const six: SystemInput = { ...row, info: { w: [11, 22, 33, 23, 13, 12] } };
  const full = Float32Array.of(11, 12, 13, 12, 22, 23, 13, 23, 33);
  assertEquals((await first([six], { stress: "w" })).feeds.stress_target!.data, full);
});

Deno.test("atomsData() learns what every system has, and asks what is to be done when some have it", async () => {
  const { energy: _energy, ...without } = row;
  const bare: SystemInput = { symbols: ["H"], positions: [0, 0, 0] };
  assertEquals("energy_target" in (await first([bare, bare])).feeds, false);
  const make = (systems: SystemInput[], options = {}) => () =>
    atomsData(systems, { ...plain, cutoff: 1, ...options });
  assertThrows(
    make([row, row, without]),
    RangeError,
    'system 2 does not have "energy" (a finite number). If the field has another name, pass energy: "<name>"; ' +
      "to leave it out, pass energy: false; to give systems without it the weight 0, pass partial: true",
  );
  assertThrows(make([bare, row]), RangeError, "system 0 does not have");
  const unknown: SystemInput = { ...row, forces: [1, 2, 3, 4, 5, NaN, 7, 8, 9] };
  assertThrows(make([row, unknown]), RangeError, "three finite numbers per atom");
  assertThrows(make([bare], { energy: "REF" }), RangeError, 'does not have "REF"');
  const text: SystemInput = { ...bare, info: { REF: "three" } };
  assertThrows(make([text], { energy: "REF" }), RangeError, "system 0 does not have");
  const { feeds } = await first([row, without], { energy: false });
  assertEquals(["energy_target" in feeds, "forces_target" in feeds], [false, true]);
});

Deno.test("atomsData() splits by atoms: parts are whole systems, each graph counted from 0", async () => {
  const sizes = [8, 1, 1, 1, 1, 4];
  const systems = sizes.map((size, k): SystemInput => ({
    symbols: new Array(size).fill("Ar"),
    positions: Array.from({ length: size }, (_, i) => [i, k, 0]),
    energy: k,
  }));
  const source = atomsData(systems, { batchSize: 6, shuffle: false, cutoff: 1.2 });
  const [batch] = await gathered(source);
  const parts = source.split!(batch!, 2);
  assertEquals(parts.map(({ size, tokens }) => [size, tokens]), [[1, 8], [5, 8]]);
  const alone = atomsData(systems.slice(1), { batchSize: 5, shuffle: false, cutoff: 1.2 });
  assertEquals(parts[1], (await gathered(alone))[0]);
  const energies = (count: number) =>
    source.split!(batch!, count).map(({ feeds }) => Array.from(feeds.energy_target!.data, Number));
  assertEquals(energies(3), [[0], [1, 2, 3], [4, 5]]);
  assertEquals(energies(6), [[0], [1], [2], [3], [4], [5]]);
  assertEquals(energies(1), [[0, 1, 2, 3, 4, 5]]);
  const last = systems.toReversed().slice(1).map((system, k) => ({ ...system, energy: k }));
  const heavy = atomsData(last, { batchSize: 5, shuffle: false, cutoff: 1.2 });
  const sizesOf = (parts: readonly TrainingBatch[]) => parts.map(({ size }) => size);
  assertEquals(sizesOf(heavy.split!((await gathered(heavy))[0]!, 4)), [2, 1, 1, 1]);
  // Known by its tensors, whatever else was put around them.
  assertEquals(source.split!({ ...batch!, tokens: 1 }, 2).length, 2);
  const other = { ...batch!, feeds: { ...batch!.feeds } };
  assertThrows(() => source.split!(other, 2), TypeError, "must come from this source");
});

Deno.test("atomsData() takes a batch, and gives the same bytes for the same seed", async () => {
  const crystal = fcc({ element: "Ar", a: 5.26, cells: 1 });
  const systems = [1, 2, 3, 4, 5].map((seed) => rattle(crystal, 0.2, seed));
  const make = (given: Batch | typeof systems) =>
    atomsData(given, { batchSize: 2, seed: 9, cutoff: 6 });
  const one = await gathered(make(systems), 3);
  assertEquals(await gathered(make(Batch.from(systems)), 3), one);
  assert(one[0]!.feeds.edge_index!.dims![1]! > 100);
});

Deno.test("atomsData() says what is wrong with its options and its systems", () => {
  const bad = (
    options: object,
    kind: ErrorConstructor,
    message: string,
    systems: unknown = [row],
  ) =>
    assertThrows(
      () => atomsData(systems as SystemInput[], { ...plain, cutoff: 2, ...options } as never),
      kind,
      message,
    );
  bad(
    { cutoff: undefined },
    TypeError,
    "cutoff must be a finite number above 0 (Å); got undefined",
  );
  bad({ cutoff: 0 }, RangeError, "cutoff must be a finite number above 0 (Å); got 0");
  bad({ reach: 3 }, RangeError, "at most its cutoff, 2 Å; got 3");
  bad({ reach: -1 }, RangeError, "the option reach must be above 0");
  bad({ names: { z: "z" } }, TypeError, 'got "z"');
  bad(
    { names: { numbers: "positions" } },
    TypeError,
    "names.numbers must be a unique name of a tensor",
  );
  bad({ names: { numbers: "" } }, TypeError, 'got ""');
  bad({ energy: true }, TypeError, "energy must be a string; got true");
  bad(
    { elements: ["C", "H"] },
    RangeError,
    "it must know every element; it knows C, H, and atom 0 of system 0 is O",
  );
  bad(
    { elements: { O: 0.5 } },
    TypeError,
    "the option elements.O must be a whole number",
  );
  bad({ elements: ["Qx"] }, RangeError, '"Qx"');
  bad(
    { elementEnergies: { H: -1 } },
    RangeError,
    "it must know the energy of every atom; it knows H, and atom 0 of system 0 is O",
  );
  bad({ elementEnergies: { O: NaN } }, RangeError, "elementEnergies.O must be a finite number");
  bad({}, RangeError, "must have at least one sample; got 0", []);
  bad({}, TypeError, "systems must be an iterable of systems; got 3", 3);
  bad({}, RangeError, "make data of atoms (system 1)", [row, { ...row, positions: [0, 0, 0] }]);
});

Deno.test("structures far from the origin are fed as exactly as near it: edges are as long", async () => {
  const near = rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1);
  const batch = Batch.from([near]);
  batch.set("positions", batch.get("positions").map((x) => x + 1e6));
  const lengths = async (system: System) => {
    const { feeds } = await first([system], { cutoff: 4, invariant: true });
    const [x, index, shifts] = [feeds.positions!, feeds.edge_index!, feeds.shifts!]
      .map(({ data }) => Array.from(data as ArrayLike<number | bigint>, Number));
    const count = index!.length / 2;
    return Array.from(
      { length: count },
      (_, e) =>
        Math.hypot(
          ...[0, 1, 2].map((k) =>
            x![3 * index![count + e]! + k]! - x![3 * index![e]! + k]! + shifts![3 * e + k]!
          ),
        ),
    ).sort((a, b) => a - b);
  };
  const [here, there] = [await lengths(near), await lengths(batch.system(0))];
  assertEquals(there.length, here.length);
  for (const [i, length] of here.entries()) assertAlmostEquals(there[i]!, length, 5e-6);
});

Deno.test("without invariant positions are fed as they are, and refused where float32 is inexact", async () => {
  const at = (x: number) => new System({ symbols: ["Ar"], positions: [x, 0, 0] });
  const fed = async (x: number, invariant: boolean) =>
    (await first([at(x)], { cutoff: 4, invariant })).feeds.positions!.data[0];
  assertEquals([await fed(900, false), await fed(900, true)], [900, 0]);
  assertThrows(
    () => atomsData([at(0), at(1001)], { cutoff: 4, batchSize: 1 }),
    RangeError,
    "atom 0 of system 1",
  );
});

/** A frame as files have them, and one that lacks all but an energy. */
const whole = { ...row, cell: [2, 3, 4], info: { REF_weight: 0.25 } };
const bare = { symbols: ["H"], positions: [0, 0, 0], energy: 3 };

Deno.test("with partial: true what a system lacks is 0 and has weight 0", async () => {
  const { feeds } = await first([whole, bare], { partial: true });
  assertEquals(feeds.energy_weight, { data: Float32Array.of(1, 1), dims: [2] });
  assertEquals(feeds.forces_weight, { data: Float32Array.of(1, 1, 1, 0), dims: [4] });
  assertEquals(feeds.stress_weight, { data: Float32Array.of(1, 0), dims: [2] });
  assertEquals(feeds.forces_target!.data, Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0));
  const stress = [11, 12, 13, 12, 22, 23, 13, 23, 33];
  assertEquals(feeds.stress_target!.data, Float32Array.of(...stress, ...Array(9).fill(0)));
  const none = await first([bare], { partial: true, batchSize: 1 });
  assertEquals(none.feeds.stress_weight!.data, Float32Array.of(0));
  const plain = await first([whole, row]);
  assert(!("energy_weight" in plain.feeds), "no weights unless they are asked for");
});

Deno.test("weights of systems are one number, or their own", async () => {
  const { feeds } = await first([whole, bare], { partial: true, weight: "REF_weight" });
  assertEquals(feeds.energy_weight!.data, Float32Array.of(0.25, 1));
  assertEquals(feeds.forces_weight!.data, Float32Array.of(0.25, 0.25, 0.25, 0));
  const all = await first([whole, row], { weight: 0.5, names: { forcesWeight: "wf" } });
  assertEquals(all.feeds.wf!.data, new Float32Array(6).fill(0.5));
  assertThrows(() => atomsData([row], { ...plain, cutoff: 1, weight: -1 }), RangeError, "weight");
  const wrong = { ...row, info: { w: 0 } };
  const options = { ...plain, cutoff: 1, weight: "w" };
  assertThrows(() => atomsData([wrong], options), RangeError, '"w" of system 0');
});

Deno.test("a virial is −V σ; a stress goes before it, and a system without a volume is named", async () => {
  const virial = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((x) => 24 * x);
  const { stress: _, ...rest } = whole;
  const of = { ...rest, info: { REF_virial: virial } };
  const { feeds } = await first([of], { virial: "REF_virial", batchSize: 1 });
  assertEquals(feeds.stress_target!.data, Float32Array.of(-1, -2, -3, -4, -5, -6, -7, -8, -9));
  const both = await first([{ ...whole, info: { REF_virial: virial } }], { virial: "REF_virial" });
  assertEquals(both.feeds.stress_target!.data[0], 11);
  const six = { ...of, info: { REF_virial: [24, 48, 72, 96, 120, 144] } };
  const voigt = await first([six], { virial: "REF_virial" });
  assertEquals(
    voigt.feeds.stress_target!.data,
    Float32Array.of(-1, -6, -5, -6, -2, -4, -5, -4, -3),
  );
  const { cell: __, ...flat } = of;
  const options = { ...plain, cutoff: 1, virial: "REF_virial" };
  assertThrows(() => atomsData([flat], options), RangeError, "but its cell has no volume");
});

Deno.test("a key that no system has is an error, with partial: true too", () => {
  const options = { ...plain, cutoff: 1, partial: true, stress: "REF_stres" };
  assertThrows(() => atomsData([row, bare], options), RangeError, "none of 2 systems has");
  assertThrows(
    () => atomsData([whole, bare], { ...plain, cutoff: 1 }),
    RangeError,
    "system 1 does not have",
  );
});

Deno.test("replayed systems are mixed into each epoch at their ratio and weight, all as often", async () => {
  const dimer = (energy: number) => ({ symbols: ["H"], positions: [0, 0, 0], energy });
  const own = [1, 2, 3, 4].map(dimer), old = [10, 20, 30].map(dimer);
  const replay = { systems: old, ratio: 0.5, weight: 0.25, elementEnergies: { H: 5 } };
  const options = { cutoff: 1, batchSize: 4, elementEnergies: { H: 1 }, seed: 3, replay };
  const source = atomsData(own, options);
  assertEquals(source.length, 2); // 4 + 2 systems
  const seen = new Map<number, number>();
  for (let epoch = 0; epoch < 6; epoch++) {
    const batches = await Array.fromAsync(source.batches(epoch, 0));
    const energies = batches.flatMap(({ feeds }) => Array.from(feeds.energy_target!.data, Number));
    const weights = batches.flatMap(({ feeds }) => Array.from(feeds.energy_weight!.data, Number));
    assertEquals(energies.filter((_, i) => weights[i] === 1).sort(), [0, 1, 2, 3]);
    const replayed = energies.filter((_, i) => weights[i] === 0.25);
    assertEquals(replayed.length, 2);
    for (const energy of replayed) seen.set(energy, (seen.get(energy) ?? 0) + 1);
    const later = await Array.fromAsync(source.batches(epoch, 1));
    assertEquals(later.map(({ feeds }) => feeds), batches.slice(1).map(({ feeds }) => feeds));
  }
  assertEquals(new Map([...seen].sort(([a], [b]) => a - b)), new Map([[5, 4], [15, 4], [25, 4]]));
});

Deno.test("replay that cannot be is refused", () => {
  const of = (replay: object) => () =>
    atomsData([row], { ...plain, cutoff: 1, replay: { systems: [row], ...replay } });
  assertThrows(of({ ratio: 0 }), RangeError, "replay.ratio");
  assertThrows(of({ systems: [] }), RangeError, "replay must have at least one system");
  assertThrows(of({ weight: -1 }), RangeError, "weight");
  assertThrows(of({ systems: [{ symbols: ["H"], positions: [0, 0, 0] }] }), RangeError, "replay");
  assertThrows(of({ rate: 1 }), TypeError, "rate");
});
