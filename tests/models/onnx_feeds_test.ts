/** Inputs of models, value by value. */
import { assertEquals, assertThrows } from "@std/assert";
import { bindingsOf, type OnnxInputBinding } from "../../src/models/onnx/bindings.ts";
import { ChosenSystems } from "../../src/models/onnx/parts/chosen_systems.ts";
import type { OnnxDerivedFrom } from "../../src/models/onnx/derived_inputs.ts";
import { type FeedRules, PartFeeds } from "../../src/models/onnx/feeds.ts";
import type { OnnxInput } from "../../src/models/onnx/manifest/manifest.ts";
import { INPUTS } from "../../src/models/onnx/manifest/meanings.ts";
import { formOf } from "../../src/models/onnx/manifest/shapes.ts";
import { type OnnxArrays, OnnxPart, paddedCount } from "../../src/models/onnx/onnx_part.ts";
import type { HostFeed, TensorDtype, TensorInfo } from "../../src/onnx/session/session_tensor.ts";

/** Two systems with 2 and 3 atoms, and 2 and 4 edges; the second has one triplet. */
const OFFSETS = Int32Array.of(0, 2, 5);
const CONSTANTS = {
  numbers: Int32Array.of(1, 8, 6, 1, 7),
  masses: [1.5, 16, 12, 1.5, 14],
  pbc: [0, 0, 0, 1, 1, 0],
  systemOfNode: Int32Array.of(0, 0, 1, 1, 1),
  nodeOffsets: OFFSETS,
  infos: [],
  atomicNumbers: [],
};
const ARRAYS: OnnxArrays = {
  active: Int32Array.of(1, 1),
  positions: Float32Array.from({ length: 15 }, (_, i) => i),
  cell: Float64Array.of(...Array(9).fill(0), 4, 0, 0, 1, 5, 0, 0, 0, 0),
  charges: Float32Array.of(0.5, -0.5, 0.25, 0.5, -0.75),
  lists: {
    counts: Int32Array.of(6, 1),
    index: Int32Array.of(0, 1, 2, 2, 3, 4, 0, 0, /* to */ 1, 0, 3, 4, 2, 2, 0, 0),
    shifts: Float32Array.of(
      0,
      0,
      0,
      0,
      0,
      0,
      5,
      5,
      0,
      -4,
      0,
      0,
      -5,
      -5,
      0,
      4,
      0,
      0,
      ...Array(6).fill(9),
    ),
    systems: Int32Array.of(0, 0, 1, 1, 1, 1, 0, 0),
    centers: Int32Array.of(2, 0, 0),
    triplets: Int32Array.of(2, 6, 6, /* and */ 3, 6, 6),
  },
};

type Shape = readonly (number | string)[];

/** Returns one input for the systems `from` to `to`. */
function fed(
  meaning: OnnxInput,
  dtype: TensorDtype,
  shape: Shape,
  { from = 0, to = 2, padding = true, perAngstrom = 1 } = {},
): { data: number[]; dims: readonly number[] } {
  const tensor: TensorInfo = { name: "x", dtype, shape };
  const form = formOf(INPUTS[meaning], tensor);
  const input: OnnxInputBinding = { tensor, meaning, form, reason: "" };
  const feed = feedsOf([input], { from, to, padding, perAngstrom })["x"] as HostFeed;
  return {
    data: Array.from(feed.data as ArrayLike<number | bigint>, Number),
    dims: feed.dims!,
  };
}

function feedsOf(
  inputs: readonly OnnxInputBinding[],
  { from = 0, to = 2, padding = true, perAngstrom = 1 } = {},
  more: Partial<FeedRules> = {},
) {
  const bindings = bindingsOf(inputs, [], {});
  const model = { name: "a model", bindings, constants: {}, derived: {}, perAngstrom, ...more };
  const part = new OnnxPart(OFFSETS, from, to, padding && bindings.padding !== false);
  return new PartFeeds(model, part, CONSTANTS).fill(ARRAYS);
}

Deno.test("constants have the type and form of the model's inputs", () => {
  assertEquals(fed("numbers", "int64", ["N"]), { data: [1, 8, 6, 1, 7], dims: [5] });
  assertEquals(fed("numbers", "float32", ["N", 1]), { data: [1, 8, 6, 1, 7], dims: [5, 1] });
  assertEquals(fed("masses", "float32", ["N"]), { data: [1.5, 16, 12, 1.5, 14], dims: [5] });
  assertEquals(fed("batchIndex", "int64", ["N"]), { data: [0, 0, 1, 1, 1], dims: [5] });
  assertEquals(fed("systems", "float32", ["B"]), { data: [0, 0], dims: [2] });
  assertEquals(fed("systemSizes", "int32", ["B"]), { data: [2, 3], dims: [2] });
  assertEquals(fed("systemOffsets", "int64", ["C"]), { data: [0, 2, 5], dims: [3] });
  assertEquals(fed("nodeCount", "int64", []), { data: [5], dims: [] });
  assertEquals(fed("systemCount", "int64", [1]), { data: [2], dims: [1] });
  assertEquals(fed("pbc", "bool", ["B", 3]), { data: [0, 0, 0, 1, 1, 0], dims: [2, 3] });
});

