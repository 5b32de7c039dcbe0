import { assert, assertEquals, assertGreater } from "@std/assert";
import fc from "fast-check";
import { Batch, fcc, rattle, wrapPositions } from "../../src/batch/mod.ts";
import {
  buildNeighborList,
  NeighborList,
  type NeighborSource,
} from "../../src/batch/neighbors/mod.ts";
import {
  bruteForce,
  cutoffs,
  halfOf,
  plainSystems,
  type Row,
  rowsOfEdges,
  rowsOfMatrix,
} from "./neighbors_brute.ts";

const dimer = { symbols: ["Ar", "Ar"], positions: [[0, 0, 0], [3, 0, 0]] };
const chain = {
  symbols: ["Ar"],
  positions: [0, 0, 0],
  cell: [4, 0, 0, 0, 0, 0, 0, 0, 0],
  pbc: [true, false, false],
};

/** The same numbers in every run, between −1 and 1. */
function noise(seed: number): () => number {
  let state = seed;
  return () => (state = (1103515245 * state + 12345) % 2 ** 31) / 2 ** 30 - 1;
}

const edgesOf = (list: NeighborList) => rowsOfEdges(list.current);

Deno.test("a dimer and a chain by hand: edges, half of them, and a matrix", () => {
  const batch = Batch.from([chain, dimer]);
  const full: Row[] = [[0, 0, -1, 0, 0], [0, 0, 1, 0, 0], [1, 2, 0, 0, 0], [2, 1, 0, 0, 0]];
  const { count, edges, shifts, edgeOffsets } = buildNeighborList(batch, { cutoff: 4.5 });
  assertEquals(count, 4);
  assertEquals([...edges], [0, 0, 1, 2, 0, 0, 2, 1]);
  assertEquals([...shifts], [-1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
  assertEquals([...edgeOffsets], [0, 2, 4]);
  assertEquals(rowsOfEdges(buildNeighborList(batch, { cutoff: 4.5, half: true })), [
    full[1]!,
    full[2]!,
  ]);
  const matrix = buildNeighborList(batch, { cutoff: 4.5, format: "matrix", maxNeighbors: 3 });
  assertEquals([...matrix.neighbors], [0, 0, 3, 2, 3, 3, 1, 3, 3]);
  assertEquals([...matrix.counts], [2, 1, 1]);
  assertEquals([...matrix.shifts.subarray(0, 12)], [-1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
});

Deno.test("a pair at exactly the cutoff is no pair, whatever the skin", () => {
  const batch = Batch.from([dimer]);
  for (const skin of [0, 0.5]) {
    assertEquals(new NeighborList({ cutoff: 3, skin }).update(batch).count, 0);
    assertEquals(new NeighborList({ cutoff: 3 + 1e-12, skin }).update(batch).count, 2);
  }
});

Deno.test("rounding far from the origin loses no pair, whatever the skin", () => {
  const random = noise(4);
  for (let turn = 0; turn < 300; turn++) {
    const place = () => Math.round(1e5 * random()) * 4.1 + random();
    const positions = Array.from({ length: 6 }, place);
    const batch = Batch.from([{ symbols: ["Ar", "Ar"], positions, cell: [4.1, 4.1, 4.1] }]);
    const { shifts } = buildNeighborList(batch, { cutoff: 4 });
    const square = [0, 1, 2].reduce((sum, d) => {
      const n = shifts[shifts.length / 2 - 3 + d]!;
      return sum + (positions[3 + d]! - positions[d]! + n * 4.1) ** 2;
    }, 0);
    // The pair that decides is closer than this by no more than a rounding.
    const cutoff = Math.sqrt(square) * (1 + 2 ** -52);
    const thick = new NeighborList({ cutoff, skin: 1 });
    assertEquals(
      rowsOfEdges(buildNeighborList(batch, { cutoff })),
      rowsOfEdges(thick.update(batch)),
    );
  }
});

Deno.test("crystals have the neighbors that textbooks give", () => {
  const argon = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 1 })]);
  const shells: [cutoff: number, neighbors: number][] = [[5.2, 12], [5.3, 18], [8.5, 78]];
  for (const [cutoff, neighbors] of shells) {
    const { counts } = buildNeighborList(argon, { cutoff, format: "matrix" });
    assertEquals([...counts], Array(4).fill(neighbors));
  }
});

Deno.test("lists are those of brute force, for any cells, periodicities, cutoffs and formats", () => {
  const systems = fc.array(plainSystems(5), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(systems, cutoffs, fc.boolean(), (systems, cutoff, half) => {
      const batch = Batch.from(systems);
      const all = bruteForce(batch, cutoff);
      const expected = half ? halfOf(all) : all;
      assertEquals(rowsOfEdges(buildNeighborList(batch, { cutoff, half })), expected);
      assertEquals(
        rowsOfMatrix(buildNeighborList(batch, { cutoff, half, format: "matrix" })),
        expected,
      );
    }),
    { numRuns: 150 },
  );
});

