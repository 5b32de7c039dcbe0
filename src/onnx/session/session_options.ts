import { lossOf, watchDevice } from "../../backend/webgpu/device.ts";
import { deviceLost } from "./session_errors.ts";
import { checkDownload, type DownloadOptions } from "./download.ts";
import type { ModelSource } from "./session_source.ts";

/** Where the outputs of a session are left. */
export type OutputLocation = "host" | "gpu";

/** How `openSession` opens a session. */
export interface SessionOptions {
  /**
   * Where it runs. `pickDevice` of `@hooke/hooke/backend` says which is best here.
   *
   * @default "wasm"
   */
  readonly device?: "wasm" | "webgpu";
  /**
   * The device of a `"webgpu"` session, on which all its buffers are. Share one: the runtime keeps some megabytes for
   * every device it was ever given. One that `openGpuDevice` did not open needs its adapter kept: see there.
   *
   * @default one of its own, destroyed with the session
   */
  readonly gpuDevice?: GPUDevice;
  /**
   * How many threads `"wasm"` uses. The first session of a process decides for all that follow, because there is one
   * runtime; a session in a worker has a runtime of its own. Ignored in a page that is not cross-origin isolated,
   * or whose bundler made a single script of it: these have one. Bundle with code splitting.
   *
   * @default half the processors, at most 4
   */
  readonly threads?: number;
  /**
   * Weights that are not in the model's file, by the name it has for them.
   *
   * @default read from beside the model, when that is a file or an address
   */
  readonly externalData?: Readonly<Record<string, ModelSource>>;
  /**
   * Where outputs are left, all of them or by name: `"gpu"` keeps them on the device.
   *
   * @default "host"
   */
  readonly outputs?: OutputLocation | Readonly<Record<string, OutputLocation>>;
  /**
   * Sizes for names in the model's shapes. What is fixed can be planned ahead, and stays on the GPU.
   *
   * @default {}
   */
  readonly dimensions?: Readonly<Record<string, number>>;
  /**
   * Records the first run's GPU work and replays it from then on; only for `"webgpu"`, only with inputs and outputs
   * on the GPU, and always with the same buffers. Many models replay **wrong** unless they were rewritten for it:
   * let {@linkcode checkSession} compare before relying on it.
   *
   * @default false
   */
  readonly capture?: boolean;
  /**
   * Whether operators that the GPU cannot do may run on the CPU, with a copy there and back.
   *
   * @default true
   */
  readonly cpuFallback?: boolean;
  /**
   * Whether each run looks at what it gives in host memory, and refuses what is not finite.
   *
   * @default false
   */
  readonly checkFinite?: boolean;
  /**
   * What errors call it.
   *
   * @default the name of its file
   */
  readonly name?: string;
  /**
   * Where the runtime's own .wasm is, or its bytes: for pages that serve it from elsewhere, and for programs that
   * may read no file. Only the first session of a process can say.
   *
   * @default beside the runtime's script
   */
  readonly runtime?: URL | Uint8Array;
  /** Limits for files that are fetched from addresses, and hashes that files must have. */
  readonly download?: DownloadOptions;
  /** Gives up opening. */
  readonly signal?: AbortSignal;
}

/**
 * Everything that can be wrong with options, before the runtime sees any of it: what it refuses half-way leaves it
 * unable to open another session.
 *
 * @throws {TypeError} for options that contradict each other
 * @throws {RangeError} for values out of range
 * @throws {BackendUnavailableError} for a device that is lost
 */
export function checkOptions(name: string, options: SessionOptions): void {
  const { device = "wasm", threads, dimensions = {}, gpuDevice } = options;
  if (device !== "wasm" && device !== "webgpu") {
    throw new RangeError(
      `Cannot open ${name} as device must be wasm or webgpu: current value is ${
        JSON.stringify(device)
      }`,
    );
  }
  if (threads !== undefined && !(Number.isInteger(threads) && threads > 0)) {
    throw new RangeError(
      `Cannot open ${name} as threads must be a whole number from 1 on: current value is ${threads}`,
    );
  }
  for (const [dimension, size] of Object.entries(dimensions)) {
    if (Number.isInteger(size) && size >= 0) continue;
    throw new RangeError(
      `Cannot open ${name} as dimensions must be whole numbers from 0 on: current ${dimension} is ${size}`,
    );
  }
  checkDownload(`open ${name}`, options.download);
  checkPlaces(name, options);
  if (gpuDevice !== undefined) watchDevice(gpuDevice);
  const loss = gpuDevice && lossOf(gpuDevice);
  if (loss !== undefined) throw deviceLost(name, "open", loss);
}

function checkPlaces(name: string, { device = "wasm", ...options }: SessionOptions): void {
  const { outputs = "host", capture = false } = options;
  const places = typeof outputs === "string" ? [outputs] : Object.values(outputs);
  const wrong = places.find((place) => place !== "host" && place !== "gpu");
  if (wrong !== undefined) {
    throw new RangeError(
      `Cannot open ${name} as outputs must be host or gpu: current value is ${
        JSON.stringify(wrong)
      }`,
    );
  }
  const onGpu = [
    places.includes("gpu") && "outputs on the GPU",
    capture && "capture",
    options.gpuDevice !== undefined && "gpuDevice",
    options.cpuFallback === false && "cpuFallback: false",
  ].filter((each) => each !== false);
  if (device === "wasm" && onGpu.length > 0) {
    throw new TypeError(
      `Cannot open ${name} as ${
        onGpu.join(", ")
      } must be for the device webgpu: current device is wasm`,
    );
  }
  if (capture && outputs !== "gpu") {
    throw new TypeError(
      `Cannot open ${name} as capture must have all outputs on the GPU: current outputs are ${
        JSON.stringify(outputs)
      }`,
    );
  }
}

/** The same for the runtime. */
export function toRuntimeOptions(
  options: SessionOptions,
  { gpuDevice, external }: {
    readonly gpuDevice: GPUDevice | undefined;
    readonly external: Readonly<Record<string, Uint8Array>>;
  },
): Readonly<Record<string, unknown>> {
  const { outputs = "host", capture = false, cpuFallback = true, dimensions = {} } = options;
  const externalData = Object.entries(external).map(([path, data]) => ({ path, data }));
  const place = (where: OutputLocation) => where === "gpu" ? "gpu-buffer" : "cpu";
  const onGpu = {
    // As an object: named by a string it would not hear of capture.
    executionProviders: [{ name: "webgpu", device: gpuDevice }],
    enableGraphCapture: capture,
    preferredOutputLocation: typeof outputs === "string"
      ? place(outputs)
      : Object.fromEntries(Object.entries(outputs).map(([name, where]) => [name, place(where)])),
    extra: {
      ...(cpuFallback ? {} : { session: { disable_cpu_ep_fallback: "1" } }),
      // It makes one buffer of the many that scatters must have to be replayed.
      ...(capture ? { optimization: { disable_specified_optimizers: CSE } } : {}),
    },
  };
  return {
    ...(gpuDevice === undefined ? { executionProviders: ["wasm"] } : onGpu),
    ...(externalData.length === 0 ? {} : { externalData }),
    freeDimensionOverrides: dimensions,
    logSeverityLevel: 4, // what it has to say is in what it throws
  };
}

/** As the runtime calls it. */
const CSE = "CommonSubexpressionElimination";