Deno.test("moving inputs are in the model's unit of length", () => {
  const inNm = fed("positions", "float64", ["N", 3], { perAngstrom: 0.5 });
  assertEquals(inNm, { data: Array.from({ length: 15 }, (_, i) => i / 2), dims: [5, 3] });
  assertEquals(fed("positions", "float32", [1, "N", 3], { from: 1 }).dims, [1, 3, 3]);
  const cell = [...Array(9).fill(0), 8, 0, 0, 2, 10, 0, 0, 0, 0];
  assertEquals(fed("cell", "float32", ["B", 3, 3], { perAngstrom: 2 }), {
    data: cell,
    dims: [2, 3, 3],
  });
  assertEquals(fed("cell", "float32", ["C", 3]).dims, [6, 3]);
  assertEquals(fed("charges", "float32", ["N"]).data, [0.5, -0.5, 0.25, 0.5, -0.75]);
});

Deno.test("edges are rows or pairs, padded with edges from atom 0 to itself, far away", () => {
  const none = { padding: false };
  const rows = [0, 1, 2, 2, 3, 4, 1, 0, 3, 4, 2, 2];
  assertEquals(fed("edges", "int64", [2, "E"], none), { data: rows, dims: [2, 6] });
  const pairs = [0, 1, 1, 0, 2, 3, 2, 4, 3, 2, 4, 2];
  assertEquals(fed("edges", "int32", ["E", 2], none), { data: pairs, dims: [6, 2] });
  const zeros = Array(10).fill(0);
  const padded = [...rows.slice(0, 6), ...zeros, ...rows.slice(6), ...zeros];
  assertEquals(fed("edges", "int64", [2, "E"]), { data: padded, dims: [2, 16] });
  assertEquals(fed("edges", "int64", ["E", 2]), {
    data: [...pairs, ...zeros, ...zeros],
    dims: [16, 2],
  });
  assertEquals(fed("edgeSources", "int64", ["E"]).data, [...rows.slice(0, 6), ...zeros]);
  assertEquals(fed("edgeTargets", "int64", ["E"]).data, [...rows.slice(6), ...zeros]);
  assertEquals(fed("edgeBatchIndex", "int32", ["E"]).data, [0, 0, 1, 1, 1, 1, ...zeros]);
  assertEquals(fed("edgeCount", "int64", []).data, [16]);
  const shifts = fed("shifts", "float32", ["E", 3], { perAngstrom: 2 });
  assertEquals(shifts.dims, [16, 3]);
  assertEquals(shifts.data.slice(6, 21), [10, 10, 0, -8, 0, 0, -10, -10, 0, 8, 0, 0, 200, 0, 0]);
});

Deno.test("shifts in lattice vectors are integers, also in cells that are periodic along some vectors only", () => {
  const whole = [0, 0, 0, 0, 0, 0, 1, 1, 0, -1, 0, 0, -1, -1, 0, 1, 0, 0];
  for (const dtype of ["int64", "int32", "float32"] as const) {
    const { data, dims } = fed("cellShifts", dtype, ["E", 3]);
    assertEquals(dims, [6, 3]); // not padded: no lattice vector is long enough
    assertEquals(data.map((value) => value + 0), whole);
  }
});

Deno.test("triplets of the padding are two edges of the padding", () => {
  const fill = Array(15);
  assertEquals(fed("tripletCenters", "int64", ["T"]).data, [2, ...fill.fill(0)]);
  const { data, dims } = fed("tripletEdges", "int64", [2, "T"]);
  assertEquals(dims, [2, 16]);
  assertEquals(data, [2, ...fill.fill(6), 3, ...fill.fill(6)]);
  assertEquals(fed("tripletEdges", "int64", ["T", 2], { padding: false }).data, [2, 3]);
});

Deno.test("the inputs of one system are counted from 0", () => {
  const second = { from: 1, padding: false };
  assertEquals(fed("numbers", "int64", ["N"], second).data, [6, 1, 7]);
  assertEquals(fed("batchIndex", "int64", ["N"], second).data, [0, 0, 0]);
  assertEquals(fed("systemOffsets", "int64", ["C"], second).data, [0, 3]);
  assertEquals(fed("edges", "int64", [2, "E"], second).data, [0, 0, 1, 2, 1, 2, 0, 0]);
  assertEquals(fed("edgeBatchIndex", "int64", ["E"], second).data, [0, 0, 0, 0]);
  assertEquals(fed("tripletCenters", "int64", ["T"], second).data, [0]);
  assertEquals(fed("tripletEdges", "int64", [2, "T"], second).data, [0, 1]);
  assertEquals(fed("cell", "float32", [3, 3], second), {
    data: [4, 0, 0, 1, 5, 0, 0, 0, 0],
    dims: [3, 3],
  });
  assertEquals(fed("pbc", "bool", [3], second), { data: [1, 1, 0], dims: [3] });
  const first = { to: 1, padding: false };
  assertEquals(fed("edges", "int64", [2, "E"], first).data, [0, 1, 1, 0]);
  assertEquals(fed("tripletEdges", "int64", [2, "T"], first), { data: [], dims: [2, 0] });
});

