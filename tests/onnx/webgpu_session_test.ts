/** The door on WebGPU: buffers in and out on one device, capture, and what happens when the device goes. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { BackendUnavailableError, openGpuDevice } from "../../src/backend/mod.ts";
import {
  checkSession,
  compareSessions,
  createTensorBuffer,
  dataOf,
  type GpuTensor,
  openSession,
  type Session,
  withRuntime,
} from "../../src/onnx/mod.ts";
import { fast, slow } from "../suite.ts";
import { gpuTest, readBuffer } from "./gpu.ts";
import { attribute, DOUBLE, modelOf, node, unary, value, weight } from "./tiny_model.ts";

const rows = (...values: number[]) => ({
  data: Float32Array.from(values),
  dims: [values.length / 3, 3],
});

const F32 = { dtype: "float32", dims: [1, 3] } as const;

/** A buffer with these numbers. */
function bufferOf(device: GPUDevice, ...values: number[]): GPUBuffer {
  const buffer = createTensorBuffer(device, { dtype: "float32", dims: [values.length] });
  device.queue.writeBuffer(buffer, 0, Float32Array.from(values));
  return buffer;
}

/** The output, which must be on the GPU. */
async function runToGpu(session: Session, buffer: GPUBuffer): Promise<GpuTensor> {
  const { y } = await session.run({ x: { buffer, dims: [1, 3] } });
  assert(y?.location === "gpu");
  return y;
}

/** y = x backwards, z = x as a column: a plain copy, of which a recording knows nothing. */
const STALE = modelOf({
  nodes: [
    node("ScatterElements", ["zeros", "at", "x"], ["y"], {
      attributes: [attribute("axis", 0)],
    }),
    node("Reshape", ["x", "shape"], ["z"]),
  ],
  inputs: [value("x", "float32", [3])],
  outputs: [value("y", "float32", [3]), value("z", "float32", [3, 1])],
  weights: [
    weight("zeros", new Float32Array(3)),
    weight("at", Int32Array.of(2, 1, 0)),
    weight("shape", BigInt64Array.of(3n, 1n)),
  ],
});

fast(gpuTest)("a session runs from host memory to host memory on a device of its own", async () => {
  const session = await openSession(DOUBLE, { device: "webgpu", cpuFallback: false });
  assertEquals([session.device, session.threads, session.inputs[0]!.shape], ["webgpu", 1, [
    "N",
    3,
  ]]);
  const outputs = await session.run({ x: rows(1, 2, 3, 4, 5, 6) });
  assertEquals(dataOf(outputs, "y", "float32"), Float32Array.of(2, 4, 6, 8, 10, 12));
  assertEquals((await session.run({ x: { data: new Float32Array(0), dims: [0, 3] } }))["y"]!.dims, [
    0,
    3,
  ]);
  const device = session.gpuDevice!;
  await session.dispose();
  assertEquals((await device.lost).reason, "destroyed");
});

fast(gpuTest)(
  "buffers on a shared device pass between two sessions and custom passes",
  async () => {
    const gpuDevice = await openGpuDevice();
    const options = { device: "webgpu", gpuDevice, outputs: "gpu" } as const;
    const [double, negate] = [
      await openSession(DOUBLE, options),
      await openSession(unary("Neg"), options),
    ];
    const x = bufferOf(gpuDevice, 1, 2, 3);
    const doubled = await runToGpu(double, x);
    assertEquals([doubled.dtype, doubled.dims], ["float32", [1, 3]]);
    // A custom pass over the output of one session, before the next uses it.
    const module = gpuDevice.createShaderModule({
      code: `@group(0) @binding(0) var<storage, read_write> v: array<f32>;
      @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) i: vec3u) { v[i.x] += 0.5; }`,
    });
    const pipeline = gpuDevice.createComputePipeline({ layout: "auto", compute: { module } });
    const entries = [{ binding: 0, resource: { buffer: doubled.buffer } }];
    const group = gpuDevice.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
    const encoder = gpuDevice.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(1);
    pass.end();
    gpuDevice.queue.submit([encoder.finish()]);
    const negated = await runToGpu(negate, doubled.buffer);
    assertEquals(await negated.read(), Float32Array.of(-2.5, -4.5, -6.5));
    assertEquals(await negated.read(), Float32Array.of(-2.5, -4.5, -6.5));
    for (const tensor of [doubled, negated]) {
      tensor.dispose();
      tensor.dispose();
    }
    await double.dispose();
    await negate.dispose();
    gpuDevice.destroy();
  },
);

