/**
 * The only file that imports onnxruntime-web. It loads a build of the runtime when the first session that needs it
 * is opened.
 *
 * @module
 */

import { openGpuDevice } from "../../backend/webgpu/device.ts";
import { admitSession } from "./admit_session.ts";
import { explain, isStuck } from "./session_errors.ts";
import { lossToShow } from "./session_gpu.ts";
import { withRuntime } from "./session_lock.ts";
import { DEFAULT_MEMORY, withFixedMemory } from "./fixed_memory.ts";
import { type HostRuntime, pickHostRuntime } from "./native/host_runtime.ts";
import { openNativeSession } from "./native/open_native.ts";
import { orderedForm } from "./ordered_form.ts";
import { type LoadedModel, loadModel } from "./session_model.ts";
import { checkOptions, type SessionOptions, toRuntimeOptions } from "./session_options.ts";
import type { Session, SessionParts } from "./session_run.ts";
import type { Runtime, RuntimeSession } from "./session_runtime.ts";
import type { ModelSource } from "./session_source.ts";
import { checkStartedThreads, checkThreads, keepingWorker } from "./session_threads.ts";
import { openThreadedSession } from "./workers/threaded_session.ts";
import { withoutNullOrigin } from "../../platform/page.ts";
import { isDeno, isServer } from "../../platform/process.ts";

/**
 * State of the two builds of onnxruntime-web. `isStarted` becomes true when a build starts; its options cannot be
 * changed after that. Each thread has its own builds, so sessions in workers do not share them.
 */
const builds: { [build in "wasm" | "webgpu"]: { runtime?: Runtime; isStarted: boolean } } = {
  wasm: { isStarted: false },
  webgpu: { isStarted: false },
};

/**
 * Opens a model: reads it, checks it before the runtime sees it, and prepares it to run.
 *
 * @param source bytes of a model, its address, or the path of its file
 * @throws {SyntaxError} if the file is damaged, is not a model, or needs something that onnxruntime-web does not
 * support. The message names the operator and a remedy
 * @throws {TypeError} if options contradict each other, or an input is not a tensor of numbers
 * @throws {RangeError} if an option is out of range
 * @throws {Error} if a file cannot be read
 * @throws {BackendUnavailableError} if the device is missing or lost, memory is too small, or the runtime cannot
 * start
 *
 * @example
 * ```ts
 * import { dataOf, openSession } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * // y = x + x, for any number of rows of three
 * const double = Uint8Array.fromBase64(
 *   "CAo6QwoSCgF4CgF4EgF5GgIueSIDQWRkEgFnWhQKAXgSDwoNCAESCQoDEgFOCgIIA2IUCgF5Eg8KDQgBEgkKAxIBTgoCCANCAhAS",
 * );
 * await using session = await openSession(double);
 * const outputs = await session.run({ x: { data: Float32Array.of(1, 2, 3), dims: [1, 3] } });
 * assertEquals([...dataOf(outputs, "y", "float32")], [2, 4, 6]);
 * ```
 */
export async function openSession(
  source: ModelSource,
  options: SessionOptions = {},
): Promise<Session> {
  checkOptions(options.name ?? "a model", options);
  const loaded = await loadModel(source, options);
  const { device = "wasm", threads = 1 } = options;
  const host = await pickHostRuntime(loaded.name, options);
  // If several threads hang, the calling thread spins and its timers never fire. A worker can be terminated.
  if (isDeno() && device === "wasm" && host.native === undefined && threads > 1) {
    const bytes = orderedForm(loaded.bytes, loaded);
    const note = host.note;
    return await openThreadedSession({ ...loaded, bytes }, { ...options, runtime: "web" }, note);
  }
  return await openLoaded(loaded, options, host);
}

/**
 * Opens a model in the current thread, even with several threads in Deno. The worker of a session calls this
 * function.
 */
export async function openSessionHere(
  bytes: Uint8Array,
  options: SessionOptions,
): Promise<Session> {
  checkOptions(options.name ?? "a model", options);
  const loaded = await loadModel(bytes, options);
  return await openLoaded(loaded, options, await pickHostRuntime(loaded.name, options));
}