Deno.test("custom functions receive atoms, edges and triplets, and return inputs of any type", () => {
  const tensor: TensorInfo = { name: "bonds", dtype: "int64", shape: ["K", 2] };
  const input = { tensor, meaning: "derived", form: undefined, reason: "" } as const;
  let told: OnnxDerivedFrom | undefined;
  const derive = (from: OnnxDerivedFrom) => {
    told = from;
    return { data: [0, 1, -1, 2], dims: [2, 2] };
  };
  const feeds = feedsOf([input], { padding: false }, { derived: { bonds: derive } });
  assertEquals(feeds["bonds"], { data: BigInt64Array.of(0n, 1n, -1n, 2n), dims: [2, 2] });
  const { nodeCount, systemCount, edgeCount, tripletCount, ...arrays } = told!;
  assertEquals([nodeCount, systemCount, edgeCount, tripletCount], [5, 2, 6, 1]);
  assertEquals([...arrays.numbers], [1, 8, 6, 1, 7]);
  assertEquals([...arrays.edgeTargets], [1, 0, 3, 4, 2, 2]);
  assertEquals([...arrays.systemOffsets], [0, 2, 5]);
  assertEquals([...arrays.tripletEdges], [2, 3]);
  assertEquals(arrays.positions[14], 14);
  const wrong: readonly [unknown, string][] = [
    [{ data: [1], dims: [2] }, "must return 2 numbers; got 1"],
    [[1, 2], "must return { data, dims }"],
  ];
  for (const [answer, message] of wrong) {
    const fails = { derived: { bonds: () => answer as never } };
    assertThrows(() => feedsOf([input], {}, fails), Error, message);
  }
});

Deno.test("custom constants fill the shape of their input", () => {
  const constant = (shape: Shape, value: number | number[]) => {
    const tensor: TensorInfo = { name: "c", dtype: "float32", shape };
    const input = { tensor, meaning: "constant", form: undefined, reason: "" } as const;
    return feedsOf([input], {}, { constants: { c: value } })["c"];
  };
  assertEquals(constant([], 3), { data: Float32Array.of(3), dims: [] });
  assertEquals(constant([2, 2], 3), { data: Float32Array.of(3, 3, 3, 3), dims: [2, 2] });
  assertEquals(constant(["K", 2], [1, 2, 3, 4]), {
    data: Float32Array.of(1, 2, 3, 4),
    dims: [2, 2],
  });
  assertThrows(() => constant([3], [1, 2]), RangeError, "must fit its shape [3]; got 2 numbers");
});

Deno.test("padded lists are longer by at least one, and by at most an eighth if they are long", () => {
  assertEquals([0, 15, 16, 255, 256, 2047].map(paddedCount), [16, 16, 32, 256, 288, 2048]);
  for (let count = 0; count < 1e5; count += 7) {
    const padded = paddedCount(count);
    if (!(padded > count && padded <= count + 16 + count / 8)) {
      throw new Error(`${count} ${padded}`);
    }
  }
  const lengths = new Set(Array.from({ length: 1000 }, (_, i) => paddedCount(3000 + i)));
  assertEquals(lengths.size, 5);
});

Deno.test("the inputs for chosen systems are those of a batch that has no others", () => {
  const inputs = Object.entries(INPUTS).flatMap(([meaning, { forms }]) =>
    forms.map((form, i): OnnxInputBinding => {
      const dtype = meaning === "edges" ? "int64" : "float32";
      const tensor: TensorInfo = { name: `${meaning} ${i}`, dtype, shape: form.map(String) };
      return { tensor, meaning: meaning as OnnxInput, form, reason: "" };
    })
  );
  const bindings = bindingsOf(inputs, [], { nearest: 2, triplets: "ordered" });
  const model = { name: "a model", bindings, constants: {}, derived: {}, perAngstrom: 1 };
  for (const s of [0, 1]) {
    const chosen = new ChosenSystems(CONSTANTS, Int32Array.of(1 - s, s)), { constants } = chosen;
    const own = new PartFeeds(model, new OnnxPart(constants.nodeOffsets, 0, 1), constants);
    const part = new PartFeeds(model, new OnnxPart(OFFSETS, s, s + 1), CONSTANTS);
    assertEquals(own.fill(chosen.arrays(ARRAYS)), part.fill(ARRAYS));
  }
});
