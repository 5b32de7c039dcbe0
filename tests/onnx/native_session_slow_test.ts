/** Sessions over onnxruntime-node: same results, same errors, and a clear choice between native code and WebAssembly. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { OnnxModel } from "@hooke/hooke/models/onnx";
import {
  dataOf,
  lennardJonesModel,
  openSession,
  openSessionInWorker,
  type SessionOptions,
} from "@hooke/hooke/onnx";
import { DOUBLE, farWeight, modelOf, node, value } from "./tiny_model.ts";

const NATIVE: SessionOptions = { runtime: "native" };
const ROW = { x: { data: Float32Array.of(1, 2, 3), dims: [1, 3] } };

Deno.test("a native session computes, says what it is, and reports wrong calls as a web session does", async () => {
  for (const threads of [1, 2]) {
    await using session = await openSession(DOUBLE, { ...NATIVE, threads });
    assertEquals([session.device, session.note, session.threads], ["native", "", threads]);
    assertEquals([...dataOf(await session.run(ROW), "y", "float32")], [2, 4, 6]);
    const into = new Float32Array(3);
    await session.run(ROW, { y: { data: into } });
    assertEquals([...into], [2, 4, 6]);
    const shared = new Float32Array(new SharedArrayBuffer(12));
    shared.set([4, 5, 6]);
    const outputs = await session.run({ x: { data: shared, dims: [1, 3] } });
    assertEquals([...dataOf(outputs, "y", "float32")], [8, 10, 12]);
    await assertRejects(() => session.run({}), TypeError, "input x is required");
    const wide = { x: { data: new Float32Array(4), dims: [1, 4] } };
    await assertRejects(() => session.run(wide), RangeError, "must have the shape");
  }
  const closed = await openSession(DOUBLE, NATIVE);
  await closed.dispose();
  await closed.dispose();
  await assertRejects(() => closed.run(ROW), Error, "disposed of");
});

Deno.test("a native session refuses files that are no models, and operators that do not exist", async () => {
  await assertRejects(() => openSession(new Uint8Array(9), NATIVE), SyntaxError);
  const strange = modelOf({
    nodes: [node("Mulle", ["x"], ["y"])],
    inputs: [value("x", "float32", [3])],
    outputs: [value("y", "float32", [3])],
  });
  const error = await assertRejects(() => openSession(strange, NATIVE), SyntaxError, "Mulle");
  assert(error.cause instanceof Error);
});

Deno.test("a native session refuses unknown outputs with the error of a web session", async () => {
  const options = { ...NATIVE, outputs: { nope: "host" } } as const;
  await assertRejects(() => openSession(DOUBLE, options), RangeError, "unknown output nope");
});

Deno.test("a native session takes weights from other files", async () => {
  const far = modelOf({
    nodes: [node("Add", ["x", "w"], ["y"])],
    inputs: [value("x", "float32", [3])],
    outputs: [value("y", "float32", [3])],
    weights: [farWeight("w", [3], { location: "w.bin", offset: "0", length: "12" })],
  });
  const externalData = { "w.bin": new Uint8Array(Float32Array.of(10, 20, 30).buffer) };
  await using session = await openSession(far, { ...NATIVE, externalData });
  const outputs = await session.run({ x: { data: Float32Array.of(1, 2, 3), dims: [3] } });
  assertEquals([...dataOf(outputs, "y", "float32")], [11, 22, 33]);
});

Deno.test("a native session runs in a worker", async () => {
  using session = await openSessionInWorker(DOUBLE, { ...NATIVE, timeout: 60_000 });
  assertEquals(session.device, "native");
  const { y } = await session.run(ROW);
  assertEquals(y!.data, Float32Array.of(2, 4, 6));
});

Deno.test("a potential describes the runtime that computes it", async () => {
  const argon = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
  await using native = await OnnxModel.open(argon, { runtime: "native" });
  assert(native.describe().includes("on the CPU: onnxruntime-node (native code), 1 thread"));
  await using web = await OnnxModel.open(argon, { runtime: "auto" });
  assert(
    web.describe().includes(
      "on the CPU: onnxruntime-web (WebAssembly), 1 thread; onnxruntime-node is not used",
    ),
  );
});
