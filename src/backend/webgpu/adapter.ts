/** What is asked of `navigator.gpu`. */
export interface GpuHost {
  /** The adapter there is, or `null`. */
  requestAdapter(options?: GPURequestAdapterOptions): Promise<GPUAdapter | null>;
}

/** What an adapter says of itself. Browsers say little, and leave strings empty rather than out. */
export interface AdapterInfo {
  /** Who made it. */
  readonly vendor: string;
  /** Its family. */
  readonly architecture: string;
  /** Its model. */
  readonly device: string;
  /** In words. */
  readonly description: string;
  /** Whether it is a processor that plays at being a GPU. */
  readonly isSoftware: boolean;
}

/**
 * Renderers that run on the processor: Mesa's, Google's, Microsoft's. They are told by name as well, because not
 * every browser says so by a flag.
 */
const SOFTWARE = /llvmpipe|lavapipe|softpipe|swiftshader|basic render|\bwarp\b|software/i;

/** `navigator.gpu`, where there is one. */
export function findGpu(): GpuHost | undefined {
  return (globalThis as { readonly navigator?: { readonly gpu?: GpuHost } }).navigator?.gpu;
}

/** What an adapter says of itself, and whether it is software. */
export function describeAdapter(adapter: Pick<GPUAdapter, "info">): AdapterInfo {
  const { vendor = "", architecture = "", device = "", description = "" } = adapter.info ?? {};
  const flags = [adapter.info, adapter] as ReadonlyArray<
    { readonly isFallbackAdapter?: boolean } | undefined
  >;
  const isSoftware = flags.some((each) => each?.isFallbackAdapter === true) ||
    [vendor, architecture, device, description].some((text) => SOFTWARE.test(text));
  return { vendor, architecture, device, description, isSoftware };
}

/** What to call an adapter in a message. */
export function nameAdapter({ description, vendor, architecture, device }: AdapterInfo): string {
  return description || [vendor, architecture, device].filter((text) => text !== "").join(" ") ||
    "an adapter without a name";
}
