import { lossOf, watchDevice } from "../../backend/webgpu/device.ts";
import { deviceLost } from "./session_errors.ts";
import { checkDownload, type DownloadOptions } from "./download.ts";
import { LEAST_MEMORY, MOST_MEMORY } from "./fixed_memory.ts";
import type { ModelSource } from "./session_source.ts";

/** Memory in which a session leaves its outputs. */
export type OutputLocation = "host" | "gpu";

/** Options of `openSession`. */
export interface SessionOptions {
  /**
   * Device on which the model runs. `pickDevice` of `@hooke/hooke/backend` returns the best one available.
   *
   * @default "wasm"
   */
  readonly device?: "wasm" | "webgpu";
  /**
   * GPU device of a `"webgpu"` session and its buffers. Share one device among sessions: the runtime keeps some
   * megabytes for every device that it was given. If you did not open the device with `openGpuDevice`, keep a
   * reference to its adapter, for the reason that `openGpuDevice` documents.
   *
   * @default a new device, which is destroyed with the session
   */
  readonly gpuDevice?: GPUDevice;
  /**
   * Number of threads on the CPU. With onnxruntime-web, each session with more than one thread has its own worker and
   * runtime in Deno. In Node and browsers there is one runtime, and the first session of a process decides for all
   * others. With onnxruntime-node, each session has its own threads. Pages that are not cross-origin isolated, or
   * that a bundler has put into a single script, can use one thread only; more threads are an error there.
   *
   * Large models gain from two threads if two processors are idle. Otherwise two threads may be slower than one.
   *
   * @default 1
   */
  readonly threads?: number;
  /**
   * Memory of a session with several threads in Deno, in bytes: from 16 MiB to 4 GiB − 64 KiB. It is reserved when
   * the session opens, cannot grow, and is committed only as it is used. A model that needs more fails with an
   * error. Ignored elsewhere, where the memory of the runtime grows up to 4 GiB.
   *
   * @default 2 GiB
   */
  readonly threadMemory?: number;
  /**
   * Timeout for calls of a session with several threads in Deno, in milliseconds; opening has at least a minute. When
   * it expires, the worker is terminated and the call fails. Ignored for other sessions, because only terminating the
   * thread ends a hanging call (see {@linkcode openSessionInWorker}).
   *
   * @default 300000
   */
  readonly timeout?: number;
  /**
   * Weights that are not in the model's file, by their location in the model.
   *
   * @default read from beside the model, if that is a file or an address
   */
  readonly externalData?: Readonly<Record<string, ModelSource>>;
  /**
   * Memory in which outputs are left, for all outputs or by output name: `"gpu"` leaves them on the device.
   *
   * @default "host"
   */
  readonly outputs?: OutputLocation | Readonly<Record<string, OutputLocation>>;
  /**
   * Sizes of named dimensions. With fixed sizes the runtime plans memory ahead, and shapes need not be computed on
   * the CPU.
   *
   * @default {}
   */
  readonly dimensions?: Readonly<Record<string, number>>;
  /**
   * True to record the GPU commands of the first run and to replay them in later runs. This needs `"webgpu"`,
   * inputs and outputs on the GPU, and the same buffers in every run. Many models replay **wrong results** unless
   * they were rewritten (see {@linkcode gpuForm}), so check them with {@linkcode checkSession} first.
   *
   * @default false
   */
  readonly capture?: boolean;
  /**
   * True if operators without a GPU implementation may run on the CPU. Their tensors are then copied to the CPU and
   * back.
   *
   * @default true
   */
  readonly cpuFallback?: boolean;
  /**
   * True to throw if an output in host memory has non-finite values.
   *
   * @default false
   */
  readonly checkFinite?: boolean;
  /**
   * Name of the model in error messages.
   *
   * @default the name of its file
   */
  readonly name?: string;
  /**
   * Implementation that runs the model on the processor. `"web"` is onnxruntime-web. `"native"` is the package
   * onnxruntime-node, which is two to six times faster and needs `--allow-ffi` in Deno. `"auto"` chooses native if
   * the program has the package and may load it; otherwise it chooses web, and `Session.note` gives the reason.
   * Native and web results differ in the last bits. Ignored on `"webgpu"`.
   *
   * @default "auto"
   */
  readonly runtime?: "auto" | "native" | "web";
  /**
   * Address or bytes of the .wasm file of onnxruntime-web, for pages that serve it from elsewhere, and for programs
   * without read permission. Only the first session of a process uses it.
   *
   * @default beside the script of onnxruntime-web
   */
  readonly wasmFile?: URL | Uint8Array;
  /** Limits and expected hashes for files that are downloaded. */
  readonly download?: DownloadOptions;
  /** Signal that aborts opening. */
  readonly signal?: AbortSignal;
}

/** Values of the option `runtime`. */
const RUNTIMES: readonly unknown[] = ["auto", "native", "web"];

