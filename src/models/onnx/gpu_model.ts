/**
 * A model on a GPU. Its sessions use the buffers of the backend, so nothing is copied between the model and the
 * integrator.
 *
 * @module
 */

import type { Buffer, FrameBuffers, WebGpuBackend } from "../../backend/mod.ts";
import { BackendUnavailableError } from "../../backend/backend_unavailable_error.ts";
import { decodeModel } from "../../onnx/codec/codec.ts";
import { gpuForm } from "../../onnx/session/gpu_form.ts";
import { openSession } from "../../onnx/session/open_session.ts";
import { checkSession, type SessionCheck } from "../../onnx/session/check_session.ts";
import type { FeedsByInput } from "../../onnx/session/compare_sessions.ts";
import type { Session } from "../../onnx/session/session_run.ts";
import type { Fetches, GpuFeed, GpuTensor } from "../../onnx/session/session_tensor.ts";
import { describeValue } from "../../onnx/codec/value_info.ts";
import { ModelMismatchError } from "./model_mismatch_error.ts";

/** An input of a model, with the buffer that holds its values. */
export interface GpuInput {
  /** Name of the input. */
  readonly name: string;
  /** Buffer with its values. A buffer that grows is moved to other memory. */
  readonly buffer: Buffer;
  /** Returns the current shape of the input. */
  dims(): readonly number[];
}

/** An output of a model, with the buffer that receives its values. */
export interface GpuOutput {
  /** Name of the output. */
  readonly name: string;
  /** Buffer that receives its values. */
  readonly buffer: Buffer;
}

/** Arguments of the constructor of {@linkcode GpuModel}. */
export interface GpuModelParts {
  /** Name of the model in error messages. */
  readonly name: string;
  /** Bytes of the model's file. */
  readonly bytes: Uint8Array;
  /** Throws an Error if the model was disposed of. */
  readonly assertOpen: () => void;
  /** Receives the results of two comparisons as text: the GPU with wasm, and a recorded run with a plain run. */
  readonly note: (text: string) => void;
  /** Results of the comparisons, by device. They are shared by all engines on a device. */
  readonly checks: WeakMap<GPUDevice, Promise<SessionCheck>>;
  /** The backend whose buffers the model uses. */
  readonly backend: WebGpuBackend;
  /** Buffers that describe the batch to kernels. */
  readonly frame: FrameBuffers;
  /** All inputs of the model. */
  readonly inputs: readonly GpuInput[];
  /** The outputs to compute. */
  readonly outputs: readonly GpuOutput[];
  /**
   * Called before the model runs on lists of a new length. Returns whether the model may run on padded lists, or
   * throws. If a length changes during a run, the function is called only after that run.
   */
  readonly mayRun: () => Promise<boolean>;
  /** Receives the reason if a first run has failed. The caller must then run the model on the host. */
  readonly failed: (reason: string) => void;
  /** Name of a floating-point input that changes at each step, such as the positions. */
  readonly moving: string;
  /** Factors by which the values of inputs are multiplied, by name of the input. */
  readonly scales: Readonly<Record<string, number>>;
}

/** A session for one set of input shapes. */
interface Ready {
  readonly key: string;
  readonly session: Session;
  readonly feeds: Readonly<Record<string, GpuFeed>>;
  /** Buffers that receive the outputs; `undefined` for a recorded session, which has its own. */
  readonly fetches: Fetches | undefined;
}

/**
 * Displacement of atoms in Å between the two sets of inputs of a comparison. It reveals a recorded session that does
 * not read its new inputs.
 */
const NUDGE = 0.02;

/** A model on a GPU, for one batch. */
export class GpuModel {
  readonly #parts: GpuModelParts;
  readonly #form: Uint8Array;
  #ready: Ready | undefined;
  #isClosed = false;
  /** Key of the shapes for which `mayRun` has returned true. */
  #checkedKey: string | undefined;
  /** True after a first run has failed on the device. */
  #hasFailed = false;

