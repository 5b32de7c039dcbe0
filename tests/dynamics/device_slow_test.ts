// What thousands of runs leave behind, on every device: nothing.
import { assert, assertEquals } from "@std/assert";
import { ConvergenceHook, FIRE, NVE } from "../../src/dynamics/mod.ts";
import { loadModule } from "../../src/backend/wasm/module.ts";
import { hook } from "../../src/hook.ts";
import { buffersHeld, countBuffers, testOnGpu } from "../backend/gpu.ts";
import { ARGON, atomAt, crystals, push } from "./atoms.ts";
import { type Disguised, disguised } from "./devices.ts";

const MODULE = loadModule();

/** Size of the linear memory. */
function bytes(): number {
  return MODULE.memory.buffer.byteLength;
}

function look() {
  return hook({
    name: "look",
    reads: ["energy", "fmax"],
    on: { dynamics: { AFTER_STEP: () => {} } },
  });
}

Deno.test("10,000 short runs, and 10,000 engines, take no more memory than the first", async () => {
  const model = push(0.1);
  await using md = new NVE({ model, dt: 1, hooks: [look()] });
  const rounds = async (count: number) => {
    for (let i = 0; i < count; i++) {
      await md.run(atomAt(i), 2);
      await using own = new NVE({ model: ARGON, dt: 1 });
      await own.run(atomAt(i), 1);
    }
  };
  await rounds(100);
  const before = bytes();
  await rounds(10_000);
  assertEquals(bytes(), before);
});

/** Devices whose buffers are counted. */
function counted(): Disguised {
  const host = disguised();
  const requestAdapter = async (options?: GPURequestAdapterOptions) => {
    const adapter = (await host.gpu.requestAdapter(options))!;
    const request = adapter.requestDevice.bind(adapter);
    adapter.requestDevice = async (descriptor) => {
      const device = await request(descriptor);
      countBuffers(device);
      return device;
    };
    return adapter;
  };
  return { ...host, gpu: { requestAdapter } };
}

testOnGpu("a hundred runs of one engine on a GPU hold as many buffers as two", async () => {
  const { gpu, devices } = counted();
  await using opt = new FIRE({
    model: ARGON,
    dt: 0.1,
    device: { name: "auto", gpu, keepSeconds: 0 },
    hooks: [ConvergenceHook.fromFmax(1e-5), look()],
  });
  const others = buffersHeld();
  let held = 0;
  for (let i = 0; i < 100; i++) {
    await opt.run(crystals(1 + i % 2, 0), 2);
    if (i === 1) held = buffersHeld();
  }
  // What comes through staging is lent by size, and there are few sizes.
  assert(buffersHeld() <= held + 10, `${held} buffers, then ${buffersHeld()}`);
  assertEquals(devices.length, 1);
  await opt.close();
  assertEquals(buffersHeld(), others);
});

testOnGpu(
  "engines that are closed, and devices that are lost, leave no buffer and no device",
  async () => {
    const { gpu, devices, lose } = counted();
    const others = buffersHeld();
    const before = bytes();
    for (let i = 0; i < 20; i++) {
      await using md = new NVE({
        model: ARGON,
        dt: 1,
        device: { name: "auto", gpu },
        hooks: [look()],
        onWarning() {},
      });
      await md.run(crystals(1), 3);
      if (i % 4 === 0) lose();
      await md.run(crystals(1), 3);
      assertEquals(md.device!.device, i % 4 === 0 ? "wasm" : "webgpu");
    }
    assertEquals([devices.length, buffersHeld()], [20, others]);
    for (const device of devices) assertEquals((await device.lost).reason, "destroyed");
    assert(bytes() - before < 1e6, `${bytes() - before} bytes more`);
  },
);
