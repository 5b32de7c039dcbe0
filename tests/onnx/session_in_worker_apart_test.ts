/** Sessions in workers: what hangs there is ended and started again. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { BackendUnavailableError } from "../../src/backend/mod.ts";
import { openSession, openSessionInWorker } from "../../src/onnx/mod.ts";
import { slow, slowTest, test } from "../suite.ts";
import { withTimeouts } from "../timers.ts";
import { gpuTest } from "./gpu.ts";
import { BREAKS, HANGS } from "./hanging_worker.ts";
import { DOUBLE, farWeight, modelOf, node, unary, value } from "./tiny_model.ts";

const row = (...data: number[]) => ({ x: { data: Float32Array.from(data), dims: [1, 3] } });

const hanging = () =>
  new Worker(new URL("./hanging_worker.ts", import.meta.url), { type: "module" });

test("a session in a worker gives the same results and errors", async () => {
  using session = await openSessionInWorker(DOUBLE, { name: "double.onnx" });
  assertEquals([session.name, session.device, session.restarts], ["double.onnx", "wasm", 0]);
  assertEquals(session.inputs, [{ name: "x", dtype: "float32", shape: ["N", 3] }]);
  assertEquals(session.outputs.map(({ name }) => name), ["y"]);
  const feeds = row(1, 2, 3);
  const { y } = await session.run(feeds, ["y"]);
  assertEquals(y, {
    location: "host",
    dtype: "float32",
    dims: [1, 3],
    data: Float32Array.of(2, 4, 6),
  });
  // What was fed is still here.
  assertEquals(feeds.x.data, Float32Array.of(1, 2, 3));
  await assertRejects(
    () => session.run({}),
    TypeError,
    "Cannot run double.onnx: input x is required",
  );
  await assertRejects(
    () => session.run({ x: { data: new Float32Array(3) } }),
    RangeError,
    "[N, 3]",
  );
  await assertRejects(() => session.run(row(1, 2, 3), ["q"]), TypeError, "unknown output q");
  await assertRejects(() => openSessionInWorker(unary("Wobble")), SyntaxError, "Wobble (node .y)");
  await assertRejects(() => openSessionInWorker("no.onnx"), Error, "ENOENT");
  await assertRejects(() => openSessionInWorker(DOUBLE, { threads: 0 }), RangeError, "threads");
  const checked = await openSessionInWorker(unary("Sqrt"), { checkFinite: true });
  await assertRejects(() => checked.run(row(1, -1, 1)), RangeError, "y[1] must be finite; got NaN");
  checked.dispose();
  await assertRejects(() => checked.run(row(1, 1, 1)), Error, "disposed of");
});

test("a worker has its own number of threads, and no additional permissions", async () => {
  await using here = await openSession(DOUBLE);
  const threads = here.threads + 1;
  const far = modelOf({
    nodes: [node("Add", ["x", "w"], ["y"])],
    inputs: [value("x", "float32", ["N", 3])],
    outputs: [value("y", "float32", ["N", 3])],
    weights: [farWeight("w", [1, 3], { location: "w.bin" })],
  });
  const externalData = { "w.bin": new Uint8Array(Float32Array.of(10, 20, 30).buffer) };
  const wasmFile = new URL("ort-wasm-simd-threaded.wasm", import.meta.resolve("onnxruntime-web"));
  using session = await openSessionInWorker(far, { threads, externalData, wasmFile });
  assertEquals(session.threads, threads);
  assertEquals((await session.run(row(1, 2, 3)))["y"]!.data, Float32Array.of(11, 22, 33));
});

test("a worker that hangs is terminated, its calls are rejected, and the next call starts another", async () => {
  const timeout = 77_777;
  using session = await openSessionInWorker(DOUBLE, { timeout, worker: hanging, name: "d.onnx" });
  assertEquals((await session.run(row(1, 2, 3)))["y"]!.data, Float32Array.of(2, 4, 6));
  let ticks = 0;
  const timer = setInterval(() => ticks++, 10);
  const calls = await withTimeouts(
    timeout,
    () => ticks > 20,
    () => Promise.allSettled([session.run(row(HANGS, 0, 0)), session.run(row(4, 5, 6))]),
  );
  clearInterval(timer);
  for (const call of calls) {
    assert(call.status === "rejected");
    const error = call.reason;
    assert(error instanceof BackendUnavailableError);
    assertEquals([error.reason, error.backend, error.during], ["hung", "wasm", "run"]);
    assertStringIncludes(
      error.message,
      "Cannot run d.onnx: run 2 got no reply within 77777 ms",
    );
  }
  assertEquals((await session.run(row(7, 8, 9)))["y"]!.data, Float32Array.of(14, 16, 18));
  assertEquals(session.restarts, 1);
});

slowTest("a worker that failed or was restarted is replaced by the next call", async () => {
  using session = await openSessionInWorker(DOUBLE, { worker: hanging });
  const error = await assertRejects(() => session.run(row(BREAKS, 0, 0)), BackendUnavailableError);
  assertEquals(error.reason, "broken");
  assertStringIncludes(error.message, "broken down");
  assertEquals((await session.run(row(1, 2, 3)))["y"]!.data, Float32Array.of(2, 4, 6));
  const hung = session.run(row(HANGS, 0, 0));
  setTimeout(() => session.restart(), 50);
  assertEquals((await assertRejects(() => hung, BackendUnavailableError)).reason, "hung");
  assertEquals((await session.run(row(1, 2, 3)))["y"]!.data, Float32Array.of(2, 4, 6));
  assertEquals(session.restarts, 2);
});

test("a session leaves the program's own workers as they are", async () => {
  const before = Worker;
  await using session = await openSession(DOUBLE);
  assertEquals(session.threads > 0, true);
  assert(Worker === before);
});

slowTest("40 queued runs do not count as a worker without a reply", async () => {
  using session = await openSessionInWorker(DOUBLE);
  const runs = Array.from({ length: 40 }, (_, i) => session.run(row(i, 0, 1)));
  for (const [i, { y }] of (await Promise.all(runs)).entries()) {
    assertEquals(y!.data, Float32Array.of(2 * i, 0, 2));
  }
});

test("opening in a worker can be aborted", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const opening = openSessionInWorker(DOUBLE, {
    signal: controller.signal,
    worker: () => new Worker("data:text/javascript,", { type: "module" }), // never answers
  });
  setTimeout(() => controller.abort(reason), 50);
  assertEquals(await assertRejects(() => opening), reason);
});

slow(gpuTest)("a worker runs on a GPU", async () => {
  using session = await openSessionInWorker(DOUBLE, { device: "webgpu", cpuFallback: false });
  assertEquals((await session.run(row(1, 2, 3)))["y"]!.data, Float32Array.of(2, 4, 6));
  session.restart();
  assertEquals((await session.run(row(4, 5, 6)))["y"]!.data, Float32Array.of(8, 10, 12));
});
