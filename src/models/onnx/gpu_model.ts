/**
 * A model on a GPU: sessions over the backend's own buffers, so that nothing is copied between model and integrator.
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

/** An input of a model, and the buffer that is it. */
export interface GpuInput {
  /** The input. */
  readonly name: string;
  /** Where its numbers are; after it has grown, elsewhere. */
  readonly buffer: Buffer;
  /** Its lengths, now. */
  dims(): readonly number[];
}

/** An output of a model, and the buffer that it goes to. */
export interface GpuOutput {
  /** The output. */
  readonly name: string;
  /** Where its numbers go. */
  readonly buffer: Buffer;
}

/** What a model on a GPU is made of. */
export interface GpuModelParts {
  /** What errors call it. */
  readonly name: string;
  /** Its file. */
  readonly bytes: Uint8Array;
  /** Throws an Error when the model was disposed of. */
  readonly assertOpen: () => void;
  /** Told what comparing it with wasm, and its recording with itself, has shown. */
  readonly note: (text: string) => void;
  /** Device → what that has shown there: once is enough. */
  readonly checks: WeakMap<GPUDevice, Promise<SessionCheck>>;
  /** Where it runs. */
  readonly backend: WebGpuBackend;
  /** The batch it runs on. */
  readonly frame: FrameBuffers;
  /** What it is fed. */
  readonly inputs: readonly GpuInput[];
  /** What comes out of it. */
  readonly outputs: readonly GpuOutput[];
  /**
   * Called before lists of new lengths are run: throws, or answers whether the model may run on their padding. Later
   * lengths than the first are known only when they have been run once.
   */
  readonly mayRun: () => Promise<boolean>;
  /** Told why a first run failed, after which the host must run it. */
  readonly failed: (reason: string) => void;
  /** The input that differs from step to step, of real numbers. */
  readonly moving: string;
  /** Input → what its numbers are multiplied by first. */
  readonly scales: Readonly<Record<string, number>>;
}

/** A session for lists of one length. */
interface Ready {
  readonly key: string;
  readonly session: Session;
  readonly feeds: Readonly<Record<string, GpuFeed>>;
  /** Where outputs go; those of a recording are the session's own. */
  readonly fetches: Fetches | undefined;
}

/** How far an atom is moved to see whether what is replayed is fresh, Å. */
const NUDGE = 0.02;

/** A model on a GPU, on one batch. */
export class GpuModel {
  readonly #parts: GpuModelParts;
  readonly #form: Uint8Array;
  #ready: Ready | undefined;
  #isClosed = false;
  /** The lengths that may be run. */
  #checkedKey: string | undefined;
  /** True once a first run failed on the device. */
  #hasFailed = false;

  /** Throws an UnsupportedNodeError for what cannot be rewritten for a GPU. */
  constructor(parts: GpuModelParts) {
    this.#parts = parts;
    const { bytes, name, outputs, scales } = parts;
    this.#form = gpuForm(bytes, { name, scales, outputs: outputs.map((output) => output.name) });
  }

  /**
   * Runs it on what is in the buffers. The device need not have done it when this is settled. Returns false if the model
   * may not or cannot run there, and has not.
   *
   * @throws {BackendUnavailableError} when it gives other numbers than on wasm
   */
  async run(): Promise<boolean> {
    const { backend, frame, checks, assertOpen, mayRun } = this.#parts;
    assertOpen();
    // A list that was too short has grown within the last run, which was repeated then: nobody could ask in between.
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
   * Returns what a first run gives; undefined if the runtime refused it: a shader did not compile, say. Lost devices
   * and wrong numbers are no refusals.
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

  /** The lengths of inputs, now. */
  #dims(): ReadonlyMap<string, readonly number[]> {
    return new Map(this.#parts.inputs.map(({ name, dims }) => [name, dims()]));
  }

  /** Compares it, for all that run on the device; again for the next, where that did not come to an end. */
  #checked(): Promise<SessionCheck> {
    const { backend: { device }, checks } = this.#parts;
    const check = this.#compare();
    checks.set(device, check);
    check.catch(() => checks.delete(device));
    return check;
  }

  /** Gives its session back. */
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
      this.#ready = undefined; // whatever goes wrong from here on, the old one is gone
      await before?.session.dispose();
      // Lists of other lengths have other shaders.
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

  /** A session for inputs of these lengths. */
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
        throw new Error(`Cannot run ${name}: it must be open: its engine was closed meanwhile`);
      }
      return { key, session, ...await this.#begin(session, dims, isRecorded) };
    } catch (error) {
      await session.dispose();
      throw error;
    }
  }

  /** The first run, which tells how long outputs are; of a recording it is what is recorded. */
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

  /** The lengths that the model has names for. */
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

  /** Runs it here and on wasm, recorded and not, before anything is built on it. */
  async #compare(): Promise<SessionCheck> {
    const { name, note, backend, inputs, moving } = this.#parts;
    const values = await backend.viewOrRead(inputs.map(({ buffer }) => buffer)); // lists have grown by then
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
      `Cannot run ${name} on WebGPU: it must give there what it gives on wasm: ${check.webgpu.text}`,
      { backend: "webgpu", reason: "broken", during: "check" },
    );
  }
}

function keyOf(dims: ReadonlyMap<string, readonly number[]>): string {
  return JSON.stringify([...dims]);
}
