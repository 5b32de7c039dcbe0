import { lossOf } from "../../backend/webgpu/device.ts";
import { abortedRun, deviceLost, explain, isAborted } from "./session_errors.ts";
import { type Expected, toRuntimeFeeds, toRuntimeFetches } from "./session_feeds.ts";
import { lossToShow, SessionGpuTensor } from "./session_gpu.ts";
import { withRuntime } from "./session_lock.ts";
import type { ModelOutline } from "../describe/model_outline.ts";
import { toHostTensor } from "./session_outputs.ts";
import type {
  Runtime,
  RuntimeMetadata,
  RuntimeSession,
  RuntimeTensor,
  SessionDevice,
} from "./session_runtime.ts";
import {
  type Feeds,
  type Fetches,
  type GpuTensor,
  type HostTensor,
  type Outputs,
  TENSOR_ARRAYS,
  type TensorDtype,
  type TensorInfo,
} from "./session_tensor.ts";

/** A model that is open in a runtime and ready to run. */
export interface Session {
  /** Name of the model in error messages. */
  readonly name: string;
  /**
   * Implementation that runs the model: onnxruntime-web (`"wasm"` or `"webgpu"`), onnxruntime-node (`"native"`), or
   * plain TypeScript without a runtime (`"evaluator"`).
   */
  readonly device: SessionDevice | "evaluator";
  /**
   * Reason why `runtime: "auto"` did not choose onnxruntime-node, such as that it is not installed; "" in all other
   * cases.
   */
  readonly note: string;
  /** Device of the session's GPU buffers; `undefined` unless `device` is `"webgpu"`. */
  readonly gpuDevice: GPUDevice | undefined;
  /** Number of threads on the CPU. Another number of threads may change the last bits of sums. */
  readonly threads: number;
  /** True if GPU commands are recorded and replayed. */
  readonly isCaptured: boolean;
  /** Inputs, in the model's order. */
  readonly inputs: readonly TensorInfo[];
  /** Outputs, in the model's order. */
  readonly outputs: readonly TensorInfo[];
  /** Operators and types of the model. */
  readonly outline: ModelOutline;
  /**
   * Runs the model once, after all earlier calls of any session have ended.
   *
   * Do not change the inputs until the promise settles: they are read when it is this call's turn.
   *
   * @throws {TypeError} if names, types or memory locations do not fit
   * @throws {RangeError} if shapes or lengths do not fit, an operator reports an error, or `checkFinite` finds
   * non-finite values
   * @throws {BackendUnavailableError} if the device is lost, memory is exhausted, or the runtime is broken
   */
  run(feeds: Feeds, fetches?: Fetches): Promise<Outputs>;
  /** Releases the session and all its GPU outputs. Calling it again has no effect. */
  dispose(): Promise<void>;
  /** Releases the session, as `dispose` does. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Objects of the runtime and settings from which a session is created. */
export interface SessionParts {
  readonly name: string;
  readonly device: SessionDevice;
  /** Value of `Session.note`. */
  readonly note: string;
  /** Number of threads on the CPU. */
  readonly threads: number;
  readonly gpuDevice: GPUDevice | undefined;
  /** True if the session owns the device and destroys it. */
  readonly ownsDevice: boolean;
  readonly isCaptured: boolean;
  readonly checkFinite: boolean;
  readonly outline: ModelOutline;
  /** Size of the memory that the session's threads share, in bytes; `undefined` if it can grow. */
  readonly threadMemory: number | undefined;
  readonly runtime: Runtime;
  readonly session: RuntimeSession;
}

/** Options of runs, which turn off logging: errors carry the same information as the log. */
const QUIET = { logSeverityLevel: 4 };

/** A session of onnxruntime. Its calls wait for the lock of the runtime. */
export class LockedSession implements Session {
  readonly name: string;
  readonly device: SessionDevice;
  readonly note: string;
  readonly gpuDevice: GPUDevice | undefined;
  readonly threads: number;
  readonly isCaptured: boolean;
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  readonly outline: ModelOutline;
  readonly #parts: SessionParts;
  readonly #expected: Expected;
  /** Outputs on the GPU that the caller has not yet disposed of. */
  readonly #given = new Set<RuntimeTensor>();
  /** Tensors of the first run of a captured session, by input or output name; `undefined` before that run. */
  #captured: ReadonlyMap<string, RuntimeTensor> | undefined;
  #disposed: Promise<void> | undefined;
  #isAborted = false;

  constructor(parts: SessionParts) {
    const { name, device, gpuDevice, isCaptured, outline, session } = parts;
    this.name = name;
    this.device = device;
    this.note = parts.note;
    this.gpuDevice = gpuDevice;
    this.isCaptured = isCaptured;
    this.outline = outline;
    this.threads = parts.threads;
    this.inputs = session.inputMetadata.map((each) => toInfo(name, each));
    this.outputs = session.outputMetadata.map((each) => toInfo(name, each));
    this.#parts = parts;
    this.#expected = {
      name,
      isGpu: device === "webgpu",
      copiesShared: device === "native",
      inputs: byName(this.inputs),
      outputs: byName(this.outputs),
    };
  }

