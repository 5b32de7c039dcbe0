// Where engines run, asked for by name.
import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { BackendUnavailableError, openDevice } from "../../src/backend/mod.ts";
import { ConvergenceHook, Dynamics, fireRelaxer, NVE } from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { testOnGpu } from "../backend/gpu.ts";
import { ARGON, argon, assertNear, assertSameBits, bitsOf, crystals } from "./atoms.ts";
import { disguised, NO_GPU } from "./devices.ts";
import { Batch } from "../../src/batch/mod.ts";

Deno.test("a device is opened by name, and says what it is and what was passed over", async () => {
  for (const name of ["wasm", "reference"] as const) {
    const { backend, ...said } = await openDevice(name);
    assertEquals([backend.name, said], [name, { device: name, skipped: [] }]);
    backend.dispose();
  }
  const { backend, device, skipped } = await openDevice("auto", { gpu: NO_GPU });
  assertEquals([backend.name, device, skipped[0]!.device], ["wasm", "wasm", "webgpu"]);
  assertStringIncludes(skipped[0]!.reason, "install a Vulkan driver");
  await assertRejects(() => openDevice("gpu" as never), RangeError, "must be auto, webgpu");
});

Deno.test("auto goes on where an adapter gives no device, and says so", async () => {
  const broken = {
    info: { vendor: "acme" },
    features: new Set(),
    limits: {},
    requestDevice: () => Promise.reject(new Error("no more of them")),
  };
  const gpu = { requestAdapter: () => Promise.resolve(broken as unknown as GPUAdapter) };
  const { device, skipped } = await openDevice("auto", { gpu });
  assertEquals(device, "wasm");
  assertStringIncludes(skipped[0]!.reason, "no more of them");
  await assertRejects(() => openDevice("webgpu", { gpu }), BackendUnavailableError, "no more");
});

Deno.test("without an adapter auto runs on wasm and says why; webgpu says what to install", async () => {
  const expected = bitsOf(await new NVE({ model: ARGON, dt: 2 }).run(crystals(1), 5));
  await using md = new NVE({ model: ARGON, dt: 2, device: { name: "auto", gpu: NO_GPU } });
  assertEquals(md.device, undefined);
  assertThrows(() => md.backend, Error, "its device auto is not open. A run opens the device");
  assertSameBits(bitsOf(await md.run(crystals(1), 5)), expected);
  assertEquals([md.backend.name, md.device!.device], ["wasm", "wasm"]);
  assertStringIncludes(md.device!.skipped[0]!.reason, "no adapter was found (on Linux install");

  const batch = crystals(1);
  await using none = new NVE({ model: ARGON, dt: 2, device: { name: "webgpu", gpu: NO_GPU } });
  const error = await assertRejects(() => none.run(batch, 5), BackendUnavailableError, "install");
  assertEquals([error.reason, batch.heldBy, none.device], ["absent", undefined, undefined]);
});

Deno.test("what need not be waited for is there at once, and said", () => {
  const md = new NVE({ model: ARGON, dt: 2 });
  assertEquals([md.backend.name, md.device], ["wasm", { device: "wasm", skipped: [] }]);
  const exact = new NVE({ model: ARGON, dt: 2, device: "reference" });
  assertEquals([exact.backend.name, exact.device!.device], ["reference", "reference"]);
});

testOnGpu(
  "a GPU is opened by the first run, kept between runs, and closed with the engine",
  async () => {
    const { gpu, devices } = disguised();
    const seen: number[] = [];
    const look = hook({
      name: "look",
      reads: ["energy"],
      on: { dynamics: { AFTER_STEP: ({ stepCount }) => void seen.push(stepCount) } },
    });
    const device = { name: "auto", gpu } as const;
    const md = new NVE({ model: ARGON, dt: 2, device, hooks: [look], verify: true });
    assertThrows(() => md.backend, Error, "is not open");
    const batch = crystals(2);
    await md.run(batch, 3);
    await md.run(batch, 2);
    assertEquals([md.backend.name, md.device!.device, md.device!.info!.vendor, devices.length], [
      "webgpu",
      "webgpu",
      "acme",
      1,
    ]);
    await md.close();
    assertThrows(() => md.backend, Error, "close() closes it");
    assertEquals((await devices[0]!.lost).reason, "destroyed");
    await assertRejects(() => md.run(batch, 2), Error, "it is closed. Make a new engine");
    assertEquals([seen, devices.length], [[0, 1, 2, 3, 4], 1]);
    await using wasm = new NVE({ model: ARGON, dt: 2 });
    const expected = await wasm.run(crystals(2), 5);
    assertNear(bitsOf(batch).positions!, bitsOf(expected).positions!, 1e-5, 1);
  },
);

testOnGpu("a checkpoint goes on on a device that is not open yet, and is taken there", async () => {
  const make = (device: "wasm" | ReturnType<typeof auto>) =>
    new Dynamics(fireRelaxer({ dt: 0.3 }), {
      model: ARGON,
      device,
      name: "FIRE",
      hooks: [ConvergenceHook.fromFmax(0.005)],
    });
  const auto = () => ({ name: "auto", gpu: disguised().gpu }) as const;
  await using first = make("wasm");
  const whole = await first.run(crystals(2, 0), 11);
  const saved = structuredClone(await first.save());
  await first.run(whole, 9);
  await using second = make(auto());
  const part = await second.run(await second.load(saved), 5);
  assertEquals(second.device!.device, "webgpu");
  const again = structuredClone(await second.save());
  await using third = make("wasm");
  await third.run(await third.load(again), 4);
  await second.run(part, 4);
  assertNear(bitsOf(part).positions!, bitsOf(whole).positions!, 1e-4, 1);
  assertEquals([...part.get("stepsDone")], [...whole.get("stepsDone")]);
});

testOnGpu("what is too large for a device is said, and auto takes it elsewhere", async () => {
  const { gpu } = disguised({ maxStorageBufferBindingSize: 4096 });
  const large = () => Batch.from([argon(6, 0, 0.01)]); // 864 atoms: 10 kB of positions
  const batch = large();
  await using md = new NVE({ model: ARGON, dt: 2, device: { name: "webgpu", gpu } });
  const error = await assertRejects(() => md.run(batch, 3), BackendUnavailableError);
  assertEquals([error.reason, batch.heldBy], ["memory", undefined]);
  assertStringIncludes(error.message, "a buffer of the device has at most");

  const told: string[] = [];
  await using other = new NVE({
    model: ARGON,
    dt: 2,
    device: { name: "auto", gpu },
    onWarning: ({ error }) => void told.push((error as Error).message),
  });
  const done = await other.run(large(), 3);
  assertEquals([other.device!.device, other.outcome!.status], ["wasm", "completed"]);
  assertStringIncludes(other.outcome!.warnings![0]!, "The run continues on wasm, from step 0");
  assertEquals(other.device!.skipped.map(({ device }) => device), ["webgpu"]);
  assertEquals(told.length, 1);
  assertStringIncludes(told[0]!, "The run continues on wasm, from step 0");
  await using wasm = new NVE({ model: ARGON, dt: 2 });
  assertSameBits(bitsOf(done), bitsOf(await wasm.run(large(), 3)));
});