fast(gpuTest)("an output can be written to the caller's buffer", async () => {
  const gpuDevice = await openGpuDevice();
  for (const outputs of ["gpu", "host"] as const) {
    await using session = await openSession(DOUBLE, { device: "webgpu", gpuDevice, outputs });
    const [x, into] = [bufferOf(gpuDevice, 1, 2, 3), createTensorBuffer(gpuDevice, F32)];
    for (const scale of [1, 10]) {
      gpuDevice.queue.writeBuffer(x, 0, Float32Array.of(scale, 2 * scale, 3 * scale));
      const { y } = await session.run(
        { x: { buffer: x, dims: [1, 3] } },
        { y: { buffer: into, dims: [1, 3] } },
      );
      assert(y?.location === "gpu" && y.buffer === into);
      y.dispose();
      assertEquals(
        (await readBuffer(gpuDevice, into)).subarray(0, 3),
        Float32Array.of(2 * scale, 4 * scale, 6 * scale),
      );
    }
  }
  gpuDevice.destroy();
});

fast(gpuTest)("invalid buffers are rejected before the GPU uses them", async () => {
  const gpuDevice = await openGpuDevice();
  await using session = await openSession(DOUBLE, { device: "webgpu", gpuDevice, name: "d.onnx" });
  const run = (size: number, usage: number) => () =>
    session.run({ x: { buffer: gpuDevice.createBuffer({ size, usage }), dims: [1, 3] } });
  const all = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  await assertRejects(
    run(12, all),
    RangeError,
    "the buffer of x must have at least 16 bytes (rounded up to a multiple of 16); got 12",
  );
  await assertRejects(run(16, GPUBufferUsage.STORAGE), TypeError, "STORAGE, COPY_SRC and COPY_DST");
  await run(16, all)();
  const f64 = { dtype: "float64", dims: [1], label: "e" } as const;
  try {
    createTensorBuffer(gpuDevice, f64);
    throw new Error("it must be refused");
  } catch (error) {
    assertStringIncludes((error as Error).message, "Cannot put e on the GPU");
  }
  gpuDevice.destroy();
});

fast(gpuTest)("without cpuFallback operators missing on the GPU are rejected", async () => {
  const mod = modelOf({
    nodes: [node("Mod", ["x", "x"], ["y"], { attributes: [attribute("fmod", 1)] })],
    inputs: [value("x", "float32", ["N"])],
    outputs: [value("y", "float32", ["N"])],
  });
  const gpuDevice = await openGpuDevice();
  const options = { device: "webgpu", gpuDevice, name: "mod.onnx" } as const;
  const open = (more: object) => () => openSession(mod, { ...options, ...more });
  await assertRejects(
    open({ cpuFallback: false }),
    SyntaxError,
    "mod.onnx: without cpuFallback all operators must run on the GPU",
  );
  await assertRejects(
    open({ capture: true, outputs: "gpu" }),
    SyntaxError,
    "with capture all operators must run on the GPU; some of Mod do not",
  );
  await using session = await open({})();
  const { y } = await session.run({ x: { data: Float32Array.of(5, 7) } });
  assertEquals(y!.location, "host");
  gpuDevice.destroy();
});

