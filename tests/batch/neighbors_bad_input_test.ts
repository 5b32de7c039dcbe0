import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { Batch, fcc } from "../../src/batch/mod.ts";
import {
  buildNeighborList,
  NeighborList,
  type NeighborListOptions,
  type NeighborSource,
} from "../../src/batch/neighbors/mod.ts";

const atom = { symbols: ["Ar"], positions: [0, 0, 0] };
const box = { ...atom, symbols: ["Ar", "Ar"], positions: [0, 0, 0, 3, 0, 0], cell: [9, 9, 9] };

/** The message of the error, which must be of this kind. */
function refusal(kind: ErrorConstructor, run: () => unknown): string {
  const { name, message } = assertThrows(run, kind);
  assertEquals(name, kind.name);
  return message;
}

Deno.test("options that cannot be are named", () => {
  const bad: [options: unknown, kind: ErrorConstructor, message: string][] = [
    [undefined, TypeError, "its options must be an object; got undefined"],
    [{}, TypeError, "cutoff must be a number; got undefined"],
    [{ cutoff: "5" }, TypeError, 'cutoff must be a number; got "5"'],
    [{ cutoff: 0 }, RangeError, "cutoff must be above 0 and finite; got 0"],
    [{ cutoff: Infinity }, RangeError, "cutoff must be above 0 and finite"],
    [{ cutoff: NaN }, RangeError, "cutoff must be above 0 and finite"],
    [{ cutoff: 5, skin: -1 }, RangeError, "skin must be 0 or more and finite; got -1"],
    [
      { cutoff: 5, format: "csr" },
      RangeError,
      'format must be "coo" or "matrix"; got "csr"',
    ],
    [{ cutoff: 5, half: 1 }, RangeError, "half must be true or false; got 1"],
    [{ cutoff: 5, skim: 1 }, TypeError, 'overflow; got "skim"'],
    [
      { cutoff: 5, maxNeighbors: 3 },
      TypeError,
      'maxNeighbors must be left out unless format is "matrix"; got 3',
    ],
    [
      { cutoff: 5, format: "matrix", maxNeighbors: 1.5 },
      RangeError,
      "maxNeighbors must be a positive integer",
    ],
    [
      { cutoff: 5, format: "matrix", overflow: "drop" },
      RangeError,
      'overflow must be "grow" or "throw"',
    ],
    [
      { cutoff: 5, format: "matrix", overflow: "throw" },
      TypeError,
      "maxNeighbors is required with overflow",
    ],
  ];
  for (const [options, kind, message] of bad) {
    const made = () => new NeighborList(options as NeighborListOptions<"coo">);
    assertStringIncludes(refusal(kind, made), message);
  }
});

Deno.test("positions and cells that are no numbers are named, and the list is as it was", () => {
  const batch = Batch.from([atom, box]);
  const list = new NeighborList({ cutoff: 4 });
  list.update(batch);
  const broken: [name: "positions" | "cell", at: number, value: number, message: string][] = [
    ["positions", 7, NaN, "positions of atom 1 of system 1 must be finite"],
    ["positions", 7, -Infinity, "got [3, -Infinity, 0]"],
    [
      "positions",
      3,
      1e8,
      "atom 0 of system 1 must be finite and within 1048576 cells of the origin",
    ],
    ["positions", 2, NaN, "atom 0 of system 0"],
    ["positions", 2, Infinity, "atom 0 of system 0"],
    ["cell", 9, 0, "the cell vector a of system 1 must not be zero along a periodic direction"],
    ["cell", 13, NaN, "the cell vectors of system 1 must be finite and span a volume"],
    ["cell", 12, Infinity, "the cell vectors of system 1"],
    [
      "cell",
      13,
      0.01,
      "opposite faces of the cell of system 1 must be at least 0.0703 Å apart, 1/64",
    ],
  ];
  for (const [name, at, value, message] of broken) {
    const values = batch.get(name);
    const before = values[at]!;
    values[at] = value;
    assertStringIncludes(refusal(RangeError, () => list.update(batch)), message);
    values[at] = before;
    assertEquals([...list.current.edges], [1, 2, 2, 1]);
    assertEquals([...list.update(batch).edges], [1, 2, 2, 1]);
  }
});

