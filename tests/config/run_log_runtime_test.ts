/** The runtime of ONNX models in run logs. */
import { assertEquals } from "@std/assert";
import { Batch, fcc } from "@hooke/hooke/batch";
import { NVE } from "@hooke/hooke/dynamics";
import { type Model, sum, tethers } from "@hooke/hooke/models";
import { OnnxModel } from "@hooke/hooke/models/onnx";
import { lennardJonesModel } from "@hooke/hooke/onnx";
import { runLog, type RunStart } from "@hooke/hooke/runs";

const GRAPH = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });

/** Returns the runtime that the log of a run with this model names. */
async function loggedRuntime(model: Model, device: "wasm" | "reference"): Promise<unknown> {
  const lines: string[] = [];
  const log = runLog({ write: (line) => void lines.push(line), commit: "unknown" });
  await using md = new NVE({ model, dt: 1, device, hooks: [log] });
  await md.run(Batch.from([fcc({ element: "Ar", a: 5.26, cells: 1 })]), 0);
  return (JSON.parse(lines[0]!) as RunStart).runtime;
}

Deno.test("a run log names the runtime of an ONNX model, and why native code is not used", async () => {
  await using auto = await OnnxModel.open(GRAPH, { name: "argon" });
  const expected = "onnxruntime-web (WebAssembly), 1 thread; " +
    "onnxruntime-node is not used: the package onnxruntime-node is not installed";
  assertEquals(await loggedRuntime(auto, "wasm"), expected);
  assertEquals(await loggedRuntime(sum(auto, tethers({ stiffness: 0.1 })), "wasm"), expected);
  await using web = await OnnxModel.open(GRAPH, { name: "argon", runtime: "web" });
  assertEquals(await loggedRuntime(web, "wasm"), "onnxruntime-web (WebAssembly), 1 thread");
  await using slow = await OnnxModel.open(GRAPH, { name: "argon", runtime: "evaluator" });
  assertEquals(await loggedRuntime(slow, "wasm"), "the evaluator (TypeScript), 1 thread");
});

Deno.test("a run log names no runtime if kernels compute the model, or on another device", async () => {
  assertEquals(await loggedRuntime(tethers({ stiffness: 0.1 }), "wasm"), undefined);
  await using web = await OnnxModel.open(GRAPH, { name: "argon", runtime: "web" });
  assertEquals(await loggedRuntime(web, "reference"), undefined);
});