fast(gpuTest)("a file that fails to open does not affect the next one", async () => {
  const gpuDevice = await openGpuDevice();
  const options = { device: "webgpu", gpuDevice } as const;
  const failing: Array<() => Promise<unknown>> = [
    () => openSession(unary("Wobble"), options),
    () => openSession(DOUBLE.slice(0, 40), options),
    () => openSession(DOUBLE, { ...options, dimensions: { N: -1 } }),
    () => openSession(DOUBLE, { ...options, externalData: { "no.bin": "/no/such/file" } }),
    () => openSession("/no/such/model.onnx", options),
    () => openSession(unary("Relu", 99), options),
  ];
  for (const fail of failing) {
    await assertRejects(fail);
    await using session = await openSession(DOUBLE, options);
    assertEquals(
      dataOf(await session.run({ x: rows(1, 2, 3) }), "y", "float32"),
      Float32Array.of(2, 4, 6),
    );
  }
  gpuDevice.destroy();
});

fast(gpuTest)(
  "a session opens although another program left the runtime half-way",
  async () => {
    const gpuDevice = await openGpuDevice();
    const options = { device: "webgpu", gpuDevice } as const;
    await using _first = await openSession(DOUBLE, options);
    const ort = await import("onnxruntime-web/webgpu");
    const create = (externalData: Array<{ path: string; data: string }>) =>
      withRuntime(() =>
        ort.InferenceSession.create(DOUBLE, {
          executionProviders: [{ name: "webgpu", device: gpuDevice }],
          externalData,
        })
      );
    await assertRejects(() => create([{ path: "w", data: "file:///no/such/file" }]));
    // It is in that state, or else this shows nothing.
    await assertRejects(() => create([]), Error, "another WebGPU EP inference session");
    await using session = await openSession(DOUBLE, options);
    assertEquals(
      dataOf(await session.run({ x: rows(1, 2, 3) }), "y", "float32"),
      Float32Array.of(2, 4, 6),
    );
    gpuDevice.destroy();
  },
);

fast(gpuTest)(
  "a session stays usable after an operator's error; after an exception it reports so instead of hanging",
  async () => {
    const gpuDevice = await openGpuDevice();
    const options = { device: "webgpu", gpuDevice, name: "e.onnx" } as const;
    const expand = modelOf({
      nodes: [node("Expand", ["x", "s"], ["h"]), node("ReduceMax", ["h"], ["y"])],
      inputs: [value("x", "float32", ["M"]), value("s", "int64", [1])],
      outputs: [value("y", "float32", [1])],
    });
    const session = await openSession(expand, options);
    const run = (session: Session, size: bigint, count = 1) =>
      session.run({ x: { data: new Float32Array(count) }, s: { data: BigInt64Array.of(size) } });
    await run(session, 4n);
    await assertRejects(() => run(session, 3n, 2), RangeError, "Expand (node .h) failed");
    await run(session, 4n);
    // More than the device has. With fewer bindings, as on OpenGL, the pieces of the buffer do not fit into a shader:
    // that breaks the session off, as below.
    if (gpuDevice.limits.maxStorageBuffersPerShaderStage > 22) {
      await assertRejects(() => run(session, 700_000_000n), RangeError, "maximum buffer size");
      await run(session, 4n);
    }
    // More than can be counted.
    await assertRejects(() => run(session, 3_000_000_000n), RangeError, "memory");
    const error = await assertRejects(() => run(session, 4n), BackendUnavailableError, "e.onnx");
    assertEquals([error.reason, error.during], ["broken", "run"]);
    assertStringIncludes(error.message, "open another");
    await session.dispose();
    await using another = await openSession(expand, options);
    assertEquals(dataOf(await run(another, 4n), "y", "float32"), Float32Array.of(0));
    gpuDevice.destroy();
  },
);

