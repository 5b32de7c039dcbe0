import type { FrameBuffers } from "../backend.ts";
import type { WorkerPool } from "./worker_pool.ts";
import type { Numbers, ReplyValue, WorkerRequest } from "./requests.ts";
import { mergedControl, type Part, partsOf, type Stretch, stretchOf } from "./split.ts";
import { type BufferHolder, numbers, type ThreadedBuffer } from "./threaded_buffer.ts";

/** A batch distributed over several threads. */
export class ThreadedFrame implements BufferHolder {
  /** Its number on the threads. */
  readonly id: number;
  /** First atom of each system; one entry more than systems. */
  readonly offsets: Int32Array;
  /** Part of each thread. In a small batch the last threads have no part. */
  readonly parts: readonly Part[];
  readonly #pool: WorkerPool;

  /** Assigns systems to threads, and sends them. */
  constructor(id: number, buffers: FrameBuffers, pool: WorkerPool) {
    this.id = id;
    this.#pool = pool;
    const { systems } = buffers;
    const all = buffers as unknown as Readonly<Record<string, ThreadedBuffer>>;
    const [offsets, active] = [all.offsets!, all.active!];
    const [ids, ages, control] = [all.ids!, all.ages!, all.control!];
    this.offsets = offsets.host!.slice() as Int32Array;
    this.parts = partsOf(this.offsets, pool.size);
    offsets.spread = "offsets";
    control.spread = "control";
    for (const buffer of [active, ids, ages]) buffer.spread = "system";
    for (const buffer of [offsets, active, ids, ages, control]) this.adopt(buffer);
    const there = {
      offsets: offsets.id,
      active: active.id,
      ids: ids.id,
      ages: ages.id,
      control: control.id,
    };
    this.send((part) => {
      const [from, to] = this.parts[part]!.systems;
      return { kind: "frame", id, frame: { systems: Math.min(systems, to - from), ...there } };
    });
  }

  /** Sends a request to each of its threads. */
  send(request: (part: number) => WorkerRequest): void {
    for (let part = 0; part < this.parts.length; part++) this.#pool.send(part, request(part));
  }

  /** Sends a request to each of its threads, and resolves to their replies. */
  request(request: (ticket: number) => WorkerRequest): Promise<readonly ReplyValue[]> {
    return this.#pool.request(this.parts.length, request);
  }

  /** Sends a buffer to the threads if they do not have it. */
  adopt(buffer: ThreadedBuffer): void {
    if (buffer.holder === this) return;
    if (buffer.holder !== undefined) {
      throw new TypeError(
        "Cannot distribute a buffer: it already belongs to another batch",
      );
    }
    buffer.holder = this;
    const { id, dtype, host, isWritten, spread } = buffer;
    this.send((part) => {
      const [from, to] = this.#stretch(buffer, this.parts[part]!);
      return { kind: "alloc", id, dtype, length: to - from };
    });
    if (isWritten) this.write(buffer, host as Numbers, 0);
    const isKept = spread === "all" || spread === "starts" || spread === "offsets";
    if (!isKept) buffer.host = undefined;
  }

  /**
   * Writes numbers to a buffer of the threads. Throws a TypeError if systems would get other atoms.
   */
  write(buffer: ThreadedBuffer, values: Numbers, at: number): void {
    if (buffer.spread === "offsets") this.#assertSame(values, at);
    for (const [thread, part] of this.parts.entries()) {
      const [first, last] = this.#stretch(buffer, part);
      const [from, to] = [Math.max(first, at), Math.min(last, at + values.length)];
      if (from >= to) continue;
      const share = values.slice(from - at, to - at);
      if (buffer.spread === "offsets") share.forEach((one, i) => share[i] = one - part.atoms[0]);
      this.#pool.send(thread, { kind: "write", id: buffer.id, values: share, at: from - first });
    }
  }

  /** Joins the values of a buffer from all threads. */
  merged(buffer: ThreadedBuffer, found: readonly Numbers[]): Numbers {
    if (buffer.spread === "control") return mergedControl(this.parts, found);
    if (found.length === 1) return found[0]!;
    const merged = numbers(buffer.dtype, buffer.length);
    for (const [i, part] of this.parts.entries()) {
      merged.set(found[i]!, this.#stretch(buffer, part)[0]);
    }
    return merged;
  }

  /**
   * Atoms are distributed when the frame is created, so its offsets can only be written again with
   * the same values.
   */
  #assertSame(offsets: Numbers, at: number): void {
    if (offsets.every((offset, i) => offset === this.offsets[at + i])) return;
    throw new TypeError(
      "Cannot change the offsets of systems on threads: create another frame",
    );
  }

  /** Returns the range of a buffer that belongs to a part. */
  #stretch({ spread = "all", length }: ThreadedBuffer, part: Part): Stretch {
    const systems = this.offsets.length - 1;
    return stretchOf(part, spread, length, { systems, atoms: this.offsets[systems]! });
  }
}
