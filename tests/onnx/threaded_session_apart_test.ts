/** Sessions with several threads in Deno: each in a worker, with memory that does not grow. */
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { BackendUnavailableError } from "../../src/backend/mod.ts";
import { dataOf, type HostFeed, openSession } from "../../src/onnx/mod.ts";
import { withFixedMemory } from "../../src/onnx/session/fixed_memory.ts";
import { explain } from "../../src/onnx/session/session_errors.ts";
import { slowTest, test } from "../suite.ts";
import { DOUBLE, modelOf, node, value } from "./tiny_model.ts";

const row = (...data: number[]) => ({ x: { data: Float32Array.from(data), dims: [1, 3] } });

/** y = the sum of as many ones as two sizes say. */
const ONES = modelOf({
  nodes: [node("Expand", ["x", "s"], ["h"]), node("ReduceSum", ["h"], ["y"])],
  inputs: [value("x", "float32", [1]), value("s", "int64", [2])],
  outputs: [value("y", "float32", [1, 1])],
});

test("two threads give the same results and errors as one", async () => {
  await using session = await openSession(DOUBLE, {
    threads: 2,
    name: "d.onnx",
    checkFinite: true,
  });
  assertEquals([session.name, session.threads, session.device], ["d.onnx", 2, "wasm"]);
  assertEquals(session.inputs, [{ name: "x", dtype: "float32", shape: ["N", 3] }]);
  assertEquals([...session.outline.operators.keys()], ["Add"]);
  // A view of a large buffer is sent without the rest of it.
  const data = new Float32Array(1000).subarray(500, 503);
  data.set([1, 2, 3]);
  const y = new Float32Array(3);
  const outputs = await session.run({ x: { data, dims: [1, 3] } }, { y: { data: y } });
  assert(dataOf(outputs, "y", "float32") === y);
  assertEquals(y, Float32Array.of(2, 4, 6));
  await assertRejects(() => session.run({}), TypeError, "input x is required");
  await assertRejects(
    () => session.run(row(NaN, 0, 0)),
    RangeError,
    "y[0] must be finite; got NaN",
  );
  await assertRejects(
    () => session.run(row(1, 2, 3), { y: { data: new Float32Array(2) } }),
    RangeError,
    "must have 3 values",
  );
  const onGpu = { x: { buffer: {}, dims: [1, 3] } as unknown as HostFeed };
  await assertRejects(() => session.run(onGpu), TypeError, "x must be in host memory");
  await session.dispose();
  await assertRejects(() => session.run(row(1, 2, 3)), Error, "disposed of");
});

slowTest(
  "too little memory for threads is an error that names the option, and the session stays usable",
  async () => {
    await using session = await openSession(ONES, { threads: 2, threadMemory: 2 ** 26 });
    const run = (rows: bigint) =>
      session.run({ x: { data: Float32Array.of(1) }, s: { data: BigInt64Array.of(rows, 1024n) } });
    const error = await assertRejects(() => run(32_768n), BackendUnavailableError);
    assertEquals(error.reason, "memory");
    assertStringIncludes(error.message, "Pass a larger threadMemory (now 67108864 bytes)");
    assertEquals(dataOf(await run(1024n), "y", "float32"), Float32Array.of(2 ** 20));
  },
);

test("only the runtime's shared memory gets a fixed size, and only while it starts", async () => {
  const { Memory } = WebAssembly;
  const shared = { initial: 1, maximum: 65_536, shared: true };
  const [fixed, other, own] = await withFixedMemory(2 ** 20 + 1, () =>
    Promise.resolve([
      new WebAssembly.Memory(shared),
      new WebAssembly.Memory({ initial: 1, maximum: 3, shared: true }),
      new WebAssembly.Memory({ initial: 1 }),
    ]));
  assertEquals(fixed!.buffer.byteLength, 17 * 65_536);
  assertThrows(() => fixed!.grow(1), RangeError);
  assertEquals([other!.grow(1), own!.grow(1)], [1, 1]);
  await assertRejects(() => withFixedMemory(2 ** 20, () => Promise.reject(new Error("no"))));
  assert(WebAssembly.Memory === Memory);
});

test("memory that cannot be reserved is an error that names the option", () => {
  const cause = new Error(
    "no available backend found. ERR: [wasm] RangeError: WebAssembly.Memory(): could not allocate memory",
  );
  const refused = {
    name: "d.onnx",
    device: "wasm",
    during: "load",
    threadMemory: 2 ** 31,
  } as const;
  const error = explain(cause, refused);
  assert(error instanceof BackendUnavailableError);
  assertEquals(error.reason, "memory");
  assertStringIncludes(error.message, "Pass a smaller threadMemory (now 2147483648 bytes)");
});
