/**
 * A model on a GPU: sessions on the backend's own buffers, so that nothing is copied between model and
 * integrator.
 *
 * @module
 */

import type { Buffer, FrameBuffers, WebGpuBackend } from "../../backend/mod.ts";
import { BackendUnavailableError } from "../../backend/mod.ts";
import { decodeModel } from "../../onnx/codec/codec.ts";
import { gpuForm } from "../../onnx/session/gpu_form.ts";
import { openSession } from "../../onnx/session/open_session.ts";
import { checkSession, type SessionCheck } from "../../onnx/session/check_session.ts";
import type { FeedsByInput } from "../../onnx/session/compare_sessions.ts";
import type { Session } from "../../onnx/session/session_run.ts";
import type { Fetches, GpuFeed, GpuTensor } from "../../onnx/session/session_tensor.ts";
import { describeValue } from "../../onnx/codec/value_info.ts";
import { ModelMismatchError } from "./model_mismatch_error.ts";

/** An input of a model, and its buffer. */
export interface GpuInput {
  /** Name of the input. */
  readonly name: string;
  /** Buffer with its numbers. Its memory changes when it grows. */
  readonly buffer: Buffer;
  /** Returns its current shape. */
  dims(): readonly number[];
}

/** An output of a model, and its buffer. */
export interface GpuOutput {
  /** Name of the output. */
  readonly name: string;
  /** Buffer that receives its numbers. */
  readonly buffer: Buffer;
}

/** Parts of a model on a GPU. */
export interface GpuModelParts {
  /** Name of the model in error messages. */
  readonly name: string;
  /** Its file. */
  readonly bytes: Uint8Array;
  /** Throws an Error if the model was disposed of. */
  readonly assertOpen: () => void;
  /** Receives the results of comparing it with wasm, and of comparing its recording with a plain run. */
  readonly note: (text: string) => void;
  /** Results of the comparison by device. One comparison per device is enough. */
  readonly checks: WeakMap<GPUDevice, Promise<SessionCheck>>;
  /** The backend. */
  readonly backend: WebGpuBackend;
  /** The batch. */
  readonly frame: FrameBuffers;
  /** Its inputs. */
  readonly inputs: readonly GpuInput[];
  /** Its outputs. */
  readonly outputs: readonly GpuOutput[];
  /**
   * Called before lists of new lengths are run: throws, or returns whether the model may run on padded lists.
   * Further lengths are known only after a run.
   */
  readonly mayRun: () => Promise<boolean>;
  /** Receives the reason for which a first run failed. The host must run the model then. */
  readonly failed: (reason: string) => void;
  /** Name of the real-valued input that changes at each step. */
  readonly moving: string;
  /** Factors for the numbers of inputs, by name. */
  readonly scales: Readonly<Record<string, number>>;
}

/** A session for lists of one length. */
interface Ready {
  readonly key: string;
  readonly session: Session;
  readonly feeds: Readonly<Record<string, GpuFeed>>;
  /** Buffers of the outputs; `undefined` for a recording, which has its own. */
  readonly fetches: Fetches | undefined;
}

/** Displacement of atoms in Å that shows whether a replay uses new inputs. */
const NUDGE = 0.02;

/** A model on a GPU, for one batch. */
export class GpuModel {
  readonly #parts: GpuModelParts;
  readonly #form: Uint8Array;
  #ready: Ready | undefined;
  #isClosed = false;
  /** The lengths of lists that may be run. */
  #checkedKey: string | undefined;
  /** True once a first run has failed on the device. */
  #hasFailed = false;

  /** Throws an UnsupportedNodeError if a node cannot be rewritten for a GPU. */
  constructor(parts: GpuModelParts) {
    this.#parts = parts;
    const { bytes, name, outputs, scales } = parts;
    this.#form = gpuForm(bytes, { name, scales, outputs: outputs.map((output) => output.name) });
  }

  /**
   * Runs the model on the buffers. The device may still be computing when the promise resolves. Returns false
   * if the model may not or cannot run on the device, and has not run.
   *
   * @throws {BackendUnavailableError} if results differ from those of wasm
   */
  async run(): Promise<boolean> {
    const { backend, frame, checks, assertOpen, mayRun } = this.#parts;
    assertOpen();
    // A list that was too short has grown during the last run, which was then repeated: `mayRun` could not be
    // called in between.
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
   * Returns the result of a first run, or `undefined` if the runtime refused it, for example because a shader
   * did not compile. A lost device or wrong results are not refusals; they are thrown.
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
   * Compares the model once for all engines on the device. A comparison that failed is repeated by the next
   * engine.
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
      this.#ready = undefined; // after any error below, the old session is gone
      await before?.session.dispose();
      // Lists of other lengths need other shaders.
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

  /** Opens a session for inputs of these shapes. */
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
        throw new Error(`Cannot run ${name}: its engine was closed meanwhile`);
      }
      return { key, session, ...await this.#begin(session, dims, isRecorded) };
    } catch (error) {
      await session.dispose();
      throw error;
    }
  }

  /** Runs the model for the first time, which shows the shapes of outputs. A recording records this run. */
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

  /** Returns the lengths to which the model gives names. */
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

  /** Compares runs on the GPU, recorded and not, with a run on wasm, before results are used. */
  async #compare(): Promise<SessionCheck> {
    const { name, note, backend, inputs, moving } = this.#parts;
    const values = await backend.viewOrRead(inputs.map(({ buffer }) => buffer)); // lists have their final length after the first search
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