slow(gpuTest)(
  "40 runs of several sessions at once, reads and openings between them, never hang",
  async () => {
    const gpuDevice = await openGpuDevice();
    const shared = { device: "webgpu", gpuDevice } as const;
    const sessions = await Promise.all([
      openSession(DOUBLE, shared),
      openSession(unary("Neg"), { ...shared, outputs: "gpu" }),
      openSession(unary("Abs"), shared),
      openSession(unary("Neg")),
    ]);
    const functions = [(x: number) => 2 * x, (x: number) => -x, Math.abs, (x: number) => -x];
    const openings = [openSession(unary("Relu"), shared), openSession(DOUBLE, shared)];
    await Promise.all(Array.from({ length: 40 }, async (_, i) => {
      const { y } = await sessions[i % 4]!.run({ x: rows(i, -i, 1) });
      const numbers = y!.location === "gpu" ? await y.read() : y!.data;
      assertEquals(numbers, Float32Array.from([i, -i, 1], functions[i % 4]!));
      if (y!.location === "gpu") y.dispose();
    }));
    for (const session of [...sessions, ...await Promise.all(openings)]) await session.dispose();
    gpuDevice.destroy();
  },
);

fast(gpuTest)(
  "a captured session replays on the content of its buffers, and rejects others",
  async () => {
    const gpuDevice = await openGpuDevice();
    const options = { device: "webgpu", gpuDevice, outputs: "gpu", capture: true } as const;
    await using session = await openSession(DOUBLE, options);
    assert(session.isCaptured);
    await assertRejects(
      () => session.run({ x: rows(1, 2, 3) }),
      TypeError,
      "x must be in a GPU buffer",
    );
    const x = bufferOf(gpuDevice, 1, 2, 3);
    const first = await runToGpu(session, x);
    assertEquals(await first.read(), Float32Array.of(2, 4, 6));
    for (let i = 1; i < 5; i++) {
      gpuDevice.queue.writeBuffer(x, 0, Float32Array.of(i, 2, -i));
      const again = await runToGpu(session, x);
      assert(again.buffer === first.buffer);
      assertEquals(await again.read(), Float32Array.of(2 * i, 4, -2 * i));
      again.dispose();
    }
    const other = bufferOf(gpuDevice, 7, 7, 7);
    await assertRejects(() => runToGpu(session, other), TypeError, "as in the first run");
    const into = { y: { buffer: other, dims: [1, 3] } };
    await assertRejects(
      () => session.run({ x: { buffer: x, dims: [1, 3] } }, into),
      TypeError,
      "y must be in a buffer of the session",
    );
    gpuDevice.destroy();
  },
);

fast(gpuTest)(
  "checkSession() compares WebGPU with wasm, and detects stale replays",
  async () => {
    const gpuDevice = await openGpuDevice();
    const feeds = [{ x: rows(1, 2, 3) }, { x: rows(-4, 5, 6) }];
    const good = await checkSession(DOUBLE, { feeds, gpuDevice, capture: true });
    assertEquals([good.webgpu.ok, good.capture?.ok], [true, true]);
    assertEquals(good.webgpu.comparisons.map(({ run, worst }) => [run, worst]), [[0, 0], [1, 0], [
      2,
      0,
    ]]);
    const flat = feeds.map(({ x }) => ({ x: { data: x.data } }));
    const stale = await checkSession(STALE, { feeds: flat, gpuDevice, capture: true });
    assertEquals([stale.webgpu.ok, stale.capture?.ok], [true, false]);
    assertStringIncludes(stale.capture!.text, "captured against uncaptured: ");
    // What cannot be captured at all is found too.
    const mod = modelOf({
      nodes: [node("Mod", ["x", "x"], ["y"], { attributes: [attribute("fmod", 1)] })],
      inputs: [value("x", "float32", [3])],
      outputs: [value("y", "float32", [3])],
    });
    const { capture } = await checkSession(mod, { feeds: flat, gpuDevice, capture: true });
    assertEquals([capture!.ok, capture!.comparisons], [false, []]);
    assertStringIncludes(capture!.text, "Mod");
    // NaN agrees with nothing.
    const roots = [{ x: rows(1, 4, -1) }, { x: rows(1, 9, -1) }];
    const { webgpu } = await checkSession(unary("Sqrt"), { feeds: roots, gpuDevice });
    assertEquals([webgpu.ok, webgpu.comparisons[0]!.at], [false, 2]);
    assertStringIncludes(webgpu.text, "they differ: y in run 0 has a value that is not finite");
    gpuDevice.destroy();
  },
);

