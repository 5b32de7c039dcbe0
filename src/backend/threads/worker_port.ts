/**
 * The part of a thread that runs in the worker: executes requests on a separate backend.
 *
 * @module
 */

import { Control, type Kernel } from "../../kernels/kernel.ts";
import type { Buffer, FrameBuffers, KernelCall, Pairs, Program } from "../backend.ts";
import { WasmBackend } from "../wasm/wasm_backend.ts";
import type {
  ArgumentMessage,
  CallMessage,
  FrameMessage,
  Numbers,
  ReplyValue,
  RunResult,
  WorkerRequest,
} from "./requests.ts";

/** The part of a batch that this thread computes. */
interface LocalFrame {
  readonly id: number;
  readonly buffers: FrameBuffers;
  /** Number of steps requested so far. It is the same on all threads, even if some of them did fewer steps. */
  requestedSteps: number;
  /**
   * Number of requested steps at which a system of the part diverged; `undefined` if no system has diverged. After a
   * divergence, the part does not run again until its control words are written.
   */
  divergedAt: number | undefined;
}

interface LocalProgram {
  readonly program: Program;
  readonly frame: LocalFrame;
  /** Number of steps that run in one call, between two messages that show the thread is alive. */
  stride: number;
}

/** Shortest duration of a stride, in ms. Shorter strides would cost too much overhead. */
const STRIDE_MS = 200;

/** Executes requests in a worker, and keeps the objects that it creates, by id. */
export class WorkerPort {
  readonly #backend = new WasmBackend();
  readonly #buffers = new Map<number, Buffer>();
  readonly #frames = new Map<number, LocalFrame>();
  /** Map from the control buffer of a frame to the frame, by which requests for control words find their frame. */
  readonly #framesByControl = new Map<Buffer, LocalFrame>();
  readonly #pairs = new Map<number, Pairs>();
  readonly #programs = new Map<number, LocalProgram>();
  readonly #giveSign: () => void;

  /** Creates a port. `giveSign` is called between strides of a long run, to report that the thread is alive. */
  constructor(giveSign: () => void) {
    this.#giveSign = giveSign;
  }

  /** Executes a request. Returns the value that the request asks for, if any. */
  handle(request: WorkerRequest): ReplyValue | void {
    switch (request.kind) {
      case "run":
        return this.#run(this.#programs.get(request.id)!, request.first, request.steps);
      case "read":
        return request.ids.map((id) => this.#copy(this.#buffers.get(id)!));
      case "write":
        return this.#write(this.#buffers.get(request.id)!, request.values, request.at);
      case "alloc":
        return void this.#buffers.set(
          request.id,
          this.#backend.alloc(request.dtype, request.length),
        );
      case "free":
        return this.#free(request.id);
      case "frame":
        return this.#enter(request.id, request.frame);
      case "prepare":
        return this.#prepare(request.id, this.#frames.get(request.frame)!, request.calls);
      case "freeProgram":
        this.#programs.get(request.id)?.program.free();
        return void this.#programs.delete(request.id);
      case "pairs": {
        const { buffers } = this.#frames.get(request.frame)!;
        return void this.#pairs.set(request.id, this.#backend.pairs(buffers, request.options));
      }
      case "freePairs":
        this.#backend.freePairs(this.#pairs.get(request.id)!);
        return void this.#pairs.delete(request.id);
      case "forgetPairs":
        return this.#backend.forgetPairs(this.#pairs.get(request.id)!, request.places);
      case "savePairs":
        return this.#backend.savePairs(this.#pairs.get(request.id)!);
      case "loadPairs":
        return this.#backend.loadPairs(
          this.#pairs.get(request.id)!,
          request.offsets,
          request.saved,
        );
    }
  }

  /**
   * Runs a program. A part that has diverged is not run again, so that the host can read its state in the failed
   * step.
   */
  #run(local: LocalProgram, first: number, steps: number): RunResult {
    const { frame } = local;
    const before = frame.requestedSteps;
    frame.requestedSteps += steps;
    if (frame.divergedAt !== undefined) return { done: 0, isHalted: true };
    const done = this.#runInStrides(local, first, steps);
    const control = this.#backend.view(frame.buffers.control);
    if (control[Control.DIVERGED] !== 0) frame.divergedAt = before + done;
    return { done, isHalted: control[Control.HALT] !== 0 };
  }

  /**
   * Runs steps in strides, and returns the number of steps done. The result is bitwise identical to a run without
   * strides.
   */
  #runInStrides(local: LocalProgram, first: number, steps: number): number {
    let done = 0;
    while (done < steps) {
      const stride = Math.min(local.stride, steps - done), begun = performance.now();
      const ran = this.#backend.run(local.program, first + done, stride);
      done += ran;
      if (ran < stride || this.#backend.view(local.frame.buffers.control)[Control.HALT] !== 0) {
        break;
      }
      const isShort = performance.now() - begun < STRIDE_MS;
      if (isShort && stride === local.stride) local.stride *= 2;
      if (done < steps) this.#giveSign();
    }
    return done;
  }

  #copy(buffer: Buffer): Numbers {
    const frame = this.#framesByControl.get(buffer);
    if (frame === undefined) return this.#backend.read(buffer) as Numbers;
    return Int32Array.of(...this.#backend.view(buffer), frame.divergedAt ?? 0);
  }

  #write(buffer: Buffer, values: Numbers, at: number): void {
    this.#backend.write(buffer, values, at);
    const frame = this.#framesByControl.get(buffer);
    if (frame !== undefined) frame.divergedAt = undefined;
  }

  #free(id: number): void {
    const buffer = this.#buffers.get(id)!;
    this.#buffers.delete(id);
    const frame = this.#framesByControl.get(buffer);
    if (frame !== undefined) this.#frames.delete(frame.id);
    this.#framesByControl.delete(buffer);
    this.#backend.free(buffer);
  }

  #enter(id: number, { systems, ...numbers }: FrameMessage): void {
    const of = (name: keyof typeof numbers) => this.#buffers.get(numbers[name]) as Buffer<"i32">;
    const [offsets, active, ids, ages] = [of("offsets"), of("active"), of("ids"), of("ages")];
    const buffers = { systems, offsets, active, ids, ages, control: of("control") };
    const frame: LocalFrame = { id, buffers, requestedSteps: 0, divergedAt: undefined };
    this.#frames.set(id, frame);
    this.#framesByControl.set(buffers.control, frame);
  }

  #prepare(id: number, frame: LocalFrame, calls: readonly CallMessage[]): void {
    const made = calls.map(({ name, args, pair, given, every, phase }): KernelCall => ({
      // Rust identifies kernels by name. Their TypeScript functions stay on the main thread.
      kernel: { name, args, pair } as unknown as Kernel,
      args: Object.fromEntries(
        Object.entries(given).map(([key, value]) => [key, this.#given(value)]),
      ),
      ...(every === undefined ? {} : { every }),
      ...(phase === undefined ? {} : { phase }),
    }));
    const program = this.#backend.prepare(frame.buffers, made);
    this.#programs.set(id, { program, frame, stride: 1 });
  }

  #given(given: ArgumentMessage): KernelCall["args"][string] {
    if (given === undefined) return undefined;
    if ("number" in given) return given.number;
    return "buffer" in given ? this.#buffers.get(given.buffer) : this.#pairs.get(given.pairs);
  }
}
