/** Edges and triplets of edges, as graphs of atoms take them: the kernels `edges` and `triplets`. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { call } from "../../src/backend/mod.ts";
import { drift } from "../../src/kernels/integrate/drift.ts";
import { edges as edgesKernel } from "../../src/kernels/edges/edges.ts";
import { neighbors } from "../../src/kernels/pairs/neighbors.ts";
import { triplets as tripletsKernel } from "../../src/kernels/edges/triplets.ts";
import { cutoffs, type PlainSystem, plainSystems } from "../batch/neighbors_brute.ts";
import {
  asSet,
  EdgeBatch,
  type EdgeRow,
  everyEdge,
  everyTriplet,
  rowsOf,
  tripletsOf,
  withoutSides,
} from "./edge_case.ts";
import { readReference } from "../onnx/shared_models.ts";
import { Lab, onEach } from "./lab.ts";
import { uniform } from "./pair_case.ts";

const several = fc.array(plainSystems(6), { minLength: 1, maxLength: 3 });

/** A molecule: no cell, nothing periodic. */
function molecule(positions: number[]): PlainSystem {
  const numbers = Array(positions.length / 3).fill(18);
  return { numbers, positions, cell: Array(9).fill(0), pbc: [false, false, false] };
}

/** A box full of atoms, at sixteenths of Å. */
function liquid(atoms: number, edge: number, seed: number): PlainSystem {
  const random = uniform(seed);
  const positions = Array.from({ length: 3 * atoms }, () => Math.floor(16 * edge * random()) / 16);
  const numbers = Array(atoms).fill(18);
  return {
    numbers,
    positions,
    cell: [edge, 0, 0, 1, edge, 0, -2, 1, edge],
    pbc: [true, true, true],
  };
}

onEach(
  "edges() lists the same edges as a search over all images, in both directions or once",
  async (backend) => {
    await fc.assert(
      fc.asyncProperty(several, cutoffs, fc.boolean(), async (systems, cutoff, isHalf) => {
        using batch = await EdgeBatch.on(backend, systems, { cutoff, isHalf });
        const rows = rowsOf(await batch.list(), batch);
        const [own, every] = [rows, everyEdge(systems, cutoff, isHalf)].map((rows) =>
          isHalf ? withoutSides(rows) : rows
        );
        assertEquals(asSet(own!), asSet(every!));
        if (isHalf) assert(rows.every(([i, j]) => i <= j));
      }),
      { numRuns: backend === "webgpu" ? 15 : 60 },
    );
  },
);

onEach("edges() lists larger systems in a reproducible order", async (backend) => {
  const systems = [liquid(300, 14, 1), molecule([]), liquid(65, 6, 2), molecule([0, 0, 0])];
  using batch = await EdgeBatch.on(backend, systems, { cutoff: 5 });
  const listed = await batch.list();
  assertEquals(asSet(rowsOf(listed, batch)), asSet(everyEdge(systems, 5)));
  const [least, most] = [1.15 * listed.counts[0]!, 1.15 * listed.counts[0]! + 257];
  assert(least <= batch.edges.capacity && batch.edges.capacity <= most);
  assertEquals(await batch.list(), listed);
  using other = await EdgeBatch.on(backend, systems, { cutoff: 5 });
  assertEquals(await other.list(), listed);
});

onEach("edges() lists only pairs that are currently within the cutoff", async (backend) => {
  using batch = await EdgeBatch.on(backend, [molecule([0, 0, 0, 3, 0, 0])], {
    cutoff: 3.25,
    skin: 2,
  });
  const count = async (x: number) => {
    batch.lab.backend.write(batch.positions, [x], 3);
    return (await batch.list()).counts[0];
  };
  assertEquals([await count(3), await count(3.5), await count(3.25), await count(3.125)], [
    2,
    0,
    0,
    2,
  ]);
  assertEquals([...(await batch.lab.backend.savePairs(batch.pairs)).builds], [1]);
});