Deno.test("lists of many atoms are those of brute force too", () => {
  fc.assert(
    fc.property(plainSystems(110), (system) => {
      const cell = system.cell.map((x) => 4 * x);
      const batch = Batch.from([{ ...system, cell }]);
      assertEquals(rowsOfEdges(buildNeighborList(batch, { cutoff: 4 })), bruteForce(batch, 4));
    }),
    { numRuns: 15 },
  );
});

Deno.test("as atoms walk and are wrapped, a list is at each step the one built anew", () => {
  const walk = fc.tuple(
    fc.array(plainSystems(5), { minLength: 1, maxLength: 3 }),
    cutoffs,
    fc.boolean(),
    fc.integer({ min: 1, max: 1e6 }),
  );
  fc.assert(
    fc.property(walk, ([systems, cutoff, half, seed]) => {
      const batch = Batch.from(systems);
      const random = noise(seed);
      const edges = new NeighborList({ cutoff, half });
      const matrix = new NeighborList({ cutoff, half, format: "matrix" });
      for (let step = 0; step < 12; step++) {
        const positions = batch.get("positions");
        for (let i = 0; i < positions.length; i++) positions[i]! += random() / 8;
        if (step % 4 === 3) wrapPositions(batch);
        const anew = rowsOfEdges(buildNeighborList(batch, { cutoff, half }));
        assertEquals(rowsOfEdges(edges.update(batch)), anew);
        assertEquals(rowsOfMatrix(matrix.update(batch)), anew);
      }
      assert(edges.builds.every((builds) => builds <= 12));
    }),
    { numRuns: 40 },
  );
});

Deno.test("pairs are searched only for the system that changed, and no sooner than they must be", () => {
  const batch = Batch.from([dimer, chain, { ...dimer, cell: [9, 9, 9] }]);
  const list = new NeighborList({ cutoff: 4.5, skin: 1 });
  const builds = () => {
    list.update(batch);
    return list.builds;
  };
  assertEquals(builds(), [1, 1, 1]);
  assertEquals(builds(), [1, 1, 1]);
  batch.get("positions")[3]! += 0.5;
  assertEquals(builds(), [1, 1, 1]);
  batch.get("positions")[3]! += 1e-9;
  assertEquals(builds(), [2, 1, 1]);
  batch.get("cell")[9] = 4.25;
  assertEquals(builds(), [2, 2, 1]);
  batch.get("cell")[13] = 7; // along a direction that is not periodic
  assertEquals(builds(), [2, 2, 1]);
  batch.get("pbc")[7] = 0;
  assertEquals(builds(), [2, 2, 2]);
  batch.get("positions")[6]! -= 0.6;
  assertEquals(builds(), [2, 3, 2]);
});

Deno.test("wrapping by whole vectors searches nothing, and changes shifts by what it took off", () => {
  const crystal = rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1);
  const batch = Batch.from([crystal, crystal]);
  batch.ensure("images");
  const list = new NeighborList({ cutoff: 5 });
  const before = rowsOfEdges(list.update(batch));
  const [positions, images] = [batch.get("positions"), batch.get("images")];
  const random = noise(5);
  const cell = batch.get("cell");
  for (let i = 0; i < positions.length; i++) {
    const whole = Math.round(2 * random());
    positions[i]! -= whole * cell[4 * (i % 3)]!;
    images[i]! += whole;
  }
  const after = rowsOfEdges(list.update(batch));
  assertEquals(list.builds, [1, 1]);
  const moved = before.map(([i, j, ...n]) =>
    [i, j, ...n.map((x, k) => x + images[3 * j + k]! - images[3 * i + k]!)] as Row
  );
  assertEquals(after, moved);
  assertEquals(after, rowsOfEdges(buildNeighborList(batch, { cutoff: 5 })));
  assert(after.some((row, e) => row.some((x, k) => x !== before[e]![k])));
});

Deno.test("wrapping does not hide that an atom moved, nor is it one where nothing counts it", () => {
  const list = new NeighborList({ cutoff: 5 });
  const pair = { ...dimer, cell: [10, 10, 10], images: [0, 0, 0, 0, 0, 0] };
  const batch = Batch.from([pair]);
  list.update(batch);
  batch.get("positions")[3]! += 10; // back where it was, but counted as if it were not
  batch.get("images")[3] = 1;
  assertEquals(rowsOfEdges(list.update(batch)), [[0, 1, -1, 0, 0], [1, 0, 1, 0, 0]]);
  assertEquals(list.builds, [2]);
  const other = new NeighborList({ cutoff: 5 });
  const uncounted = Batch.from([{ ...dimer, cell: [10, 10, 10] }]);
  other.update(uncounted);
  uncounted.get("positions")[3]! += 10;
  assertEquals(rowsOfEdges(other.update(uncounted)), [[0, 1, -1, 0, 0], [1, 0, 1, 0, 0]]);
  assertEquals(other.builds, [2]);
});