  async run(feeds: Feeds, fetches?: Fetches): Promise<Outputs> {
    this.#checkOpen();
    const { runtime, session } = this.#parts;
    // Check everything before the lock is taken: an invalid call must not wait, and the runtime reports
    // mistakes only after it has started.
    const given = toRuntimeFeeds(runtime, this.#expected, feeds);
    const wanted = toRuntimeFetches(runtime, this.#expected, fetches);
    if (this.isCaptured) this.#checkCaptured(given, wanted);
    const results = await withRuntime(async () => {
      // The session may have been disposed of, or its device lost, while this call waited for the lock.
      this.#checkOpen();
      try {
        return await session.run(given, wanted, QUIET);
      } catch (error) {
        // Learn about a lost device before the next call starts: on such a device it would hang forever.
        await lossToShow(this.gpuDevice);
        throw this.#explain(error);
      }
    });
    return this.#toOutputs(results, wanted, fetches);
  }

  dispose(): Promise<void> {
    return this.#disposed ??= this.#dispose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  async #dispose(): Promise<void> {
    try {
      await withRuntime(() => {
        for (const tensor of this.#given) tensor.dispose();
        this.#given.clear();
        return this.#parts.session.release();
      });
    } catch (error) {
      // Buffers of a lost device are gone already.
      if (this.gpuDevice === undefined || lossOf(this.gpuDevice) === undefined) {
        throw explain(error, { ...this.#parts, during: "release" });
      }
    } finally {
      if (this.#parts.ownsDevice) this.gpuDevice?.destroy();
    }
  }

  #checkOpen(): void {
    if (this.#disposed !== undefined) {
      throw new Error(`Cannot run ${this.name}: its session was disposed of`);
    }
    const loss = this.gpuDevice && lossOf(this.gpuDevice);
    if (loss !== undefined) throw deviceLost(this.name, "run", loss);
    if (this.#isAborted) throw abortedRun(this.name);
  }

  /**
   * Throws a TypeError if an input is not in the buffer of the first run, or not every output is fetched into a
   * buffer of the session. A replay always uses the buffers of the recording.
   */
  #checkCaptured(
    given: Readonly<Record<string, RuntimeTensor>>,
    wanted: Readonly<Record<string, RuntimeTensor | null>>,
  ): void {
    for (const [name, tensor] of Object.entries({ ...given, ...wanted })) {
      const isOutput = name in wanted;
      const before = this.#captured?.get(name);
      const fits = isOutput
        ? tensor === null
        : tensor?.location === "gpu-buffer" && (before === undefined || isSame(before, tensor));
      if (fits) continue;
      throw new TypeError(
        `Cannot run ${this.name} with capture: ${name} must be ${
          isOutput
            ? "in a buffer of the session"
            : before === undefined
            ? "in a GPU buffer"
            : "in the same buffer, with the same shape, as in the first run"
        }; got another`,
      );
    }
    const isAll = Object.keys(wanted).length === this.outputs.length;
    if (!isAll) {
      throw new TypeError(
        `Cannot run ${this.name} with capture: all outputs must be fetched; got ${
          Object.keys(wanted).join(", ") || "no outputs"
        }`,
      );
    }
    this.#captured ??= new Map(Object.entries(given));
  }

  #explain(error: unknown): Error {
    if (this.device === "webgpu" && isAborted(error)) this.#isAborted = true;
    return explain(error, { ...this.#parts, during: "run" });
  }

  #toOutputs(
    results: Readonly<Record<string, RuntimeTensor>>,
    wanted: Readonly<Record<string, RuntimeTensor | null>>,
    fetches: Fetches | undefined,
  ): Outputs {
    const outputs: Record<string, HostTensor | GpuTensor> = {};
    for (const name in wanted) {
      const result = results[name]!;
      outputs[name] = result.location === "gpu-buffer"
        ? this.#toGpuTensor(result, wanted[name] !== null)
        : toHostTensor(this.#parts, this.#expected.outputs.get(name)!, result, fetches);
    }
    return outputs;
  }

  #toGpuTensor(result: RuntimeTensor, isCallers: boolean): GpuTensor {
    const owner = { name: this.name, gpuDevice: this.gpuDevice! };
    if (isCallers) return new SessionGpuTensor(owner, result);
    if (this.isCaptured) {
      // Replays write into the same buffer. This tensor is only another reference to it.
      const tensor = new SessionGpuTensor(owner, result);
      result.dispose();
      return tensor;
    }
    this.#given.add(result);
    return new SessionGpuTensor(owner, result, () => {
      if (this.#given.delete(result)) result.dispose();
    });
  }
}

function isSame(a: RuntimeTensor, b: RuntimeTensor): boolean {
  return a.gpuBuffer === b.gpuBuffer && a.dims.join() === b.dims.join();
}

function byName(infos: readonly TensorInfo[]): ReadonlyMap<string, TensorInfo> {
  return new Map(infos.map((info) => [info.name, info]));
}

function toInfo(model: string, { name, isTensor, type, shape }: RuntimeMetadata): TensorInfo {
  if (isTensor && type !== undefined && Object.hasOwn(TENSOR_ARRAYS, type)) {
    return { name, dtype: type as TensorDtype, shape: (shape ?? []).map(lengthOf) };
  }
  throw new TypeError(
    `Cannot open ${model}: ${name} must be a tensor of numbers; got ${
      isTensor ? `a tensor of ${type}` : "another kind of value"
    }`,
  );
}

/**
 * Returns a dimension as sessions report it. An unnamed dimension, which the runtime reports as −1 or 2³² − 1,
 * becomes "".
 */
function lengthOf(length: number | string): number | string {
  return length === 2 ** 32 - 1 || length === -1 ? "" : length;
}
