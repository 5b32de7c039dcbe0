/** The part of `navigator.gpu` that is used. */
export interface GpuHost {
  /** Resolves to an adapter, or to `null` if there is none. */
  requestAdapter(options?: GPURequestAdapterOptions): Promise<GPUAdapter | null>;
}

/** Description of an adapter. Browsers tell little: unknown strings are empty. */
export interface AdapterInfo {
  /** Manufacturer. */
  readonly vendor: string;
  /** Family of the device. */
  readonly architecture: string;
  /** Model of the device. */
  readonly device: string;
  /** Description in words. */
  readonly description: string;
  /** True if it is software that runs on the CPU. */
  readonly isSoftware: boolean;
}

/**
 * Software renderers: Mesa's, Google's, Microsoft's. Not every browser sets a flag for them, so names are checked too.
 */
const SOFTWARE = /llvmpipe|lavapipe|softpipe|swiftshader|basic render|\bwarp\b|software/i;

/** Returns `navigator.gpu`, or `undefined` if there is none. */
export function findGpu(): GpuHost | undefined {
  return (globalThis as { readonly navigator?: { readonly gpu?: GpuHost } }).navigator?.gpu;
}

/** Describes an adapter, and tells whether it is software. */
export function describeAdapter(adapter: Pick<GPUAdapter, "info">): AdapterInfo {
  const { vendor = "", architecture = "", device = "", description = "" } = adapter.info ?? {};
  const flags = [adapter.info, adapter] as ReadonlyArray<
    { readonly isFallbackAdapter?: boolean } | undefined
  >;
  const isSoftware = flags.some((each) => each?.isFallbackAdapter === true) ||
    [vendor, architecture, device, description].some((text) => SOFTWARE.test(text));
  return { vendor, architecture, device, description, isSoftware };
}

/** Returns a name of an adapter for messages. */
export function nameAdapter({ description, vendor, architecture, device }: AdapterInfo): string {
  return description || [vendor, architecture, device].filter((text) => text !== "").join(" ") ||
    "an adapter without a name";
}