fast(gpuTest)("a lost device is reported at each call, and another device works", async () => {
  const gpuDevice = await openGpuDevice();
  const options = { device: "webgpu", name: "double.onnx" } as const;
  const session = await openSession(DOUBLE, { ...options, gpuDevice, outputs: "gpu" });
  const x = bufferOf(gpuDevice, 1, 2, 3);
  const y = await runToGpu(session, x);
  gpuDevice.destroy();
  const lost = async (act: () => Promise<unknown>, during: string) => {
    const error = await assertRejects(act, BackendUnavailableError, "double.onnx");
    assertEquals([error.backend, error.reason, error.during], ["webgpu", "lost", during]);
    assertStringIncludes(error.message, "Open another device");
  };
  // At once, when the runtime does not know either.
  await lost(() => y.read(), "read");
  await lost(() => session.run({ x: rows(1, 2, 3) }), "run");
  await lost(() => runToGpu(session, x), "run");
  await lost(() => openSession(DOUBLE, { ...options, gpuDevice }), "open");
  y.dispose();
  await session.dispose();
  for (let i = 0; i < 3; i++) {
    await using again = await openSession(DOUBLE, options);
    assertEquals(
      dataOf(await again.run({ x: rows(1, 2, 3) }), "y", "float32"),
      Float32Array.of(2, 4, 6),
    );
  }
});

fast(gpuTest)(
  "a device lost during a run fails this run and all later ones",
  async () => {
    for (const wait of [-1, 0, 3]) {
      const gpuDevice = await openGpuDevice();
      const session = await openSession(DOUBLE, { device: "webgpu", gpuDevice });
      const runs = Array.from({ length: 5 }, (_, i) => session.run({ x: rows(i, 0, 0) }));
      const settled = Promise.allSettled(runs);
      if (wait >= 0) await new Promise((resolve) => setTimeout(resolve, wait));
      gpuDevice.destroy();
      for (const [i, run] of (await settled).entries()) {
        if (run.status === "fulfilled") {
          assertEquals(dataOf(run.value, "y", "float32"), Float32Array.of(2 * i, 0, 0));
        } else assertEquals((run.reason as BackendUnavailableError).reason, "lost");
      }
      await assertRejects(() => session.run({ x: rows(1, 2, 3) }), BackendUnavailableError, "lost");
      await session.dispose();
    }
  },
);

fast(gpuTest)(
  "two sessions are compared run by run, with the first input again at the end",
  async () => {
    await using double = await openSession(DOUBLE, { device: "webgpu" });
    await using relu = await openSession(unary("Abs"));
    const found = await compareSessions(double, relu, [{ x: rows(0, 0, 0) }, {
      x: rows(1, -2, 1),
    }]);
    assertEquals(found.map(({ ok, worst, at, run }) => [run, ok, worst, at]), [
      [0, true, 0, -1],
      [1, false, 6, 1],
      [2, true, 0, -1],
    ]);
  },
);

fast(gpuTest)("a device stays usable after its adapter is collected", async () => {
  const child = new URL("../backend/collected_adapter_child.ts", import.meta.url);
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--v8-flags=--expose-gc", child.href],
    stderr: "null",
  }).output();
  assertEquals([success, new TextDecoder().decode(stdout)], [true, "string\n"]);
});