Deno.test("a singular cell is refused", () => {
  const batch = Batch.from([box]);
  batch.get("cell").set([9, 0, 0, 0, 9, 0, 9, 9, 0]);
  const message = refusal(RangeError, () => buildNeighborList(batch, { cutoff: 4 }));
  assertStringIncludes(message, "the cell vectors of system 0 must be finite and span a volume");
});

Deno.test("an atom with more neighbors than the matrix may have is named, and the matrix is as it was", () => {
  const batch = Batch.from([box, fcc({ element: "Ar", a: 7, cells: 2 })]);
  const list = new NeighborList({ cutoff: 4, format: "matrix", maxNeighbors: 3 });
  const before = [...list.update(batch).neighbors];
  const positions = batch.get("positions");
  for (let i = 0; i < 3; i++) for (let d = 0; d < 3; d++) positions[3 * (10 + i) + d] = 0.1 * i;
  positions.set([0, 0, 0], 3 * 9);
  positions.set([0.05, 0, 0], 3 * 13);
  const message = refusal(RangeError, () => list.update(batch));
  assertEquals(
    message,
    'Cannot list neighbors: atom 0 of system 1 must have at most 3 neighbors (maxNeighbors); got 5. Pass a larger maxNeighbors, or overflow: "grow"',
  );
  assertEquals([...list.current.neighbors], before);
});

Deno.test("arrays that are no fields of a batch are named", () => {
  const good: NeighborSource = {
    nodeOffsets: Int32Array.of(0, 2),
    positions: new Float64Array(6),
    cell: new Float64Array(9),
    pbc: new Uint8Array(3),
  };
  const bad: [change: unknown, kind: ErrorConstructor, message: string][] = [
    [
      { positions: new Float64Array(5) },
      RangeError,
      "positions must have 6 values; got 5",
    ],
    [
      { positions: [0, 0, 0, 1, 1, 1] },
      TypeError,
      "positions must be a Float64Array or Float32Array",
    ],
    [{ cell: new Float32Array(3) }, RangeError, "cell must have 9 values; got 3"],
    [{ pbc: [1, 1, 1] }, TypeError, "pbc must be a Uint8Array or Int32Array"],
    [{ images: new Int32Array(2) }, RangeError, "images must have 6 values; got 2"],
    [
      { systemId: new Int32Array(2) },
      RangeError,
      "systemId must have 1 values; got 2",
    ],
    [
      { nodeOffsets: undefined },
      TypeError,
      "nodeOffsets must be an Int32Array; got undefined",
    ],
    [{ nodeOffsets: Int32Array.of(1, 2) }, RangeError, "must begin with 0 and not decrease"],
    [{ nodeOffsets: Int32Array.of(0, 3, 2) }, RangeError, "got [0, 3, 2]"],
    [{ nodeOffsets: new Int32Array() }, RangeError, "must begin with 0"],
  ];
  const list = new NeighborList({ cutoff: 4 });
  for (const [change, kind, message] of bad) {
    const source = { ...good, ...change as object };
    assertStringIncludes(refusal(kind, () => list.update(source)), message);
  }
  for (const nothing of [null, 5] as unknown as Batch[]) {
    assertStringIncludes(
      refusal(TypeError, () => list.update(nothing)),
      "must be a batch, or arrays of its fields",
    );
  }
  assertEquals(list.update(good).count, 2);
});

Deno.test("a batch under an engine is read from the engine's arrays only, and a matrix does not go into a batch", () => {
  const batch = Batch.from([box]);
  const list = new NeighborList({ cutoff: 4 });
  const fields = new Set(["positions"]);
  batch.attach({ by: "NVE", fields, fetch: () => Promise.resolve(new Float64Array(6)) });
  assertStringIncludes(refusal(Error, () => list.update(batch)), "NVE");
  batch.detach();
  const matrix = new NeighborList({ cutoff: 4, format: "matrix" });
  // @ts-expect-error only edges go into a batch
  const write = () => matrix.toBatch(batch);
  assertStringIncludes(
    refusal(TypeError, write),
    'must be a Batch and the format "coo"; got "matrix"',
  );
  assertStringIncludes(refusal(TypeError, () => list.toBatch(5 as unknown as Batch)), "got 5");
  // @ts-expect-error only a matrix has a width
  assertThrows(() => new NeighborList({ cutoff: 4, maxNeighbors: 3 }));
});