onEach("edges() has the shifts of current positions, also after wrapping", async (backend) => {
  const cell = [8, 0, 0, 1, 8, 0, 0, -2, 8];
  const system = { ...liquid(40, 8, 3), cell };
  const images = Array(120).fill(0);
  using batch = await EdgeBatch.on(backend, [system], { cutoff: 4, skin: 1, images });
  await batch.list();
  const positions = [...system.positions];
  for (const [a, n] of [[0, [1, 0, 0]], [7, [-1, 2, 0]], [8, [0, 0, -3]]] as const) {
    for (let k = 0; k < 3; k++) images[3 * a + k] = n[k];
    for (let d = 0; d < 3; d++) {
      positions[3 * a + d]! -= n.reduce<number>((sum, n, k) => sum + n * cell[3 * k + d]!, 0);
    }
  }
  batch.lab.backend.write(batch.positions, positions);
  batch.lab.backend.write(batch.images!, images);
  const rows = rowsOf(await batch.list(), batch);
  assertEquals(asSet(rows), asSet(everyEdge([{ ...system, positions }], 4)));
  assertEquals([...(await batch.lab.backend.savePairs(batch.pairs)).builds], [1]);
});

onEach("edges() and triplets() omit inactive systems", async (backend) => {
  const systems = [liquid(20, 7, 4), liquid(30, 7, 5), liquid(10, 6, 6)];
  const wish = { cutoff: 4, reach: 3 };
  using all = await EdgeBatch.on(backend, systems, wish);
  using some = await EdgeBatch.on(backend, systems, wish);
  await some.list();
  some.lab.backend.write(some.lab.frame.active, [1, 0, 1]);
  const [a, b] = [await all.list(), await some.list()];
  const isAwake = ([i]: EdgeRow) => i < 20 || i >= 50;
  assertEquals(rowsOf(b, some), rowsOf(a, all).filter(isAwake));
  const positions = systems.flatMap(({ positions }) => positions);
  assertEquals(
    tripletsOf(b, some).map((pair) => pair.join(" ")).sort(),
    everyTriplet(rowsOf(b, some), positions, 3),
  );
  some.lab.backend.write(some.lab.frame.active, [0, 0, 0]);
  const none = await some.list();
  assertEquals([none.counts, rowsOf(none, some), tripletsOf(none, some)], [[0, 0], [], []]);
});

onEach("edges() and triplets() of empty systems are padding", async (backend) => {
  for (const systems of [[], [molecule([])], [molecule([]), molecule([])], [molecule([1, 2, 3])]]) {
    using batch = await EdgeBatch.on(backend, systems, { cutoff: 4, reach: 4 });
    const listed = await batch.list();
    assertEquals([listed.counts, rowsOf(listed, batch), tripletsOf(listed, batch)], [
      [0, 0],
      [],
      [],
    ]);
    assertEquals([batch.edges.capacity, batch.edges.tripletCapacity], [256, 256]);
  }
});

onEach("triplets() lists each unordered pair of short edges of an atom once", async (backend) => {
  await fc.assert(
    fc.asyncProperty(several, cutoffs, async (systems, cutoff) => {
      const reach = 0.75 * cutoff;
      using batch = await EdgeBatch.on(backend, systems, { cutoff, reach });
      const listed = await batch.list();
      const rows = rowsOf(listed, batch);
      assertEquals(asSet(rows), asSet(everyEdge(systems, cutoff)));
      const own = tripletsOf(listed, batch).map((pair) => pair.join(" "));
      const positions = systems.flatMap(({ positions }) => positions);
      assertEquals(own.sort(), everyTriplet(rows, positions, reach));
    }),
    { numRuns: backend === "webgpu" ? 10 : 40 },
  );
});

