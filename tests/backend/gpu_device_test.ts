/**
 * The choice of a device, and the reasons for devices that are skipped. Adapters are made up: no machine has all of
 * them.
 */
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import {
  BackendUnavailableError,
  describeAdapter,
  type GpuHost,
  lossOf,
  openGpuDevice,
  pickDevice,
  watchDevice,
} from "../../src/backend/mod.ts";

interface FakeInfo {
  vendor?: string;
  architecture?: string;
  device?: string;
  description?: string;
  isFallbackAdapter?: boolean;
}

/** An adapter that says this of itself. */
function adapterOf(info: FakeInfo, more: Record<string, unknown> = {}): GPUAdapter {
  return { info, ...more } as unknown as GPUAdapter;
}

function hostOf(adapter: GPUAdapter | null): GpuHost {
  return { requestAdapter: () => Promise.resolve(adapter) };
}

const REAL = adapterOf({ vendor: "nvidia", architecture: "ampere", device: "", description: "" });

Deno.test("auto selects WebGPU on a hardware adapter", async () => {
  const picked = await pickDevice("auto", { gpu: hostOf(REAL) });
  assertEquals(picked.device, "webgpu");
  assertEquals(picked.adapter, REAL);
  assertEquals(picked.info!.vendor, "nvidia");
  assertEquals(picked.skipped, []);
});

Deno.test("auto selects wasm instead of a software adapter, and reports the reason", async () => {
  const software: Array<[GPUAdapter, string]> = [
    [adapterOf({ description: "llvmpipe (LLVM 15.0.6, 256 bits)" }), "llvmpipe"],
    [adapterOf({ vendor: "google", architecture: "swiftshader" }), "google swiftshader"],
    [adapterOf({ vendor: "microsoft", device: "Microsoft Basic Render Driver" }), "Basic Render"],
    [adapterOf({ vendor: "acme", isFallbackAdapter: true }), "acme"],
    // Browsers that had it before the information had it on the adapter.
    [adapterOf({}, { isFallbackAdapter: true }), "without a name"],
  ];
  for (const [adapter, name] of software) {
    assertEquals(describeAdapter(adapter).isSoftware, true);
    const { device, adapter: taken, skipped } = await pickDevice("auto", { gpu: hostOf(adapter) });
    assertEquals([device, taken, skipped.length], ["wasm", undefined, 1]);
    assertEquals(skipped[0]!.device, "webgpu");
    assertStringIncludes(skipped[0]!.reason, name);
    assertStringIncludes(skipped[0]!.reason, "software");
    // Asked for by name it is taken: it is correct.
    assertEquals((await pickDevice("webgpu", { gpu: hostOf(adapter) })).adapter, adapter);
  }
  assertEquals(describeAdapter(REAL).isSoftware, false);
  assertEquals(describeAdapter({} as GPUAdapter).isSoftware, false);
  // A name that only begins like one.
  assertEquals(describeAdapter(adapterOf({ device: "Warpath 9000" })).isSoftware, false);
});

Deno.test("without WebGPU or an adapter, auto selects wasm and webgpu is rejected", async () => {
  const cases = [[undefined, "navigator.gpu is undefined"], [
    hostOf(null),
    "no adapter was found",
  ]] as const;
  for (const [gpu, reason] of cases) {
    const { device, skipped } = await pickDevice("auto", { gpu });
    assertEquals([device, skipped.map((each) => each.device)], ["wasm", ["webgpu"]]);
    assertStringIncludes(skipped[0]!.reason, reason);
    for (const act of [() => pickDevice("webgpu", { gpu }), () => openGpuDevice({ gpu })]) {
      const error = await assertRejects(act, BackendUnavailableError, reason);
      assertEquals([error.backend, error.reason, error.during], ["webgpu", "absent", "open"]);
      assertEquals(error.name, "BackendUnavailableError");
    }
  }
  for (const name of ["wasm", "reference"] as const) {
    const { device, skipped, adapter } = await pickDevice(name, { gpu: hostOf(REAL) });
    assertEquals([device, skipped, adapter], [name, [], undefined]);
  }
  await assertRejects(() => pickDevice("cuda" as "wasm"), RangeError, '"cuda"');
});

Deno.test("errors of an adapter are thrown instead of a fallback to wasm", async () => {
  const gpu = { requestAdapter: () => Promise.reject(new SyntaxError("a bug")) };
  await assertRejects(() => pickDevice("auto", { gpu }), SyntaxError, "a bug");
});

/** An adapter that keeps what it is asked for. */
function askedAdapter(answer: () => Promise<unknown>) {
  const asked: GPUDeviceDescriptor[] = [];
  const limits = new Proxy({}, { get: (_, name) => String(name).length }) as GPUSupportedLimits;
  const adapter = adapterOf({}, {
    features: new Set(["shader-f16", "texture-compression-bc"]),
    limits,
    requestDevice: (descriptor: GPUDeviceDescriptor) => {
      asked.push(descriptor);
      return answer();
    },
  });
  return { adapter, asked };
}

Deno.test("a device has the adapter's features that models need, and reports its loss", async () => {
  const { promise, resolve } = Promise.withResolvers<GPUDeviceLostInfo>();
  const { adapter, asked } = askedAdapter(() => Promise.resolve({ lost: promise }));
  const device = await openGpuDevice({ gpu: hostOf(adapter) });
  assertEquals(asked[0]!.requiredFeatures, ["shader-f16"]);
  const limits = asked[0]!.requiredLimits as Record<string, number>;
  assertEquals(limits["maxBufferSize"], "maxBufferSize".length);
  assertEquals(limits["maxStorageBuffersPerShaderStage"], "maxStorageBuffersPerShaderStage".length);
  watchDevice(device);
  assertEquals(lossOf(device), undefined);
  const info = { reason: "destroyed", message: "gone" } as GPUDeviceLostInfo;
  resolve(info);
  await promise;
  assertEquals(lossOf(device), info);
  watchDevice(device);
  assertEquals(lossOf(device), info);
});

Deno.test("an adapter without a device is reported", async () => {
  const cause = new Error("consumed");
  const { adapter } = askedAdapter(() => Promise.reject(cause));
  const error = await assertRejects(
    () => openGpuDevice({ adapter }),
    BackendUnavailableError,
    "consumed",
  );
  assertEquals(error.cause, cause);
});
