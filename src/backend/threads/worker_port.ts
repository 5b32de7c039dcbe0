/**
 * The part of a thread that runs in the worker: executes requests on a separate backend.
 *
 * @module
 */

import { Control, type Kernel } from "../../kernels/kernel.ts";
import type { Buffer, FrameBuffers, KernelCall, Pairs, PairsOptions, Program } from "../backend.ts";
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
import { TeamMember, type TeamMessage } from "./team.ts";

/** The part of a batch that this thread computes. */
interface LocalFrame {
  readonly id: number;
  readonly buffers: FrameBuffers;
  /** The team that computes the frame; `undefined` if each thread computes some of the systems. */
  readonly team: TeamMessage | undefined;
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
  /** The places of this thread in teams, by the id of the frame. */
  readonly #teams = new Map<number, TeamMember>();
  readonly #giveSign: () => void;
  readonly #giveSignOfWaiting: () => void;
  /** Index of the function by which kernels exchange numbers with other threads. */
  #share: number | undefined;

  /**
   * Creates a port. `giveSign` is called between strides of a long run, to report that the thread is alive.
   * `giveSignOfWaiting` is called while the thread waits for others of its team.
   */
  constructor(giveSign: () => void, giveSignOfWaiting: () => void = () => {}) {
    this.#giveSign = giveSign;
    this.#giveSignOfWaiting = giveSignOfWaiting;
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
        return this.#enter(request.id, request.frame, request.team);
      case "prepare":
        return this.#prepare(request.id, this.#frames.get(request.frame)!, request.calls);
      case "freeProgram":
        this.#programs.get(request.id)?.program.free();
        return void this.#programs.delete(request.id);
      case "pairs":
        return this.#makePairs(request.id, this.#frames.get(request.frame)!, request.options);
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

  /** Ends the waiting of other threads for this one, which has failed. */
  failTeams(): void {
    for (const team of this.#teams.values()) team.fail();
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
    if (frame !== undefined) {
      this.#frames.delete(frame.id);
      this.#teams.delete(frame.id);
    }
    this.#framesByControl.delete(buffer);
    this.#backend.free(buffer);
  }

  #enter(
    id: number,
    { systems, ...numbers }: FrameMessage,
    team: TeamMessage | undefined,
  ): void {
    const of = (name: keyof typeof numbers) => this.#buffers.get(numbers[name]) as Buffer<"i32">;
    const [offsets, active, ids, ages] = [of("offsets"), of("active"), of("ids"), of("ages")];
    const buffers = { systems, offsets, active, ids, ages, control: of("control") };
    const frame: LocalFrame = { id, buffers, team, requestedSteps: 0, divergedAt: undefined };
    if (team !== undefined) this.#teams.set(id, new TeamMember(team, this.#giveSignOfWaiting));
    this.#frames.set(id, frame);
    this.#framesByControl.set(buffers.control, frame);
  }

  #makePairs(id: number, frame: LocalFrame, options: PairsOptions): void {
    const pairs = this.#backend.pairs(frame.buffers, options);
    this.#pairs.set(id, pairs);
    if (frame.team === undefined) return;
    this.#share ??= this.#backend.addFunction(3, (memory, frame = 0, parcels = 0, count = 0) => {
      this.#teams.get(frame)!.share(memory, parcels >>> 0, count);
    });
    const { member, size } = frame.team;
    this.#backend.joinTeam(pairs, frame.id, { member, size, share: this.#share });
  }

  #prepare(id: number, frame: LocalFrame, calls: readonly CallMessage[]): void {
    const made = calls.map(({ given, every, phase, ...kernel }): KernelCall => ({
      // Rust identifies kernels by name. Their TypeScript functions stay on the main thread.
      kernel: kernel as unknown as Kernel,
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
