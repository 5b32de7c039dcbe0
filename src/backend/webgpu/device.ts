import { BackendUnavailableError } from "./unavailable_error.ts";

/** Limits that large batches and sessions on the same device want as high as they go. */
const LIMITS = [
  ...["maxStorageBuffersPerShaderStage", "maxStorageBufferBindingSize", "maxBufferSize"],
  ...["maxComputeWorkgroupStorageSize", "maxComputeInvocationsPerWorkgroup", "maxBindGroups"],
  ...["maxComputeWorkgroupSizeX", "maxComputeWorkgroupSizeY", "maxComputeWorkgroupSizeZ"],
  ...["maxComputeWorkgroupsPerDimension"],
] as const;

const FEATURES = ["shader-f16", "subgroups", "timestamp-query"] as const;

/** A device of this process, for kernels and sessions alike. Throws a BackendUnavailableError where there is none. */
export async function requestDevice(): Promise<GPUDevice> {
  const { gpu } = navigator as { gpu?: GPU };
  if (gpu === undefined) refuse("this platform must have WebGPU: navigator.gpu is undefined");
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  if (adapter === null) refuse("there must be an adapter: requestAdapter() answers with null");
  const limits = adapter.limits as unknown as Readonly<Record<string, number>>;
  try {
    return await adapter.requestDevice({
      label: "hooke",
      requiredLimits: Object.fromEntries(LIMITS.map((name) => [name, limits[name]!])),
      requiredFeatures: FEATURES.filter((name) => adapter.features.has(name)) as GPUFeatureName[],
    });
  } catch (error) {
    refuse("its adapter must give a device", { cause: error });
  }
}

function refuse(requirement: string, options?: ErrorOptions): never {
  throw new BackendUnavailableError(
    "webgpu",
    `Cannot open backend webgpu as ${requirement}`,
    options,
  );
}