/**
 * Checks options before the runtime sees them, because a failed creation leaves the runtime unable to open another
 * session.
 *
 * @throws {TypeError} if options contradict each other
 * @throws {RangeError} if a value is out of range
 * @throws {BackendUnavailableError} if the device is lost
 */
export function checkOptions(name: string, options: SessionOptions): void {
  const { device = "wasm", runtime = "auto", threads, dimensions = {}, gpuDevice } = options;
  if (device !== "wasm" && device !== "webgpu") {
    throw new RangeError(
      `Cannot open ${name}: device must be wasm or webgpu; got ${JSON.stringify(device)}`,
    );
  }
  if (!RUNTIMES.includes(runtime)) {
    throw new RangeError(
      `Cannot open ${name}: runtime must be auto, native or web; got ${JSON.stringify(runtime)}`,
    );
  }
  if (threads !== undefined && !(Number.isInteger(threads) && threads > 0)) {
    throw new RangeError(
      `Cannot open ${name}: threads must be a positive integer; got ${threads}`,
    );
  }
  checkThreadLimits(name, options);
  for (const [dimension, size] of Object.entries(dimensions)) {
    if (Number.isInteger(size) && size >= 0) continue;
    throw new RangeError(
      `Cannot open ${name}: dimension ${dimension} must be a non-negative integer; got ${size}`,
    );
  }
  checkDownload(`open ${name}`, options.download);
  checkPlaces(name, options);
  if (gpuDevice !== undefined) watchDevice(gpuDevice);
  const loss = gpuDevice && lossOf(gpuDevice);
  if (loss !== undefined) throw deviceLost(name, "open", loss);
}

function checkThreadLimits(name: string, { threadMemory, timeout }: SessionOptions): void {
  if (
    threadMemory !== undefined && !(threadMemory >= LEAST_MEMORY && threadMemory <= MOST_MEMORY)
  ) {
    throw new RangeError(
      `Cannot open ${name}: threadMemory must be from ${LEAST_MEMORY} to ${MOST_MEMORY} bytes; got ${threadMemory}`,
    );
  }
  if (timeout !== undefined && !(timeout > 0 && timeout < 2 ** 31)) {
    throw new RangeError(
      `Cannot open ${name}: timeout must be above 0 and below 2147483648 ms; got ${timeout}`,
    );
  }
}

function checkPlaces(name: string, { device = "wasm", ...options }: SessionOptions): void {
  const { outputs = "host", capture = false } = options;
  const places = typeof outputs === "string" ? [outputs] : Object.values(outputs);
  const wrong = places.find((place) => place !== "host" && place !== "gpu");
  if (wrong !== undefined) {
    throw new RangeError(
      `Cannot open ${name}: outputs must be host or gpu; got ${JSON.stringify(wrong)}`,
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
      `Cannot open ${name}: ${onGpu.join(" and ")} must be used with device: "webgpu"; got "wasm"`,
    );
  }
  if (capture && outputs !== "gpu") {
    throw new TypeError(
      `Cannot open ${name}: with capture, outputs must be gpu; got ${JSON.stringify(outputs)}`,
    );
  }
}

/** Converts session options to the session options of onnxruntime-node. */
export function toNativeOptions(
  { dimensions = {} }: SessionOptions,
  threads: number,
): Readonly<Record<string, unknown>> {
  return {
    executionProviders: ["cpu"],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    // Threads that wait actively would take the processors from other programs, and from the rest of a step.
    ...(threads === 1 ? {} : { extra: { session: { intra_op: { allow_spinning: "0" } } } }),
    freeDimensionOverrides: dimensions,
    logSeverityLevel: 4, // Errors carry the same information as the log.
  };
}

/** Converts session options to the session options of onnxruntime-web. */
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
  const onHost = {
    executionProviders: ["wasm"],
    // Threads wait actively within a run. The option `allow_spinning` has no effect in this runtime.
    ...(options.threads === undefined || options.threads === 1
      ? {}
      : { extra: { session: { force_spinning_stop: "1" } } }),
  };
  const onGpu = {
    // Pass the provider as an object: with its name alone, the runtime would ignore the options of capture.
    executionProviders: [{ name: "webgpu", device: gpuDevice }],
    enableGraphCapture: capture,
    preferredOutputLocation: typeof outputs === "string"
      ? place(outputs)
      : Object.fromEntries(Object.entries(outputs).map(([name, where]) => [name, place(where)])),
    extra: {
      ...(cpuFallback ? {} : { session: { disable_cpu_ep_fallback: "1" } }),
      // This optimization merges buffers that scatters must not share when they are replayed.
      ...(capture ? { optimization: { disable_specified_optimizers: CSE } } : {}),
    },
  };
  return {
    ...(gpuDevice === undefined ? onHost : onGpu),
    ...(externalData.length === 0 ? {} : { externalData }),
    freeDimensionOverrides: dimensions,
    logSeverityLevel: 4, // Errors carry the same information as the log.
  };
}

/** Name of common subexpression elimination in the runtime. */
const CSE = "CommonSubexpressionElimination";