  /** Rewrites the graph for a GPU. Throws an UnsupportedNodeError if a node cannot be rewritten. */
  constructor(parts: GpuModelParts) {
    this.#parts = parts;
    const { bytes, name, outputs, scales } = parts;
    this.#form = gpuForm(bytes, { name, scales, outputs: outputs.map((output) => output.name) });
  }

  /**
   * Runs the model on the buffers. The device may still be computing when the promise resolves. Returns false,
   * without having run the model, if the model may not or cannot run on the device.
   *
   * @throws {BackendUnavailableError} if the results differ from those of wasm
   */
  async run(): Promise<boolean> {
    const { backend, frame, checks, assertOpen, mayRun } = this.#parts;
    assertOpen();
    // If a list was too short, it grew during the last run, and the run was repeated. `mayRun` could not be called
    // in between, so it is called now.
    if (this.#checkedKey === undefined || this.#checkedKey !== this.#ready?.key) {
      if (!await mayRun()) return false;
      this.#checkedKey = this.#ready?.key ?? keyOf(this.#dims());
    }
    const check = await this.#attempt(() => checks.get(backend.device) ?? this.#checked());
    if (check === undefined) return false;
    await backend.runExternal(frame, () => this.#visit(check.capture?.ok === true));
    return !this.#hasFailed;
  }

  /**
   * Runs `first`, and returns its result. If the runtime refuses the run, for example because a shader does not
   * compile, reports the reason and returns `undefined`. A lost device and wrong results are thrown instead.
   */
  async #attempt<T>(first: () => Promise<T>): Promise<T | undefined> {
    try {
      return await first();
    } catch (error) {
      const isRefusal = error instanceof RangeError || error instanceof SyntaxError;
      if (!isRefusal || this.#isClosed) throw error;
      this.#hasFailed = true;
      this.#parts.failed(error.message.replace(/^Cannot \w+ .*?: /, ""));
    }
  }

  /** Returns the current shapes of all inputs. */
  #dims(): ReadonlyMap<string, readonly number[]> {
    return new Map(this.#parts.inputs.map(({ name, dims }) => [name, dims()]));
  }

  /**
   * Compares the model with wasm, once for all engines on the device, and stores the result in `checks`. If the
   * comparison fails, the next engine repeats it.
   */
  #checked(): Promise<SessionCheck> {
    const { backend: { device }, checks } = this.#parts;
    const check = this.#compare();
    checks.set(device, check);
    check.catch(() => checks.delete(device));
    return check;
  }

