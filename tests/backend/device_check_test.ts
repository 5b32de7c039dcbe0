/** A device is compared with the reference backend before it is used. */
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import {
  BackendUnavailableError,
  type KernelCall,
  openBackend,
  openDevice,
  openWebGpu,
  type UnavailableReason,
} from "../../src/backend/mod.ts";
import { findWrongKernel } from "../../src/backend/webgpu/check/compare_kernels.ts";
import { KERNEL_CASES } from "../../src/backend/webgpu/check/kernel_cases.ts";
import { Pipelines } from "../../src/backend/webgpu/program/pipelines.ts";
import { openGpuDevice } from "../../src/backend/webgpu/device.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { ARGON, atomAt } from "../dynamics/atoms.ts";
import { fast, slowTest, test } from "../suite.ts";
import {
  type Damage,
  damagedDevice,
  damagedHost,
  idle,
  inexact,
  namedHost,
} from "./device_check_cases.ts";
import { testOnGpu } from "./gpu.ts";

/** Family → the kernel that its case is about. */
const KERNELS = {
  integrate: "kick_drift",
  pairs: "pair_potential",
  edges: "edges",
  bonded: "harmonic_bonds",
  constrain: "rattle",
  thermostats: "velocity_rescale",
  barostats: "strained_drift",
  cells: "deform",
  relax: "fire_step",
  measure: "fmax",
  converge: "criterion",
  modify: "wrap_positions",
  learn: "adam_step",
  models: "add_model",
};

test("each family of kernels has a case", async () => {
  const folders: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir("src/kernels")) {
    if (isDirectory) folders.push(name);
  }
  assertEquals(Object.keys(KERNEL_CASES), Object.keys(KERNELS));
  // add_model has no folder: it is the kernel by which models add their results.
  assertEquals(Object.keys(KERNEL_CASES).sort(), [...folders, "models"].sort());
});

test("correct backends pass, and a backend that skips a kernel is detected with the kernel's name", async () => {
  assertEquals(await findWrongKernel(openBackend("reference")), undefined);
  assertEquals(await findWrongKernel(openBackend("wasm")), undefined);
  for (const kernel of [...Object.values(KERNELS), "neighbors"]) {
    const backend = openBackend("wasm");
    const prepare = backend.prepare.bind(backend);
    backend.prepare = (frame, calls) =>
      prepare(frame, calls.filter((one: KernelCall) => one.kernel.name !== kernel));
    const wrong = await findWrongKernel(backend);
    assert(wrong?.kernels.includes(kernel), `${kernel} is not found: ${wrong?.difference}`);
    backend.dispose();
  }
});

/** Compares WebAssembly if it cannot prepare a kernel. */
async function checkWithout(kernel: string, error: Error): Promise<unknown> {
  const backend = openBackend("wasm");
  const prepare = backend.prepare.bind(backend);
  backend.prepare = (frame, calls) => {
    if (calls.some((one: KernelCall) => one.kernel.name === kernel)) throw error;
    return prepare(frame, calls);
  };
  return await findWrongKernel(backend).finally(() => backend.dispose());
}

test("a comparison skips only kernels for which the device lacks limits", async () => {
  const lacking = (reason: UnavailableReason) =>
    new BackendUnavailableError("no", { backend: "webgpu", reason, during: "create" });
  assertEquals(await checkWithout("fmax", lacking("limits")), undefined);
  for (const error of [new RangeError("no"), lacking("memory")]) {
    assertEquals(await assertRejects(() => checkWithout("fmax", error)), error);
  }
});

test("a device that cannot bind the buffers of a kernel is rejected with the reason", () => {
  const device = { limits: { maxStorageBuffersPerShaderStage: 1 } } as GPUDevice;
  const slots = ["a", "b"].map((name) => ({ name, changes: false })) as never;
  const error = assertThrows(
    () => new Pipelines(device).get("", slots, "fmax"),
    BackendUnavailableError,
    "Cannot prepare kernel fmax: it needs 2 buffers at once, and the device can bind 1",
  );
  assertEquals(error.reason, "limits");
});

/** Opens a device with a broken kernel, which must be refused. */
async function assertRefused(broken: Damage): Promise<void> {
  const device = await damagedDevice(broken);
  const error = await assertRejects(
    () => openWebGpu({ device }),
    BackendUnavailableError,
    broken.kernel,
  );
  assertEquals([error.backend, error.reason, error.during], ["webgpu", "broken", "open"]);
  assertStringIncludes(error.message, `Cannot compute on ${broken.kernel} broken:`);
  device.destroy();
}

fast(testOnGpu)(
  "a device that does not compile a kernel is rejected with device and kernel",
  () => assertRefused({ kernel: "fmax", change: (code) => code + "!" }),
);

slowTest("a device on which any family of kernels has no effect is rejected", async () => {
  for (const kernel of [...Object.values(KERNELS), "neighbors"]) {
    await assertRefused({ kernel, change: idle });
  }
  const gpu = damagedHost("Acme 9000", { kernel: "fmax", change: idle });
  await assertRejects(() => openDevice("webgpu", { gpu }), BackendUnavailableError, "fmax");
});

fast(testOnGpu)(
  "auto falls back to wasm with a reason if a kernel is off by a percent",
  async () => {
    const gpu = damagedHost("Acme 9000", { kernel: "adam_step", change: inexact });
    await using md = new NVE({ model: ARGON, dt: 1, device: { name: "auto", gpu } });
    await md.run(atomAt(0), 1);
    const { device, skipped } = md.device!;
    assertEquals([device, skipped.length, skipped[0]!.device], ["wasm", 1, "webgpu"]);
    assertStringIncludes(skipped[0]!.reason, "Acme 9000");
    assertStringIncludes(skipped[0]!.reason, "adam_step");
  },
);

slowTest("kernels on OpenGL are correct, or there is no adapter", async () => {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", new URL("./opengl_child.ts", import.meta.url).href],
    env: { DENO_WEBGPU_BACKEND: "gl" },
  });
  const { stdout, stderr } = await child.output();
  const said = new TextDecoder().decode(stdout).trim();
  assert(["right", "absent"].includes(said), said + new TextDecoder().decode(stderr));
});

fast(testOnGpu)("a device that does not respond is rejected after a minute", async () => {
  const device = await openGpuDevice({ gpu: namedHost("Acme stuck") });
  const create = device.createBuffer.bind(device);
  device.createBuffer = (descriptor) => {
    const buffer = create(descriptor);
    buffer.mapAsync = () => new Promise<undefined>(() => {});
    return buffer;
  };
  const { setTimeout } = globalThis;
  globalThis.setTimeout = ((call: () => void, delay = 0) =>
    setTimeout(call, delay === 60_000 ? 5 : delay)) as typeof setTimeout;
  try {
    const error = await assertRejects(
      () =>
        openWebGpu({ device }),
      BackendUnavailableError,
      "Cannot compute on Acme stuck: it did not respond within 60 s",
    );
    assertEquals(error.reason, "hung");
  } finally {
    globalThis.setTimeout = setTimeout;
    device.destroy();
  }
});

fast(testOnGpu)("an adapter is compared once per process", async () => {
  const gpu = namedHost("Acme 1");
  const modules = async (): Promise<number> => {
    const device = await openGpuDevice({ gpu });
    let count = 0;
    const create = device.createShaderModule.bind(device);
    device.createShaderModule = (descriptor) => (count++, create(descriptor));
    (await openWebGpu({ device })).dispose();
    device.destroy();
    return count;
  };
  assert(await modules() > Object.keys(KERNEL_CASES).length);
  assertEquals(await modules(), 0);
});