// Mesa's software GPU ends the loops of a thread after 65,535 rounds in all, without a word.
onEach("triplets() lists all pairs of an atom with hundreds of short edges", async (backend) => {
  const system = { ...liquid(1, 2, 7), cell: [2, 0, 0, 0, 2, 0, 0, 0, 2] };
  using batch = await EdgeBatch.on(backend, [system], { cutoff: 10.5, reach: 10.25 });
  const listed = await batch.list();
  const rows = rowsOf(listed, batch);
  assertEquals(asSet(rows), asSet(everyEdge([system], 10.5)));
  const short = rows.filter((row) => Math.hypot(...row.slice(2)) < 10.25).length;
  assert(short > 500);
  const own = tripletsOf(listed, batch);
  assertEquals(own.length, short * (short - 1) / 2);
  assertEquals(new Set(own.map((pair) => pair.join(" "))).size, own.length);
});

onEach("lists of edges grow within a run, and their buffers stay the same", async (backend) => {
  const side = 5, atoms = side ** 3;
  const grid = Array.from({ length: atoms }, (_, i) => {
    return [i % side, Math.floor(i / side) % side, Math.floor(i / side / side)];
  }).flat().map((x) => 4 * (x - (side - 1) / 2));
  const systems = [molecule([0, 0, 0]), molecule(grid), molecule([9, 9, 9, 9, 9, 10])];
  const wish = { cutoff: 4.0625, reach: 3 };
  using batch = await EdgeBatch.on(backend, systems, wish);
  const { lab, edges, pairs, positions, cell } = batch;
  const { index, triplets } = edges;
  const pbc = lab.i32(Array(9).fill(0));
  const velocities = lab.real([0, 0, 0, ...grid.map((x) => -x / 16), ...Array(6).fill(0)]);
  const program = lab.backend.prepare(lab.frame, [
    call(drift, { positions, velocities, dt: lab.real([1, 1, 1]), fraction: 1 }),
    call(neighbors, { pairs, positions, cell, pbc }),
    call(edgesKernel, { edges, positions, cell }),
    call(tripletsKernel, { edges, positions }),
  ]);
  const room = [edges.capacity, edges.tripletCapacity];
  assertEquals(room, [256, 256]);
  assertEquals(await lab.backend.run(program, 0, 10), 10);
  const listed = await batch.look();
  assert(edges.capacity > 4096 && edges.tripletCapacity > 4096);
  assertEquals([edges.index === index, edges.triplets === triplets], [true, true]);
  assertEquals([index.length, triplets.length], [2 * edges.capacity, 2 * edges.tripletCapacity]);
  const now = [molecule([0, 0, 0]), molecule(grid.map((x) => x * 6 / 16)), systems[2]!];
  const rows = rowsOf(listed, batch);
  assertEquals(asSet(rows), asSet(everyEdge(now, 4.0625)));
  assertEquals(
    tripletsOf(listed, batch).length,
    everyTriplet(rows, now.flatMap(({ positions }) => positions), 3).length,
  );
});

onEach("edges() and triplets() of ANI-1x's molecules agree with torchani", async (backend) => {
  const { inputs } = readReference("ani1x_1");
  const bytes = (name: string) => Uint8Array.fromBase64(inputs[name]!.b64).buffer;
  const i64 = (name: string) => Array.from(new BigInt64Array(bytes(name)), Number);
  const positions = [...new Float32Array(bytes("positions"))];
  const systemOf = i64("batch_idx");
  const systems = Array.from({ length: 10 }, (_, s) => {
    return molecule(positions.filter((_, k) => systemOf[Math.floor(k / 3)] === s));
  });
  using batch = await EdgeBatch.on(backend, systems, { cutoff: 5.2, reach: 3.5 });
  const listed = await batch.list();
  const rows = rowsOf(listed, batch).map(([i, j]) => `${i} ${j}`);
  const index = i64("edge_index"), many = index.length / 2;
  const theirs = index.slice(0, many).map((i, e) => `${i} ${index[many + e]}`);
  assertEquals(rows.toSorted(), theirs.toSorted());
  const both = (edges: readonly string[], a: number, b: number) =>
    [edges[a]!, edges[b]!].sort().join(", ");
  const trips = i64("trip_edge"), count = trips.length / 2;
  assertEquals(
    tripletsOf(listed, batch).map(([a, b]) => both(rows, a, b)).sort(),
    trips.slice(0, count).map((a, t) => both(theirs, a, trips[count + t]!)).sort(),
  );
}, { needs: "models" });