async function openLoaded(
  loaded: LoadedModel,
  options: SessionOptions,
  { native, note }: HostRuntime,
): Promise<Session> {
  if (native !== undefined) return await openNativeSession(loaded, options, native);
  const { bytes, name, outline, external } = loaded;
  const { device = "wasm", signal } = options;
  const ownsDevice = device === "webgpu" && options.gpuDevice === undefined;
  const gpuDevice = ownsDevice ? await openGpuDevice() : options.gpuDevice;
  const parts = {
    name,
    device,
    gpuDevice,
    ownsDevice,
    outline,
    note,
    threadMemory: fixedMemory(options),
  };
  try {
    return await withRuntime(async () => {
      signal?.throwIfAborted();
      const runtime = await startRuntime(parts, options);
      const settings = toRuntimeOptions(options, { gpuDevice, external });
      const threads = runtime.env.wasm.numThreads ?? 1;
      const ordered = device === "wasm" && threads > 1 ? orderedForm(bytes, parts) : bytes;
      const session = await createIn(runtime, ordered, settings, parts);
      return await admitSession({ ...parts, threads, runtime, session }, options);
    });
  } catch (error) {
    if (ownsDevice) gpuDevice?.destroy();
    throw error;
  }
}

/** Returns the size of the runtime's memory in bytes if it must not grow; `undefined` if it may grow. */
function fixedMemory(
  { device = "wasm", threads = 1, threadMemory }: SessionOptions,
): number | undefined {
  if (!isDeno() || device !== "wasm" || threads === 1) return undefined;
  return threadMemory ?? DEFAULT_MEMORY;
}

/** Properties of a session that are known before the runtime creates it. */
type Known =
  & Omit<SessionParts, "device" | "threads" | "runtime" | "session" | "isCaptured" | "checkFinite">
  & { readonly device: "wasm" | "webgpu" };

/** Loads the build of the runtime for the device, and sets its options before it starts. */
async function startRuntime(
  known: Known,
  { threads, wasmFile }: SessionOptions,
): Promise<Runtime> {
  const build = builds[known.device];
  try {
    build.runtime ??= await (known.device === "webgpu" ? importWebgpu() : importWasm());
  } catch (error) {
    throw explain(error, { ...known, during: "load" });
  }
  const { wasm } = build.runtime.env;
  const isOnHost = known.device === "wasm";
  if (isOnHost) checkThreads(known.name, threads ?? 1, build.runtime);
  if (!build.isStarted) {
    // With more than one thread the WebGPU build fails to start, and cannot be started again.
    wasm.numThreads = isOnHost ? threads ?? 1 : 1;
    if (wasmFile instanceof Uint8Array) wasm.wasmBinary = wasmFile;
    else if (wasmFile !== undefined) wasm.wasmPaths = { wasm: wasmFile.href };
  } else if (isOnHost) {
    checkStartedThreads(known.name, threads, build.runtime);
  }
  return build.runtime;
}

async function importWasm(): Promise<Runtime> {
  const ort = isServer() ? await import("onnxruntime-web") : await import("onnxruntime-web/wasm");
  return ort as unknown as Runtime;
}

/**
 * Imports the WebGPU build. While it loads, it parses `location.origin` as a URL if there is a location. In a Deno
 * worker the origin is "null", which is not a valid URL, so `location` is hidden meanwhile.
 */
async function importWebgpu(): Promise<Runtime> {
  return await withoutNullOrigin(() => import("onnxruntime-web/webgpu")) as unknown as Runtime;
}

async function createIn(
  runtime: Runtime,
  bytes: Uint8Array,
  settings: Readonly<Record<string, unknown>>,
  known: Known,
): Promise<RuntimeSession> {
  const build = builds[known.device];
  try {
    const create = () => runtime.InferenceSession.create(bytes, settings);
    const { threadMemory } = known;
    const first = threadMemory === undefined ? create : () => withFixedMemory(threadMemory, create);
    const session = build.isStarted
      ? await createAgain(runtime, create)
      : await keepingWorker(first);
    build.isStarted = true;
    return session;
  } catch (error) {
    // Messages of the runtime begin like this if it failed before it read the model.
    const isLoad = error instanceof Error && error.message.startsWith("no available backend");
    build.isStarted ||= !isLoad;
    await lossToShow(known.gpuDevice);
    throw explain(error, { ...known, during: isLoad ? "load" : "create" });
  }
}

/**
 * Creates a session, and retries once if an earlier failure blocks the WebGPU build. After a creation that has failed
 * half-way, this build still considers it in progress and refuses all others. Any creation that reaches the parsing
 * of a model resets this state, even one on the CPU with an invalid model. So the retry first opens a single invalid
 * byte.
 */
async function createAgain(
  runtime: Runtime,
  create: () => Promise<RuntimeSession>,
): Promise<RuntimeSession> {
  try {
    return await create();
  } catch (error) {
    if (!isStuck(error)) throw error;
    const quiet = { executionProviders: ["wasm"], logSeverityLevel: 4 };
    await runtime.InferenceSession.create(new Uint8Array(1), quiet).catch(() => {});
    return await create();
  }
}
