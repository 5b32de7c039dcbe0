/** A device is compared with the reference backend before it is used. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import {
  BackendUnavailableError,
  type Call,
  openBackend,
  openDevice,
  openWebGpu,
} from "../../src/backend/mod.ts";
import { findWrongKernel } from "../../src/backend/webgpu/check/compare_kernels.ts";
import { KERNEL_CASES } from "../../src/backend/webgpu/check/kernel_cases.ts";
import { openGpuDevice } from "../../src/backend/webgpu/device.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { ARGON, atomAt } from "../dynamics/atoms.ts";
import { slowTest } from "../suite.ts";
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

Deno.test("each family of kernels has a case", async () => {
  const folders: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir("src/kernels")) {
    if (isDirectory) folders.push(name);
  }
  assertEquals(Object.keys(KERNEL_CASES), Object.keys(KERNELS));
  // add_model has no folder: it is the kernel by which models add their results.
  assertEquals(Object.keys(KERNEL_CASES).sort(), [...folders, "models"].sort());
});

Deno.test("right backends pass, and one that leaves a kernel out is found, by the kernel's name", async () => {
  assertEquals(await findWrongKernel(openBackend("reference")), undefined);
  assertEquals(await findWrongKernel(openBackend("wasm")), undefined);
  for (const kernel of [...Object.values(KERNELS), "neighbors"]) {
    const backend = openBackend("wasm");
    const prepare = backend.prepare.bind(backend);
    backend.prepare = (frame, calls) =>
      prepare(frame, calls.filter((one: Call) => one.kernel.name !== kernel));
    const wrong = await findWrongKernel(backend);
    assert(wrong?.kernels.includes(kernel), `${kernel} is not found: ${wrong?.difference}`);
    backend.dispose();
  }
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
  assertStringIncludes(error.message, `Cannot compute on ${broken.kernel} broken as`);
  device.destroy();
}

testOnGpu(
  "a device that does not compile a kernel is refused, by its name and the kernel's",
  () => assertRefused({ kernel: "fmax", change: (code) => code + "!" }),
);

slowTest("a device is refused whichever family of kernels does nothing there", async () => {
  for (const kernel of [...Object.values(KERNELS), "neighbors"]) {
    await assertRefused({ kernel, change: idle });
  }
  const gpu = damagedHost("Acme 9000", { kernel: "fmax", change: idle });
  await assertRejects(() => openDevice("webgpu", { gpu }), BackendUnavailableError, "fmax");
});

testOnGpu("auto goes on to wasm if a kernel is off by a percent, and says so", async () => {
  const gpu = damagedHost("Acme 9000", { kernel: "adam_step", change: inexact });
  await using md = new NVE({ model: ARGON, dt: 1, device: { name: "auto", gpu } });
  await md.run(atomAt(0), 1);
  const { device, skipped } = md.device!;
  assertEquals([device, skipped.length, skipped[0]!.device], ["wasm", 1, "webgpu"]);
  assertStringIncludes(skipped[0]!.reason, "Acme 9000");
  assertStringIncludes(skipped[0]!.reason, "adam_step");
});

slowTest("on OpenGL kernels are right, or there is no adapter", async () => {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", new URL("./opengl_child.ts", import.meta.url).href],
    env: { DENO_WEBGPU_BACKEND: "gl" },
  });
  const { stdout, stderr } = await child.output();
  const said = new TextDecoder().decode(stdout).trim();
  assert(["right", "absent"].includes(said), said + new TextDecoder().decode(stderr));
});

testOnGpu("a device that does not answer is refused after a minute", async () => {
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
      "Cannot compute on Acme stuck as it must answer within 60 s",
    );
    assertEquals(error.reason, "hung");
  } finally {
    globalThis.setTimeout = setTimeout;
    device.destroy();
  }
});

testOnGpu("an adapter is compared once in a process", async () => {
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
