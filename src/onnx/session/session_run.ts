import { lossOf } from "../../backend/webgpu/device.ts";
import { brokenOff, deviceLost, explain, isBrokenOff } from "./session_errors.ts";
import { type Expected, toRuntimeFeeds, toRuntimeFetches } from "./session_feeds.ts";
import { lossToShow, SessionGpuTensor } from "./session_gpu.ts";
import { withRuntime } from "./session_lock.ts";
import type { ModelOutline } from "../describe/model_outline.ts";
import { toHostTensor } from "./session_outputs.ts";
import type { Runtime, RuntimeMetadata, RuntimeSession, RuntimeTensor } from "./session_runtime.ts";
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

/** A model, ready to run. */
export interface Session {
  /** What errors call it. */
  readonly name: string;
  /** Where it runs; `"evaluator"` is plain TypeScript, with no runtime. */
  readonly device: "wasm" | "webgpu" | "evaluator";
  /** The device that its GPU buffers are on. */
  readonly gpuDevice: GPUDevice | undefined;
  /** How many threads it uses on wasm; with another number sums may differ in the last bit. */
  readonly threads: number;
  /** Whether its GPU work is recorded and replayed. */
  readonly isCaptured: boolean;
  /** What it is fed, in the model's order. */
  readonly inputs: readonly TensorInfo[];
  /** What it gives. */
  readonly outputs: readonly TensorInfo[];
  /** What it is made of. */
  readonly outline: ModelOutline;
  /**
   * Runs the model once, when every earlier call of any session has ended.
   *
   * What is fed is read when its turn comes: until then leave it as it is.
   *
   * @throws {TypeError} for names, types and places that do not fit
   * @throws {RangeError} for shapes and lengths that do not fit, for what an operator refuses, and with `checkFinite`
   * for what is not finite
   * @throws {BackendUnavailableError} for a device that is lost, too little memory, and a runtime out of order
   */
  run(feeds: Feeds, fetches?: Fetches): Promise<Outputs>;
  /** Gives everything back, outputs on the GPU that nobody disposed of included. Twice is once. */
  dispose(): Promise<void>;
  /** The same. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a session is made of. */
export interface SessionParts {
  readonly name: string;
  readonly device: "wasm" | "webgpu";
  readonly gpuDevice: GPUDevice | undefined;
  /** Whether the device is the session's, to be destroyed with it. */
  readonly ownsDevice: boolean;
  readonly isCaptured: boolean;
  readonly checkFinite: boolean;
  readonly outline: ModelOutline;
  readonly runtime: Runtime;
  readonly session: RuntimeSession;
}

/** What it has to say is in what it throws. */
const QUIET = { logSeverityLevel: 4 };

/** A session of onnxruntime, behind the lock. */
export class LockedSession implements Session {
  readonly name: string;
  readonly device: "wasm" | "webgpu";
  readonly gpuDevice: GPUDevice | undefined;
  readonly threads: number;
  readonly isCaptured: boolean;
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  readonly outline: ModelOutline;
  readonly #parts: SessionParts;
  readonly #expected: Expected;
  /** Outputs on the GPU that are the caller's until they dispose of them. */
  readonly #given = new Set<RuntimeTensor>();
  /** Input → the buffer it was captured with. */
  #captured: ReadonlyMap<string, RuntimeTensor> | undefined;
  #disposed: Promise<void> | undefined;
  #isBrokenOff = false;

  constructor(parts: SessionParts) {
    const { name, device, gpuDevice, isCaptured, outline, runtime, session } = parts;
    this.name = name;
    this.device = device;
    this.gpuDevice = gpuDevice;
    this.isCaptured = isCaptured;
    this.outline = outline;
    this.threads = runtime.env.wasm.numThreads ?? 1;
    this.inputs = session.inputMetadata.map((each) => toInfo(name, each));
    this.outputs = session.outputMetadata.map((each) => toInfo(name, each));
    this.#parts = parts;
    this.#expected = {
      name,
      isGpu: device === "webgpu",
      inputs: byName(this.inputs),
      outputs: byName(this.outputs),
    };
  }

  async run(feeds: Feeds, fetches?: Fetches): Promise<Outputs> {
    this.#checkOpen();
    const { runtime, session } = this.#parts;
    const given = toRuntimeFeeds(runtime, this.#expected, feeds);
    const wanted = toRuntimeFetches(runtime, this.#expected, fetches);
    if (this.isCaptured) this.#checkCaptured(given, wanted);
    const results = await withRuntime(async () => {
      this.#checkOpen();
      try {
        return await session.run(given, wanted, QUIET);
      } catch (error) {
        // Before the next one has its turn: on a device that is lost, and not known to be, it would hang for good.
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
      // What was on a lost device is gone with it.
      if (this.gpuDevice === undefined || lossOf(this.gpuDevice) === undefined) {
        throw explain(error, { ...this.#parts, during: "release" });
      }
    } finally {
      if (this.#parts.ownsDevice) this.gpuDevice?.destroy();
    }
  }

  #checkOpen(): void {
    if (this.#disposed !== undefined) {
      throw new Error(`Cannot run ${this.name} as its session must be open: it was disposed of`);
    }
    const loss = this.gpuDevice && lossOf(this.gpuDevice);
    if (loss !== undefined) throw deviceLost(this.name, "run", loss);
    if (this.#isBrokenOff) throw brokenOff(this.name);
  }

  /** A replay reads and writes where the recording did, whatever it is given. */
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
        `Cannot run ${this.name} captured as ${name} must be ${
          isOutput
            ? "in a buffer of the session's"
            : before === undefined
            ? "in a GPU buffer"
            : "in the buffer, and of the sizes, it was captured with"
        }: it is elsewhere`,
      );
    }
    const isAll = Object.keys(wanted).length === this.outputs.length;
    if (!isAll) {
      throw new TypeError(
        `Cannot run ${this.name} captured as all outputs must be fetched: some are not`,
      );
    }
    this.#captured ??= new Map(Object.entries(given));
  }

  #explain(error: unknown): Error {
    if (this.device === "webgpu" && isBrokenOff(error)) this.#isBrokenOff = true;
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
      // The buffer is the recording's, and the same at each run; this is only another hold on it.
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
    `Cannot open ${model} as ${name} must be a tensor of numbers: it is ${
      isTensor ? `one of ${type}` : "no tensor"
    }`,
  );
}

/** A length that nobody named is −1 to the runtime, which comes out as 2³² − 1. */
function lengthOf(length: number | string): number | string {
  return length === 2 ** 32 - 1 || length === -1 ? "" : length;
}