  /** Disposes of the session. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const ready = this.#ready;
    this.#ready = undefined;
    await ready?.session.dispose();
  }

  async #visit(isRecorded: boolean): Promise<void> {
    const { backend, frame, outputs } = this.#parts;
    const dims = this.#dims(), key = keyOf(dims);
    if (this.#ready?.key !== key) {
      const before = this.#ready;
      this.#ready = undefined; // the old session must not be used after an error below
      await before?.session.dispose();
      // Lists of other lengths need other shaders, which may fail to compile.
      this.#ready = await this.#attempt(() => this.#open(key, dims, isRecorded));
      if (this.#ready === undefined) return;
    }
    const { session, feeds, fetches } = this.#ready;
    const given = await session.run(feeds, fetches) as Readonly<Record<string, GpuTensor>>;
    for (const { name, buffer } of outputs) {
      const tensor = given[name]!;
      if (fetches === undefined) backend.adopt(frame, buffer, tensor.buffer);
      tensor.dispose();
    }
  }

  /** Opens a session for these shapes of the inputs, and runs it for the first time. */
  async #open(
    key: string,
    dims: ReadonlyMap<string, readonly number[]>,
    isRecorded: boolean,
  ): Promise<Ready> {
    const { name, backend } = this.#parts;
    const session = await openSession(this.#form, {
      name,
      device: "webgpu",
      gpuDevice: backend.device,
      outputs: "gpu",
      dimensions: this.#dimensions(dims),
      capture: isRecorded,
    });
    try {
      if (this.#isClosed) {
        throw new Error(`Cannot run ${name}: its engine was closed during the run`);
      }
      return { key, session, ...await this.#begin(session, dims, isRecorded) };
    } catch (error) {
      await session.dispose();
      throw error;
    }
  }

  /**
   * Runs the model for the first time, and returns its inputs and the buffers of its outputs, whose shapes this run
   * shows. A recorded session records this run.
   */
  async #begin(
    session: Session,
    dims: ReadonlyMap<string, readonly number[]>,
    isRecorded: boolean,
  ): Promise<Pick<Ready, "feeds" | "fetches">> {
    const { backend, inputs, outputs } = this.#parts;
    const feeds = Object.fromEntries(inputs.map((input) => [
      input.name,
      { buffer: backend.memoryOf(input.buffer), dims: dims.get(input.name)! },
    ]));
    const first = await session.run(feeds) as Readonly<Record<string, GpuTensor>>;
    const own: Record<string, GpuFeed> = {};
    for (const { name: output, buffer } of outputs) {
      const tensor = first[output]!;
      this.#assertLength(output, tensor.dims, buffer.length);
      own[output] = { buffer: backend.memoryOf(buffer), dims: tensor.dims };
      tensor.dispose();
    }
    return { feeds, fetches: isRecorded ? undefined : own };
  }

  #assertLength(output: string, dims: readonly number[], length: number): void {
    if (dims.reduce((product, one) => product * one, 1) === length) return;
    throw new ModelMismatchError(this.#parts.name, {
      expected: `${output} must have ${length} numbers for this batch`,
      found: `it has the shape [${dims.join(", ")}]`,
      wouldMap: {},
    });
  }

  /** Returns the lengths of the model's named dimensions, by name; 0 if the shapes in `dims` do not show the length. */
  #dimensions(dims: ReadonlyMap<string, readonly number[]>): Record<string, number> {
    const sizes: Record<string, number> = {};
    for (const info of decodeModel(this.#form).graph!.input) {
      const { name, shape = [] } = describeValue(info);
      for (const [axis, length] of shape.entries()) {
        if (typeof length === "string") sizes[length] = dims.get(name)?.[axis] ?? 0;
      }
    }
    return sizes;
  }

  /**
   * Compares runs on the GPU, with and without recording, with a run on wasm. Called before any result of the GPU is
   * used.
   */
  async #compare(): Promise<SessionCheck> {
    const { name, note, backend, inputs, moving } = this.#parts;
    const values = await backend.viewOrRead(inputs.map(({ buffer }) => buffer)); // completes the search that sets lengths of lists
    const dims = this.#dims();
    const feeds: FeedsByInput = Object.fromEntries(inputs.map((input, i) => [
      input.name,
      { data: values[i] as Float32Array | Int32Array, dims: dims.get(input.name)! },
    ]));
    const data = Float32Array.from(
      feeds[moving]!.data as Float32Array,
      (x, i) => x + NUDGE * Math.sin(7 * i + 1),
    );
    const check = await checkSession(this.#form, {
      feeds: [feeds, { ...feeds, [moving]: { ...feeds[moving]!, data } }],
      name,
      gpuDevice: backend.device,
      dimensions: this.#dimensions(dims),
      capture: true,
    });
    note(check.webgpu.text);
    if (check.capture !== undefined) note(check.capture.text);
    if (check.webgpu.ok) return check;
    throw new BackendUnavailableError(
      `Cannot run ${name} on WebGPU: its results must agree with those on wasm; ${check.webgpu.text}`,
      { backend: "webgpu", reason: "broken", during: "check" },
    );
  }
}

function keyOf(dims: ReadonlyMap<string, readonly number[]>): string {
  return JSON.stringify([...dims]);
}
