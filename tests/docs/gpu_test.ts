/** docs/gpu.md against the devices, reasons and hosts that it lists. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { Batch, NVE } from "../../mod.ts";
import { ALL_DEVICES, openBackend, type UnavailableReason } from "../../src/backend/mod.ts";
import { OnnxModel } from "../../src/models/onnx.ts";
import type { OnnxManifest } from "../../src/models/onnx/manifest/manifest.ts";
import { matchTensors } from "../../src/models/onnx/manifest/match.ts";
import { hostReason } from "../../src/models/onnx/open_on_gpu.ts";
import { gpuForm } from "../../src/onnx/mod.ts";
import { UnsupportedNodeError } from "../../src/onnx/graph/unsupported_node_error.ts";
import type { TensorDtype, TensorInfo } from "../../src/onnx/session/session_tensor.ts";
import { testOnGpu } from "../backend/gpu.ts";
import { modelOf, node, value } from "../onnx/tiny_model.ts";
import { tablesOf } from "./tables.ts";
import { slow, test } from "../suite.ts";

const PAGE = await Deno.readTextFile(new URL("../../docs/gpu.md", import.meta.url));
const table = tablesOf(PAGE);

test("docs/gpu.md has every device with its precision, and every reason for having none", () => {
  const rows = table("device").map((row) => row.map((cell) => cell.replaceAll('"', "")));
  assertEquals(rows.map(([name]) => name).toSorted(), [...ALL_DEVICES].toSorted());
  for (const name of ["wasm", "reference"]) {
    const [, , numbers] = rows.find(([one]) => one === name)!;
    assertEquals(numbers!.split(",")[0], `float${openBackend(name).real.slice(1)}`);
  }
  const reasons = {
    absent: 0,
    lost: 0,
    memory: 0,
    hung: 0,
    limits: 0,
    broken: 0,
  } satisfies Record<
    UnavailableReason,
    number
  >;
  assertEquals(
    table("reason", 1).map(([name]) => name!.replaceAll('"', "")),
    Object.keys(reasons),
  );
});

/** `"pos float32 N 3"` */
function tensor(text: string): TensorInfo {
  const [name, dtype, ...lengths] = text.split(" ");
  const shape = lengths.map((length) => /^\d+$/.test(length) ? Number(length) : length);
  return { name: name!, dtype: dtype as TensorDtype, shape };
}

const GRAPH = [
  "positions float32 N 3",
  "z int64 N",
  "edge_index int64 2 E",
  "shifts float32 E 3",
  "batch_idx int64 N",
];

/**
 * Returns the reason why the host must run the model for two systems; `undefined` if it need not. Inputs replace
 * those of the same name.
 */
function why(
  inputs: readonly string[],
  outputs: readonly string[] = [],
  manifest: OnnxManifest = {},
  derived: readonly string[] = [],
): string | undefined {
  const named = (text: string) => text.split(" ")[0]!;
  const kept = GRAPH.filter((text) => !inputs.some((one) => named(one) === named(text)));
  const bindings = matchTensors({
    name: "x.onnx",
    manifest,
    by: () => "the options",
    derived,
    inputs: [...kept, ...inputs].map(tensor),
    outputs: ["energy float32 B", "forces float32 N 3", ...outputs].map(tensor),
  });
  return hostReason(bindings, 2);
}

/** A reason → ways to have it. */
const REASONS: Record<string, (string | undefined)[]> = {
  "the model takes one system at a time, and the batch has several": [
    why([], [], { batch: "single" }),
  ],
  "the lists of the model are not padded (padding: false, cellShifts)": [
    why([], [], { padding: false }),
    why(["shifts int64 E 3"]),
  ],
  "a function computes an input (derived)": [why(["mask float32 N"], [], {}, ["mask"])],
  "an input has another layout or type: edges as pairs or in two tensors, pbc, edgeCount, float64":
    [
      why(["edge_index int64 E 2"]),
      why(["edge_src int64 E", "edge_dst int64 E"]),
      why(["n_edges int64"]),
      why(["positions float64 N 3"]),
    ],
  "an output has another layout: virial, a stress of six numbers, custom fields": [
    why([], ["virial float32 B 9"]),
    why([], ["stress float32 B 6"]),
    why([], ["q float32 N"], { outputs: { charges: "q" } }),
  ],
};

test("each reason that docs/gpu.md has for a model that the host runs is one", () => {
  assertEquals(why([], ["stress float32 B 9"]), undefined);
  const rows = table("reason", 0).map(([reason]) => reason!);
  const [padding, files, operators, fails, ...more] = rows.filter((reason) => !(reason in REASONS));
  assertEquals(rows.filter((reason) => reason in REASONS), Object.keys(REASONS));
  for (const [reason, found] of Object.entries(REASONS)) {
    for (const [i, one] of found.entries()) assertEquals(typeof one, "string", `${reason} ${i}`);
  }
  // These depend on the file itself.
  assertStringIncludes(padding!, "change its results");
  assertStringIncludes(files!, "weights are in other files");
  assertStringIncludes(operators!, "cannot be rewritten");
  assertStringIncludes(fails!, "first run there fails");
  assertEquals(more, []);
});

test("what opset 18 to 21 can be rewritten for a GPU, and others cannot", () => {
  const model = (opset: number) =>
    modelOf({
      opset,
      nodes: [node("Neg", ["x"], ["forces"])],
      inputs: [value("x", "float32", ["N", 3])],
      outputs: [value("forces", "float32", ["N", 3])],
    });
  const isRewritten = (opset: number) => {
    try {
      return gpuForm(model(opset)).length > 0;
    } catch (error) {
      if (error instanceof UnsupportedNodeError || error instanceof RangeError) return false;
      throw error;
    }
  };
  assertEquals([17, 18, 21, 22].map(isRewritten), [false, true, true, false]);
});

slow(testOnGpu)(
  "a model of an opset that cannot be rewritten is run by the host, and says so",
  async () => {
    for (const opset of [17, 22]) {
      const bytes = modelOf({
        opset,
        nodes: [node("Neg", ["x"], ["forces"]), node("Neg", ["e"], ["energy"])],
        inputs: [value("x", "float32", ["N", 3]), value("e", "float32", ["B"])],
        outputs: [value("forces", "float32", ["N", 3]), value("energy", "float32", ["B"])],
      });
      await using model = await OnnxModel.open(bytes, { inputs: { systems: "e" } });
      const batch = Batch.from([{ symbols: ["H"], positions: [1, 2, 3] }]);
      await using md = new NVE({ model, dt: 1, device: "webgpu" });
      await md.run(batch, 0);
      assertEquals([...batch.get("forces")], [-1, -2, -3]);
      assertStringIncludes(
        model.describe(),
        `on the host instead of WebGPU: its opset is ${opset}`,
      );
    }
  },
);
