import type { FrameBuffers } from "../backend.ts";
import type { WorkerPool } from "./worker_pool.ts";
import type { Numbers, ReplyValue, WorkerRequest } from "./requests.ts";
import { loadModule } from "../wasm/module.ts";
import { mergedControl, type Part, partsOf, type Stretch, stretchOf, teamSize } from "./split.ts";
import { makeTeamMemory, type TeamMemory } from "./team.ts";
import { type BufferHolder, numbers, type ThreadedBuffer } from "./threaded_buffer.ts";

/** The frame of a batch whose systems are distributed over several threads. */
export class ThreadedFrame implements BufferHolder {
  /** Id of the frame in requests to threads. */
  readonly id: number;
  /** Index of the first atom of each system, followed by the number of atoms. */
  readonly offsets: Int32Array;
  /** The part of each thread. If there are fewer systems than threads, the last threads have no part. */
  readonly parts: readonly Part[];
  /**
   * True if each thread holds the whole batch, and the threads share the work on the pairs of its systems. Otherwise
   * each thread holds some of the systems.
   */
  readonly isTeam: boolean;
  readonly #pool: WorkerPool;

  /** Assigns systems to threads, and sends them the buffers of the frame. */
  constructor(id: number, buffers: FrameBuffers, pool: WorkerPool) {
    this.id = id;
    this.#pool = pool;
    const { systems } = buffers;
    const all = buffers as unknown as Readonly<Record<string, ThreadedBuffer>>;
    const [offsets, active] = [all.offsets!, all.active!];
    const [ids, ages, control] = [all.ids!, all.ages!, all.control!];
    this.offsets = offsets.host!.slice() as Int32Array;
    const team = teamOf(this.offsets, pool.size);
    this.isTeam = team !== undefined;
    this.parts = team?.parts ?? partsOf(this.offsets, pool.size);
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
      const size = this.parts.length;
      return {
        kind: "frame",
        id,
        frame: { systems: Math.min(systems, to - from), ...there },
        team: team && { member: part, size, memory: team.memory },
      };
    });
  }

  /** Sends a request to each thread that has a part. `request` is called with the index of the part. */
  send(request: (part: number) => WorkerRequest): void {
    for (let part = 0; part < this.parts.length; part++) this.#pool.send(part, request(part));
  }

  /** Sends a request to each thread that has a part, and resolves to their replies. */
  request(request: (ticket: number) => WorkerRequest): Promise<readonly ReplyValue[]> {
    return this.#pool.request(this.parts.length, request);
  }

  /**
   * Sends a request for values to the threads that together hold the batch, and resolves to their replies. The first
   * thread of a team holds the whole batch. The other ones only reply that they are done, so that a member that has
   * ended or hangs is detected: the first thread waits for it, but is alive.
   */
  async requestValues(
    request: (ticket: number) => WorkerRequest,
  ): Promise<readonly ReplyValue[]> {
    if (!this.isTeam) return this.request(request);
    const replies = await this.#pool.request(
      this.parts.length,
      (ticket, thread) => thread === 0 ? request(ticket) : { kind: "read", ids: [], ticket },
    );
    return [replies[0]!];
  }

  /**
   * Allocates a buffer on the threads and copies its values to them, unless they already hold it. Throws a TypeError
   * if it belongs to another batch.
   */
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
   * Writes numbers to a buffer on the threads, from index `at` on. Throws a TypeError if this would change the
   * offsets of systems.
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

  /** Returns the values of the whole buffer, joined from `found`, the values that each thread has returned. */
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
   * Throws a TypeError unless the offsets from index `at` on keep their values. Atoms are distributed once, when the
   * frame is created.
   */
  #assertSame(offsets: Numbers, at: number): void {
    if (offsets.every((offset, i) => offset === this.offsets[at + i])) return;
    throw new TypeError(
      "Cannot change the offsets of systems on threads: create another frame",
    );
  }

  /** Returns the range of a buffer that the thread of a part holds. */
  #stretch({ spread = "all", length }: ThreadedBuffer, part: Part): Stretch {
    const systems = this.offsets.length - 1;
    return stretchOf(part, spread, length, { systems, atoms: this.offsets[systems]! });
  }
}

/**
 * Returns the parts and the shared memory of a team, if a team is faster than splitting the batch by systems, and there
 * is memory that threads can share.
 */
function teamOf(
  offsets: Int32Array,
  threads: number,
): { readonly parts: readonly Part[]; readonly memory: TeamMemory } | undefined {
  const systems = offsets.length - 1, atoms = offsets[systems]!;
  const { pairs_domains } = loadModule();
  const size = teamSize(offsets, threads, (atoms) => pairs_domains(atoms));
  const memory = size === undefined ? undefined : makeTeamMemory(atoms);
  if (size === undefined || memory === undefined) return undefined;
  const whole: Part = { systems: [0, systems], atoms: [0, atoms] };
  return { parts: new Array<Part>(size).fill(whole), memory };
}