Deno.test("image counters that stay are no moves, and along open directions they count nothing", () => {
  const slab = {
    symbols: ["Ar", "Ar"],
    positions: [0, 0, 0, 3, 0, 0],
    cell: [10, 10, 10],
    pbc: [true, false, false],
    images: [2, 0, 3, -1, 0, 0],
  };
  const batch = Batch.from([slab]);
  const list = new NeighborList({ cutoff: 5 });
  const expected: Row[] = [[0, 1, 0, 0, 0], [1, 0, 0, 0, 0]];
  assertEquals(rowsOfEdges(list.update(batch)), expected);
  batch.get("images")[1] = 7;
  assertEquals(rowsOfEdges(list.update(batch)), expected);
  assertEquals(list.builds, [1]);
});

Deno.test("what is known of a system follows it as others come and go", () => {
  const list = new NeighborList({ cutoff: 4.5 });
  const batch = Batch.from([dimer, chain, dimer]);
  list.update(batch);
  batch.get("positions")[0]! -= 0.4;
  list.update(batch);
  assertEquals(list.builds, [2, 1, 1]);
  batch.drop([1]);
  list.update(batch);
  assertEquals(list.builds, [2, 1]);
  assertEquals(edgesOf(list), bruteForce(batch, 4.5));
  batch.append([chain]);
  batch.put([{ ...dimer, positions: [0, 0, 0, 0, 1, 0] }], [0]);
  list.update(batch);
  assertEquals(list.builds, [1, 1, 1]);
  assertEquals(edgesOf(list), bruteForce(batch, 4.5));
  list.update(batch.select([2, 1]));
  assertEquals(list.builds, [1, 1]);
  list.update(Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0] }]));
  assertEquals([list.current.count, ...list.current.edgeOffsets], [0, 0, 0]);
});

Deno.test("arrays of an engine, in either precision, give what the batch gives", () => {
  const batch = Batch.from([rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 3), dimer]);
  for (const Real of [Float32Array, Float64Array]) {
    const source: NeighborSource = {
      nodeOffsets: batch.nodeOffsets,
      positions: Real.from(batch.get("positions")),
      cell: Real.from(batch.get("cell")),
      pbc: Int32Array.from(batch.get("pbc")),
    };
    const list = new NeighborList({ cutoff: 5 });
    assertEquals(rowsOfEdges(list.update(source)), bruteForce(batch, 5));
    source.positions[0]! += 0.2;
    assertEquals(list.update(source).count, buildNeighborList(source, { cutoff: 5 }).count);
    assertEquals(list.builds, [1, 1]);
  }
});

Deno.test("arrays of other sizes, with one id twice, or without an open cell vector are taken as they are", () => {
  const line = (xs: readonly number[], sizes: readonly number[], systemId?: Int32Array) => ({
    nodeOffsets: Int32Array.from([
      0,
      ...sizes.map((_, s) => sizes.slice(0, s + 1).reduce((a, b) => a + b)),
    ]),
    positions: Float64Array.from(xs.flatMap((x) => [x, 0, 0])),
    cell: Float64Array.from(sizes.flatMap(() => [9, 0, 0, 9, 0, 0, 0, NaN, 0])),
    pbc: Uint8Array.from(sizes.flatMap(() => [1, 0, 0])),
    systemId,
  });
  const list = new NeighborList({ cutoff: 1.5 });
  const targets = (source: NeighborSource) => {
    const { count, edges } = list.update(source);
    return [...edges.subarray(count)];
  };
  assertEquals(targets(line([0, 1], [2])), [1, 0]);
  assertEquals(targets(line([0, 1, 2], [3])), [1, 0, 2, 1]);
  assertEquals(targets(line([0, 1], [2])), [1, 0]);
  assertEquals(targets(line([0, 1, 0, 4], [2, 2], Int32Array.of(5, 6))), [1, 0]);
  assertEquals(targets(line([0, 1, 0, 4], [2, 2], Int32Array.of(5, 5))), [1, 0]);
  assertEquals(targets(line([0, 1, 0], [2, 0, 1])), [1, 0]);
  assertEquals(targets(line([], [])), []);
});

