/**
 * What a thread does with its orders.
 *
 * @module
 */

import { Control, type Kernel } from "../../kernels/kernel.ts";
import type { Buffer, Call, FrameBuffers, Pairs, Program } from "../backend.ts";
import { WasmBackend } from "../wasm/mod.ts";
import type {
  Answer,
  CallThere,
  Ended,
  FrameThere,
  GivenThere,
  Numbers,
  Order,
} from "./requests.ts";

/** Part of a batch, and how far it has come. */
interface FrameHere {
  readonly id: number;
  readonly buffers: FrameBuffers;
  /** Steps that it was told to do: on all threads the same. */
  told: number;
  /** In which of them a system has come apart: from then on it stands still. */
  lost: number | undefined;
}

interface ProgramHere {
  readonly program: Program;
  readonly frame: FrameHere;
}

/** Kernels of one thread, and all that it was told to make. */
export class Desk {
  readonly #backend = new WasmBackend();
  readonly #buffers = new Map<number, Buffer>();
  readonly #frames = new Map<number, FrameHere>();
  /** The same, by the buffer that stops them. */
  readonly #stops = new Map<Buffer, FrameHere>();
  readonly #pairs = new Map<number, Pairs>();
  readonly #programs = new Map<number, ProgramHere>();

  /** Does what it is told; answers where it is asked. */
  take(order: Order): Answer | void {
    switch (order.kind) {
      case "run":
        return this.#run(this.#programs.get(order.id)!, order.first, order.steps);
      case "look":
        return order.ids.map((id) => this.#copy(this.#buffers.get(id)!));
      case "write":
        return this.#write(this.#buffers.get(order.id)!, order.values, order.at);
      case "alloc":
        return void this.#buffers.set(order.id, this.#backend.alloc(order.dtype, order.length));
      case "free":
        return this.#free(order.id);
      case "frame":
        return this.#enter(order.id, order.frame);
      case "prepare":
        return this.#prepare(order.id, this.#frames.get(order.frame)!, order.calls);
      case "forget":
        this.#programs.get(order.id)?.program.free();
        return void this.#programs.delete(order.id);
      case "pairs": {
        const { buffers } = this.#frames.get(order.frame)!;
        return void this.#pairs.set(order.id, this.#backend.pairs(buffers, order.options));
      }
      case "freePairs":
        this.#backend.freePairs(this.#pairs.get(order.id)!);
        return void this.#pairs.delete(order.id);
      case "forgetPairs":
        return this.#backend.forgetPairs(this.#pairs.get(order.id)!, order.places);
      case "savePairs":
        return this.#backend.savePairs(this.#pairs.get(order.id)!);
      case "loadPairs":
        return this.#backend.loadPairs(this.#pairs.get(order.id)!, order.offsets, order.saved);
    }
  }

  /** What has come apart is left as it was found. */
  #run({ program, frame }: ProgramHere, first: number, steps: number): Ended {
    const before = frame.told;
    frame.told += steps;
    if (frame.lost !== undefined) return { done: 0, isHalted: true };
    const done = this.#backend.run(program, first, steps);
    const control = this.#backend.view(frame.buffers.control);
    if (control[Control.DIVERGED] !== 0) frame.lost = before + done;
    return { done, isHalted: control[Control.HALT] !== 0 };
  }

  #copy(buffer: Buffer): Numbers {
    const frame = this.#stops.get(buffer);
    if (frame === undefined) return this.#backend.read(buffer) as Numbers;
    return Int32Array.of(...this.#backend.view(buffer), frame.lost ?? 0);
  }

  #write(buffer: Buffer, values: Numbers, at: number): void {
    this.#backend.write(buffer, values, at);
    const frame = this.#stops.get(buffer);
    if (frame !== undefined) frame.lost = undefined;
  }

  #free(id: number): void {
    const buffer = this.#buffers.get(id)!;
    this.#buffers.delete(id);
    const frame = this.#stops.get(buffer);
    if (frame !== undefined) this.#frames.delete(frame.id);
    this.#stops.delete(buffer);
    this.#backend.free(buffer);
  }

  #enter(id: number, { systems, ...numbers }: FrameThere): void {
    const of = (name: keyof typeof numbers) => this.#buffers.get(numbers[name]) as Buffer<"i32">;
    const [offsets, active, ids, ages] = [of("offsets"), of("active"), of("ids"), of("ages")];
    const buffers = { systems, offsets, active, ids, ages, control: of("control") };
    const frame: FrameHere = { id, buffers, told: 0, lost: undefined };
    this.#frames.set(id, frame);
    this.#stops.set(buffers.control, frame);
  }

  #prepare(id: number, frame: FrameHere, calls: readonly CallThere[]): void {
    const made = calls.map(({ name, args, given, every, phase }): Call => ({
      kernel: { name, args } as unknown as Kernel, // what it means is known to Rust
      args: Object.fromEntries(
        Object.entries(given).map(([key, value]) => [key, this.#given(value)]),
      ),
      ...(every === undefined ? {} : { every }),
      ...(phase === undefined ? {} : { phase }),
    }));
    const program = this.#backend.prepare(frame.buffers, made);
    this.#programs.set(id, { program, frame });
  }

  #given(given: GivenThere): Call["args"][string] {
    if (given === undefined) return undefined;
    if ("number" in given) return given.number;
    return "buffer" in given ? this.#buffers.get(given.buffer) : this.#pairs.get(given.pairs);
  }
}
