/** Thousands of runs leave nothing behind. Tensors have 64 KiB: one that is kept at each run would make 260 MB. */
import { assert, assertEquals } from "@std/assert";
import { openGpuDevice } from "../../src/backend/mod.ts";
import { createTensorBuffer, openSession, type Session } from "../../src/onnx/mod.ts";
import { gpuTest } from "./gpu.ts";
import { DOUBLE } from "./tiny_model.ts";

const ROWS = 5462;
const DIMS = [ROWS, 3];
const RUNS = 4000;

/** Memory that the allocator may keep, in bytes. */
const SLACK = 48e6;

/** Returns the growth of the memory of the process from the first tenth of the runs to the end, in bytes. */
async function growth(run: (i: number) => Promise<void>, runs = RUNS): Promise<number> {
  let before = 0;
  for (let i = 0; i < runs; i++) {
    if (i === Math.floor(runs / 10)) before = Deno.memoryUsage().rss;
    await run(i);
    // Mapping and finalizers need the loop.
    if (i % 100 === 0) await new Promise((resolve) => setTimeout(resolve));
  }
  return Deno.memoryUsage().rss - before;
}

function assertFlat(bytes: number): void {
  assert(bytes < SLACK, `memory grew by ${(bytes / 1e6).toFixed(1)} MB`);
}

async function onGpu(
  options: Parameters<typeof openSession>[1],
  run: (session: Session, device: GPUDevice) => (i: number) => Promise<void>,
): Promise<void> {
  const gpuDevice = await openGpuDevice();
  const session = await openSession(DOUBLE, { device: "webgpu", gpuDevice, ...options });
  assertFlat(await growth(run(session, gpuDevice)));
  await session.dispose();
  gpuDevice.destroy();
}

const F32 = { dtype: "float32", dims: DIMS } as const;

Deno.test("4e3 runs on wasm leak nothing", async () => {
  await using session = await openSession(DOUBLE);
  const x = { data: new Float32Array(ROWS * 3).fill(1), dims: DIMS };
  assertFlat(
    await growth(async () => {
      const { y } = await session.run({ x });
      assert(y?.location === "host" && y.data[7] === 2);
    }),
  );
});

Deno.test("3e3 sessions on wasm, opened and disposed of, leak nothing", async () => {
  assertFlat(await growth(async () => void await (await openSession(DOUBLE)).dispose(), 3000));
});

gpuTest(
  "4e3 runs on WebGPU leak nothing: outputs disposed of",
  () =>
    onGpu({ outputs: "gpu" }, (session, device) => {
      const x = { buffer: createTensorBuffer(device, F32), dims: DIMS };
      return async () => {
        const { y } = await session.run({ x });
        assert(y!.location === "gpu");
        y.dispose();
      };
    }),
);

gpuTest(
  "4e3 runs on WebGPU leak nothing: outputs in the caller's buffer",
  () =>
    onGpu({ outputs: "gpu" }, (session, device) => {
      const [x, y] = [0, 1].map(() => ({ buffer: createTensorBuffer(device, F32), dims: DIMS }));
      return async () => void await session.run({ x: x! }, { y: y! });
    }),
);

gpuTest(
  "4e3 runs on WebGPU leak nothing: captured, outputs never disposed of",
  () =>
    onGpu({ outputs: "gpu", capture: true }, (session, device) => {
      const x = { buffer: createTensorBuffer(device, F32), dims: DIMS };
      const seen = new Set<GPUBuffer>();
      return async () => {
        const { y } = await session.run({ x });
        assert(y!.location === "gpu");
        seen.add(y.buffer);
        assertEquals(seen.size, 1);
      };
    }),
);

gpuTest("1e3 runs from and to host memory on WebGPU leak nothing", async () => {
  await using session = await openSession(DOUBLE, { device: "webgpu" });
  const x = { data: new Float32Array(ROWS * 3).fill(1), dims: DIMS };
  assertFlat(await growth(async () => void await session.run({ x }), 1000));
});

gpuTest("outputs are released with their session", async () => {
  const gpuDevice = await openGpuDevice();
  const x = { buffer: createTensorBuffer(gpuDevice, F32), dims: DIMS };
  const lavish = async () => {
    const session = await openSession(DOUBLE, { device: "webgpu", gpuDevice, outputs: "gpu" });
    for (let i = 0; i < 500; i++) await session.run({ x });
    await session.dispose();
  };
  // Each keeps 33 MB until its end: eighteen of them would keep 0.6 GB. What the GPU's allocator keeps comes and goes.
  const bytes = await growth(lavish, 20);
  assert(bytes < 400e6, `memory grew by ${(bytes / 1e6).toFixed(1)} MB`);
  gpuDevice.destroy();
});

gpuTest("a destroyed device leaves only a few megabytes in the runtime", async () => {
  const run = async () => void await (await openSession(DOUBLE, { device: "webgpu" })).dispose();
  const bytes = await growth(run, 100);
  assert(bytes < 5e6 * 90, `each leaves ${(bytes / 90e6).toFixed(1)} MB`);
});