Deno.test("a matrix grows by multiples of sixteen, and keeps its width until systems change", () => {
  const loose = fcc({ element: "Ar", a: 7, cells: 2 });
  const batch = Batch.from([loose, dimer]);
  const list = new NeighborList({ cutoff: 5.5, format: "matrix" });
  assertEquals(list.update(batch).width, 16);
  const squeeze = (factor: number) => {
    for (const name of ["positions", "cell"] as const) {
      const values = batch.get(name);
      for (let i = 0; i < values.length; i++) values[i]! *= factor;
    }
    assertEquals(rowsOfMatrix(list.update(batch)), bruteForce(batch, 5.5));
    return list.current.width;
  };
  assertEquals(squeeze(0.6), 48); // 42 neighbors in three shells
  assertEquals(squeeze(1 / 0.6), 48);
  batch.drop([0]);
  assertEquals(rowsOfMatrix(list.update(batch)), [[0, 1, 0, 0, 0], [1, 0, 0, 0, 0]]);
  assertEquals(list.current.width, 16);
});

Deno.test("a matrix of a given width keeps it, or grows from it when it may", () => {
  const batch = Batch.from([dimer, fcc({ element: "Ar", a: 5.26, cells: 2 })]);
  const exact = new NeighborList({ cutoff: 4, format: "matrix", maxNeighbors: 12 });
  assertEquals(exact.update(batch).width, 12);
  assertEquals(rowsOfMatrix(exact.update(Batch.from([dimer, dimer]))).length, 4);
  assertEquals(exact.current.width, 12);
  const grown = new NeighborList({
    cutoff: 5.5,
    format: "matrix",
    maxNeighbors: 17,
    overflow: "grow",
  });
  assertEquals(grown.update(batch).width, 32);
  batch.drop([1]);
  assertEquals(grown.update(batch).width, 17);
});

Deno.test("edges and shifts go into the batch and stay with their systems", () => {
  const batch = Batch.from([chain, dimer]);
  new NeighborList({ cutoff: 4.5 }).toBatch(batch);
  assertEquals([...batch.get("edges")], [0, 0, 0, 0, 1, 2, 2, 1]);
  assertEquals([...batch.get("shifts")], [-1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
  assertEquals([...batch.edgeOffsets], [0, 2, 4]);
  batch.drop([0]);
  assertEquals([...batch.get("edges")], [0, 1, 1, 0]);
  new NeighborList({ cutoff: 1 }).toBatch(batch);
  assertEquals(batch.edgeCount, 0);
});

Deno.test("a thousand updates of a liquid need no more memory than the first few", () => {
  const batch = Batch.from([rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.3, 1), dimer]);
  const edges = new NeighborList({ cutoff: 5, skin: 0.3 });
  const matrix = new NeighborList({ cutoff: 5, skin: 0.3, format: "matrix" });
  const start = batch.get("positions").slice();
  const random = noise(9);
  const memory = new Set<ArrayBufferLike>();
  const objects = new Set<unknown>();
  const step = () => {
    const positions = batch.get("positions");
    for (let i = 0; i < positions.length; i++) positions[i] = start[i]! + 0.3 * random();
    objects.add(edges.update(batch)).add(matrix.update(batch));
    for (const values of [...Object.values(edges.current), ...Object.values(matrix.current)]) {
      if (ArrayBuffer.isView(values)) memory.add(values.buffer);
    }
  };
  for (let i = 0; i < 20; i++) step();
  memory.clear();
  for (let i = 0; i < 1000; i++) step();
  assertEquals([objects.size, memory.size], [2, 6]);
  assertGreater(edges.builds[0]!, 100);
});

Deno.test("memory for a list that grows is made now and then, not at each step", () => {
  const crystal = fcc({ element: "Ar", a: 12, cells: 3 });
  const batch = Batch.from([{ symbols: crystal.symbols, positions: crystal.positions }]);
  const list = new NeighborList({ cutoff: 12.5 });
  const counts = new Set<number>();
  const memory = new Set<ArrayBufferLike>();
  const positions = batch.get("positions");
  for (let step = 0; step < 90; step++) {
    for (let i = 0; i < positions.length; i++) positions[i]! *= 0.99;
    const { count, edges } = list.update(batch);
    counts.add(count);
    memory.add(edges.buffer);
  }
  assertGreater(counts.size, memory.size + 3);
  assertEquals(rowsOfEdges(list.current), bruteForce(batch, 12.5));
});

Deno.test("between searches not even a view is made while the number of edges stays", () => {
  const batch = Batch.from([dimer]);
  const list = new NeighborList({ cutoff: 4.5 });
  const { edges, shifts, edgeOffsets } = list.update(batch);
  batch.get("positions")[0] = 0.1;
  const again = list.update(batch);
  assert(again.edges === edges && again.shifts === shifts && again.edgeOffsets === edgeOffsets);
});
