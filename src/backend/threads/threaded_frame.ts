import type { FrameBuffers } from "../backend.ts";
import type { Crew } from "./worker_pool.ts";
import type { Answer, Numbers, Order } from "./requests.ts";
import { mergedControl, type Part, partsOf, type Stretch, stretchOf } from "./split.ts";
import { type BufferHolder, numbers, type ThreadedBuffer } from "./threaded_buffer.ts";

/** A batch over several threads. */
export class ThreadedFrame implements BufferHolder {
  /** What threads call it. */
  readonly id: number;
  /** Where the atoms of each system begin. */
  readonly offsets: Int32Array;
  /** What each thread has of it: the first so many have something. */
  readonly parts: readonly Part[];
  readonly #crew: Crew;

  /** Brings what systems there are to threads. */
  constructor(id: number, buffers: FrameBuffers, crew: Crew) {
    this.id = id;
    this.#crew = crew;
    const { systems } = buffers;
    const all = buffers as unknown as Readonly<Record<string, ThreadedBuffer>>;
    const [offsets, active] = [all.offsets!, all.active!];
    const [ids, ages, control] = [all.ids!, all.ages!, all.control!];
    this.offsets = offsets.host!.slice() as Int32Array;
    this.parts = partsOf(this.offsets, crew.size);
    offsets.spread = "offsets";
    control.spread = "control";
    for (const buffer of [active, ids, ages]) buffer.spread = "system";
    for (const buffer of [offsets, active, ids, ages, control]) this.hold(buffer);
    const there = {
      offsets: offsets.id,
      active: active.id,
      ids: ids.id,
      ages: ages.id,
      control: control.id,
    };
    this.tell((part) => {
      const [from, to] = this.parts[part]!.systems;
      return { kind: "frame", id, frame: { systems: Math.min(systems, to - from), ...there } };
    });
  }

  /** Something to do for each of its threads. */
  tell(order: (part: number) => Order): void {
    for (let part = 0; part < this.parts.length; part++) this.#crew.tell(part, order(part));
  }

  /** Something to be answered by each of them. */
  ask(order: (ticket: number) => Order): Promise<readonly Answer[]> {
    return this.#crew.ask(this.parts.length, order);
  }

  /** Brings a buffer to its threads, if it is not there. */
  hold(buffer: ThreadedBuffer): void {
    if (buffer.holder === this) return;
    if (buffer.holder !== undefined) {
      throw new TypeError(
        "Cannot share out a buffer as it must belong to one batch: another has it already",
      );
    }
    buffer.holder = this;
    const { id, dtype, host, isWritten, spread } = buffer;
    this.tell((part) => {
      const [from, to] = this.#stretch(buffer, this.parts[part]!);
      return { kind: "alloc", id, dtype, length: to - from };
    });
    if (isWritten) this.write(buffer, host as Numbers, 0);
    const isKept = spread === "all" || spread === "starts" || spread === "offsets";
    if (!isKept) buffer.host = undefined;
  }

  /** Writes numbers into a buffer that is there, from `at` on. Throws a TypeError where systems would have other atoms. */
  write(buffer: ThreadedBuffer, values: Numbers, at: number): void {
    if (buffer.spread === "offsets") this.#assertSame(values, at);
    for (const [thread, part] of this.parts.entries()) {
      const [first, last] = this.#stretch(buffer, part);
      const [from, to] = [Math.max(first, at), Math.min(last, at + values.length)];
      if (from >= to) continue;
      const share = values.slice(from - at, to - at);
      if (buffer.spread === "offsets") share.forEach((one, i) => share[i] = one - part.atoms[0]);
      this.#crew.tell(thread, { kind: "write", id: buffer.id, values: share, at: from - first });
    }
  }

  /** What all parts have of a buffer, as one. */
  merged(buffer: ThreadedBuffer, found: readonly Numbers[]): Numbers {
    if (buffer.spread === "control") return mergedControl(this.parts, found);
    if (found.length === 1) return found[0]!;
    const merged = numbers(buffer.dtype, buffer.length);
    for (const [i, part] of this.parts.entries()) {
      merged.set(found[i]!, this.#stretch(buffer, part)[0]);
    }
    return merged;
  }

  /** Which thread has which atoms is settled when a frame is made. */
  #assertSame(offsets: Numbers, at: number): void {
    if (offsets.every((offset, i) => offset === this.offsets[at + i])) return;
    throw new TypeError(
      "Cannot write where systems begin on threads as it must stay as it was: make another frame",
    );
  }

  /** Which numbers of a buffer a part has. */
  #stretch({ spread = "all", length }: ThreadedBuffer, part: Part): Stretch {
    const systems = this.offsets.length - 1;
    return stretchOf(part, spread, length, { systems, atoms: this.offsets[systems]! });
  }
}