onEach("edges beyond the cutoff of the pair list are rejected", async (backend) => {
  using lab = await Lab.open(backend, [1]);
  const pairs = lab.backend.pairs(lab.frame, { cutoff: 5, skin: 1 });
  const open = (cutoff: number, reach: number, isHalf = false) => () =>
    lab.backend.edges(lab.frame, { pairs, cutoff, reach, isHalf });
  for (const cutoff of [5.5, 0, NaN]) {
    assertThrows(
      open(cutoff, 0),
      RangeError,
      `at most that of the pairs, 5 Å; got ${cutoff}`,
    );
  }
  for (const reach of [5.5, -1, NaN]) {
    assertThrows(open(5, reach), RangeError, `got ${reach}`);
  }
  assertThrows(open(5, 3, true), RangeError, "half lists of edges must have reach 0; got 3");
  const far = lab.backend.pairs(lab.frame, { cutoff: 100, skin: 1 });
  assertThrows(
    () => lab.backend.edges(lab.frame, { pairs: far, cutoff: 100, reach: 0, isHalf: false }),
    RangeError,
    "below 100 Å",
  );
  const edges = open(5, 0)();
  assertEquals([edges.tripletCapacity, edges.centers.length, edges.triplets.length], [0, 0, 0]);
  lab.backend.freeEdges(edges);
  lab.backend.freeEdges(edges);
});

onEach("copies of growing lists have the values of their step", async (backend) => {
  const line = Array.from({ length: 60 }, (_, i) => [4 * i, 0, 0]).flat();
  const systems = [molecule(line), molecule([0, 0, 0, 1, 0, 0])];
  const wish = { cutoff: 9.0625, reach: 9 };
  using batch = await EdgeBatch.on(backend, systems, wish);
  const { lab, edges, pairs, positions, cell } = batch;
  const place = { positions, cell };
  const velocities = lab.real([...line.map((x) => -x / 8), ...Array(6).fill(0)]);
  const program = lab.backend.prepare(lab.frame, [
    call(drift, { positions, velocities, dt: lab.real([1, 1]), fraction: 1 }),
    call(neighbors, { pairs, ...place, pbc: lab.i32(Array(6).fill(0)) }),
    call(edgesKernel, { edges, ...place }),
    call(tripletsKernel, { edges, positions }),
  ]);
  // No step waits for the device.
  const seen = await Promise.all(Array.from({ length: 7 }, async (_, step) => {
    void lab.backend.run(program, step, 1);
    const { index, triplets, counts } = edges;
    return await Promise.all([index, triplets, counts].map((buffer) => lab.read(buffer)));
  }));
  for (const [step, [index, triplets, counts]] of seen.entries()) {
    const now = [molecule(line.map((x) => x * (7 - step) / 8)), systems[1]!];
    using fresh = await EdgeBatch.on("reference", now, wish);
    const expected = await fresh.list();
    assertEquals(counts, expected.counts);
    const sets = ([index, capacity]: [number[], number]) =>
      Array.from({ length: counts![0]! }, (_, e) => `${index[e]} ${index[capacity + e]}`).sort();
    assertEquals(sets([index!, index!.length / 2]), sets([expected.index, fresh.edges.capacity]));
    const padding = triplets!.slice(counts![1], triplets!.length / 2);
    assertEquals([...new Set(padding)], [counts![0]]);
  }
  assert(edges.capacity > 1024 && edges.tripletCapacity > 1024);
});
