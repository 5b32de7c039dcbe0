import { findNavigator } from "../../platform/page.ts";

/** The members of `navigator.gpu` that this backend uses. */
export interface GpuHost {
  /** Resolves to an adapter, or to `null` if no adapter exists. */
  requestAdapter(options?: GPURequestAdapterOptions): Promise<GPUAdapter | null>;
}

/** Description of an adapter. Strings that a browser does not reveal are empty. */
export interface AdapterInfo {
  /** Manufacturer, such as "nvidia"; may be empty. */
  readonly vendor: string;
  /** Family of the device, such as "ampere"; may be empty. */
  readonly architecture: string;
  /** Model of the device; may be empty. */
  readonly device: string;
  /** Description as text; may be empty. */
  readonly description: string;
  /** True for a software renderer, which runs on the CPU. */
  readonly isSoftware: boolean;
}

/**
 * Matches the names of software renderers of Mesa, Google and Microsoft. Names are checked because not every browser
 * marks software renderers by a flag.
 */
const SOFTWARE = /llvmpipe|lavapipe|softpipe|swiftshader|basic render|\bwarp\b|software/i;

/** Returns `navigator.gpu`, or `undefined` if it does not exist. */
export function findGpu(): GpuHost | undefined {
  return (findNavigator() as { readonly gpu?: GpuHost } | undefined)?.gpu;
}

/**
 * Describes an adapter, and detects software renderers.
 *
 * @example
 * ```ts
 * import { describeAdapter } from "@hooke/hooke/backend";
 * import { assertEquals } from "@std/assert";
 *
 * const info = { vendor: "mesa", architecture: "", device: "", description: "llvmpipe (LLVM 19)" };
 * assertEquals(describeAdapter({ info: info as GPUAdapterInfo }).isSoftware, true);
 * ```
 */
export function describeAdapter(adapter: Pick<GPUAdapter, "info">): AdapterInfo {
  const { vendor = "", architecture = "", device = "", description = "" } = adapter.info ?? {};
  const flags = [adapter.info, adapter] as ReadonlyArray<
    { readonly isFallbackAdapter?: boolean } | undefined
  >;
  const isSoftware = flags.some((each) => each?.isFallbackAdapter === true) ||
    [vendor, architecture, device, description].some((text) => SOFTWARE.test(text));
  return { vendor, architecture, device, description, isSoftware };
}

/** Returns the name of an adapter for messages. */
export function nameAdapter({ description, vendor, architecture, device }: AdapterInfo): string {
  return description || [vendor, architecture, device].filter((text) => text !== "").join(" ") ||
    "an adapter without a name";
}
