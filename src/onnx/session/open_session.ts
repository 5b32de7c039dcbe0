/**
 * The one door to onnxruntime-web. Nothing of it is loaded until a session is opened, and then only the build that
 * the device needs; nothing else in this package imports it.
 *
 * @module
 */

import { openGpuDevice } from "../../backend/webgpu/device.ts";
import { explain, isStuck } from "./session_errors.ts";
import { lossToShow } from "./session_gpu.ts";
import { withRuntime } from "./session_lock.ts";
import { loadModel } from "./session_model.ts";
import { checkOptions, type SessionOptions, toRuntimeOptions } from "./session_options.ts";
import { LockedSession, type Session, type SessionParts } from "./session_run.ts";
import type { Runtime, RuntimeSession } from "./session_runtime.ts";
import type { ModelSource } from "./session_source.ts";
import {
  checkThreads,
  defaultThreads,
  isServer,
  keepingWorker,
  possibleThreads,
} from "./session_threads.ts";

/**
 * The builds that were loaded, and whether each has opened a session. One per process; sessions in workers have
 * their own.
 */
const builds: { [build in "wasm" | "webgpu"]: { runtime?: Runtime; isStarted: boolean } } = {
  wasm: { isStarted: false },
  webgpu: { isStarted: false },
};

/**
 * Opens a model: reads it, checks what can be checked before the runtime sees it, and makes it ready to run.
 *
 * @param source the bytes of a model, its address, or the path of its file
 * @throws {SyntaxError} for a file that is damaged, is no model, or needs what onnxruntime-web cannot do; it says
 * which operator, and what to do
 * @throws {TypeError} for options that contradict each other, and for inputs that are no tensors of numbers
 * @throws {RangeError} for options out of range
 * @throws {Error} when a file cannot be read
 * @throws {BackendUnavailableError} where there is no such device, or too little memory
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
  const { device = "wasm", signal } = options;
  checkOptions(options.name ?? "a model", options);
  const { bytes, name, outline, external } = await loadModel(source, options);
  const ownsDevice = device === "webgpu" && options.gpuDevice === undefined;
  const gpuDevice = ownsDevice ? await openGpuDevice() : options.gpuDevice;
  const parts = { name, device, gpuDevice, ownsDevice, outline };
  try {
    return await withRuntime(async () => {
      signal?.throwIfAborted();
      const runtime = await startRuntime(parts, options);
      const settings = toRuntimeOptions(options, { gpuDevice, external });
      const session = await createIn(runtime, bytes, settings, parts);
      return await admit({ ...parts, runtime, session }, options);
    });
  } catch (error) {
    if (ownsDevice) gpuDevice?.destroy();
    throw error;
  }
}

/** What is known before there is a session. */
type Known = Omit<SessionParts, "runtime" | "session" | "isCaptured" | "checkFinite">;

/** The build that the device needs, told how to start. */
async function startRuntime(
  known: Known,
  { threads, runtime: files }: SessionOptions,
): Promise<Runtime> {
  const build = builds[known.device];
  try {
    build.runtime ??= await (known.device === "webgpu" ? importWebgpu() : importWasm());
  } catch (error) {
    throw explain(error, { ...known, during: "load" });
  }
  const { wasm } = build.runtime.env;
  if (!build.isStarted) {
    // More than one thread keeps the WebGPU build from starting, for good.
    wasm.numThreads = known.device === "wasm"
      ? possibleThreads(threads ?? defaultThreads(), build.runtime)
      : 1;
    if (files instanceof Uint8Array) wasm.wasmBinary = files;
    else if (files !== undefined) wasm.wasmPaths = { wasm: files.href };
  } else if (known.device === "wasm") {
    checkThreads(known.name, threads, build.runtime);
  }
  return build.runtime;
}

async function importWasm(): Promise<Runtime> {
  const ort = isServer() ? await import("onnxruntime-web") : await import("onnxruntime-web/wasm");
  return ort as unknown as Runtime;
}

/**
 * In a worker of Deno's `location.origin` is "null", of which this build makes an address that is none, as it is
 * loaded. Without a location it does without.
 */
async function importWebgpu(): Promise<Runtime> {
  const here = Object.getOwnPropertyDescriptor(globalThis, "location");
  const { location } = globalThis as { readonly location?: { readonly origin: string } };
  const hides = location?.origin === "null" && here?.configurable === true;
  if (hides) {
    Object.defineProperty(globalThis, "location", { value: undefined, configurable: true });
  }
  try {
    const ort = await import("onnxruntime-web/webgpu");
    return ort as unknown as Runtime;
  } finally {
    if (hides) Object.defineProperty(globalThis, "location", here);
  }
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
    const session = build.isStarted
      ? await createAgain(runtime, create)
      : await keepingWorker(create);
    build.isStarted = true;
    return session;
  } catch (error) {
    // It says so when it did not get as far as the model.
    const isLoad = error instanceof Error && error.message.startsWith("no available backend");
    build.isStarted ||= !isLoad;
    await lossToShow(known.gpuDevice);
    throw explain(error, { ...known, during: isLoad ? "load" : "create" });
  }
}

/**
 * A session that could not be created half-way leaves the WebGPU build believing that it still is, and refusing every
 * other. What ends that belief is the end of any creation that gets as far as the model, be it none, be it on the
 * CPU: so one byte that is no model is opened there.
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

/** Makes a session of the runtime's, or gives that back. */
async function admit(
  parts: Omit<SessionParts, "isCaptured" | "checkFinite">,
  { capture = false, checkFinite = false, outputs = "host" }: SessionOptions,
): Promise<Session> {
  try {
    const session = new LockedSession({ ...parts, isCaptured: capture, checkFinite });
    if (typeof outputs !== "string") checkOutputNames(session, Object.keys(outputs));
    return session;
  } catch (error) {
    await parts.session.release();
    throw error;
  }
}

function checkOutputNames({ name, outputs }: Session, wanted: readonly string[]): void {
  const names = outputs.map((output) => output.name);
  const strange = wanted.find((each) => !names.includes(each));
  if (strange === undefined) return;
  throw new RangeError(
    `Cannot open ${name} as outputs must be among ${names.join(", ")}: ${strange} is not`,
  );
}
