/**
 * Runs a model on two threads, and leaves its session open: the program of threads_slow_test.ts.
 *
 * @module
 */

import { dataOf, type HostFeed, openSession, withForces } from "../../src/onnx/mod.ts";
import { readModel, readReference, type ReferenceTensor } from "./shared_models.ts";

function feedOf({ type, dims, b64 }: ReferenceTensor): HostFeed {
  const { buffer } = Uint8Array.fromBase64(b64);
  return { dims, data: type === "int64" ? new BigInt64Array(buffer) : new Float32Array(buffer) };
}

async function runDouble(bytes: string): Promise<void> {
  const session = await openSession(Uint8Array.fromBase64(bytes), { threads: 2 });
  const outputs = await session.run({ x: { data: Float32Array.of(1, 2, 3), dims: [1, 3] } });
  console.log(JSON.stringify([...dataOf(outputs, "y", "float32")]));
}

async function runPotential(name: string): Promise<void> {
  const { inputs, outputs } = readReference(name);
  const session = await openSession(withForces(readModel(`${name}_e.onnx`)).bytes, { threads: 2 });
  const feeds = Object.fromEntries(
    Object.entries(inputs).map(([input, tensor]) => [input, feedOf(tensor)]),
  );
  const expected = new Float64Array(Uint8Array.fromBase64(outputs["forces"]!.b64).buffer);
  let worst = 0;
  // A sum that loses summands is wrong in one run of three.
  for (let i = 0; i < 10; i++) {
    const forces = dataOf(await session.run(feeds), "forces", "float32");
    worst = expected.reduce((most, f, at) => Math.max(most, Math.abs(f - forces[at]!)), worst);
  }
  console.log(JSON.stringify({ threads: session.threads, worst }));
}

if (import.meta.main) {
  const [name = "", bytes = ""] = Deno.args;
  await (name === "double" ? runDouble(bytes) : runPotential(name));
}
