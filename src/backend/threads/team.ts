/**
 * Teams of threads that share the work on large systems. The kernels of wasm/src/pairs/team.rs call
 * {@linkcode TeamMember.share} in the middle of a step.
 *
 * @module
 */

/** Words of the shared control array. */
const ARRIVED = 0, ROUND = 1, FAILED = 2;
const CONTROL_BYTES = 64;

/** Size of the shared data at first, in bytes. */
const FIRST_BYTES = 2 ** 20;
/**
 * Largest size to which the shared data can grow, in bytes per atom and in all. A runtime reserves as many addresses.
 * An exchange sends 12 bytes per copy of an atom, so there is room for 136 copies of each atom.
 */
const MOST_BYTES_PER_ATOM = 2 ** 12, MOST_BYTES = 2 ** 30;

/** Number of kept views from which all are dropped, because most of them are of old addresses. */
const MOST_VIEWS = 4096;

/** Number of reads of the control array before a thread sleeps. Waking up takes longer than most waits. */
const SPINS = 50_000;

/** Longest sleep between two signs of life, in ms. */
const SLEEP_MS = 1000;

/** Memory that the threads of a team share. */
export interface TeamMemory {
  readonly control: SharedArrayBuffer;
  readonly data: SharedArrayBuffer;
}

/** The place of one thread in a team, as plain data. */
export interface TeamMessage {
  /** Index of the thread within the team. */
  readonly member: number;
  /** Number of threads in the team. */
  readonly size: number;
  readonly memory: TeamMemory;
}

/**
 * Creates the memory of a team that computes a batch of `atoms` atoms; `undefined` if this runtime or page cannot share
 * memory with workers, or has no room for it.
 */
export function makeTeamMemory(atoms: number): TeamMemory | undefined {
  if (typeof SharedArrayBuffer === "undefined" || !("grow" in SharedArrayBuffer.prototype)) {
    return undefined;
  }
  const most = Math.min(Math.max(MOST_BYTES_PER_ATOM * atoms, 4 * FIRST_BYTES), MOST_BYTES);
  try {
    return {
      control: new SharedArrayBuffer(CONTROL_BYTES),
      data: new SharedArrayBuffer(FIRST_BYTES, { maxByteLength: most }),
    };
  } catch (error) {
    if (error instanceof RangeError) return undefined; // no addresses left: results are the same without a team
    throw error;
  }
}

/** Views of ranges of a memory, which are kept because the same ranges are exchanged in each step. */
class Views {
  #whole: Uint8Array = new Uint8Array(0);
  readonly #views = new Map<number, Uint8Array>();

  /** Sets the memory. If it is another one than before, all views are dropped. */
  use(memory: ArrayBufferLike): void {
    if (this.#whole.buffer === memory) return;
    this.#whole = new Uint8Array(memory);
    this.#views.clear();
  }

  /** Returns the view of `length` bytes from address `from` on. */
  of(from: number, length: number): Uint8Array {
    let view = this.#views.get(from);
    if (view !== undefined && view.length === length) return view;
    if (this.#views.size >= MOST_VIEWS) this.#views.clear();
    view = this.#whole.subarray(from, from + length);
    this.#views.set(from, view);
    return view;
  }
}

const OTHER_FAILED = "Cannot continue on threads: another thread failed";

/** Returns whether an error was thrown because another thread has failed. That thread reports the cause. */
export function isFailureOfOther(error: unknown): boolean {
  return error instanceof Error && error.message === OTHER_FAILED;
}

/**
 * A thread of a team. All members call `share` equally often and with the same sizes, because they run the same
 * program on the same values.
 */
export class TeamMember {
  readonly #control: Int32Array;
  readonly #data: SharedArrayBuffer;
  /** Views of the shared data. */
  readonly #shared = new Views();
  /** Views of the linear memory of this thread. */
  readonly #own = new Views();
  /** The words of the linear memory of this thread. */
  #words: Uint32Array = new Uint32Array(0);
  readonly #member: number;
  readonly #size: number;
  readonly #giveSign: () => void;
  /** Size of each half of the shared data. Exchanges use the halves in turn. */
  #half: number;
  #isSecond = false;

  /** Joins a team. `giveSign` is called while the thread waits, to report that it is alive. */
  constructor({ member, size, memory }: TeamMessage, giveSign: () => void) {
    this.#control = new Int32Array(memory.control);
    this.#data = memory.data;
    this.#shared.use(memory.data);
    this.#half = memory.data.byteLength / 2;
    this.#member = member;
    this.#size = size;
    this.#giveSign = giveSign;
  }

  /**
   * Copies parcels from the linear memory of the member that owns them to those of all other members. A parcel has
   * three words: address, number of bytes, and owner. Returns once all parcels have arrived.
   */
  share(memory: ArrayBufferLike, parcels: number, count: number): void {
    if (this.#words.buffer !== memory) this.#words = new Uint32Array(memory); // it has grown
    this.#own.use(memory);
    const words = this.#words, first = parcels / 4, end = first + 3 * count;
    let total = 0;
    for (let i = first; i < end; i += 3) total += words[i + 1]!;
    if (total > this.#half) this.#grow(total);
    const begin = this.#isSecond ? this.#half : 0;
    // Members that are late still read the other half. None of them can be later, because it has to arrive here first.
    this.#isSecond = !this.#isSecond;
    this.#copy(first, end, begin, true);
    this.#meet();
    this.#copy(first, end, begin, false);
  }

  /** Ends the waiting of all other members, which then throw an error. */
  fail(): void {
    Atomics.store(this.#control, FAILED, 1);
    Atomics.add(this.#control, ROUND, 1);
    Atomics.notify(this.#control, ROUND);
  }

  /** Copies own parcels to the shared data, which begins at byte `at`, or those of other members from there. */
  #copy(first: number, end: number, at: number, isSending: boolean): void {
    const words = this.#words;
    for (let i = first; i < end; i += 3) {
      const from = words[i]!, length = words[i + 1]!;
      const isOwn = words[i + 2] === this.#member;
      if (isOwn === isSending) {
        const own = this.#own.of(from, length), shared = this.#shared.of(at, length);
        if (isSending) shared.set(own);
        else own.set(shared);
      }
      at += length;
    }
  }

  /** Makes room for an exchange of `total` bytes. All members do so in the same exchange. */
  #grow(total: number): void {
    this.#meet(); // until then members may still read what they received
    this.#half = Math.ceil(total * 1.25 / 64) * 64;
    const needed = 2 * this.#half;
    if (needed > this.#data.maxByteLength) {
      throw new RangeError(
        `Cannot exchange forces between threads: ${total} bytes per step do not fit into shared memory. Run on one thread`,
      );
    }
    if (this.#data.byteLength < needed) this.#data.grow(needed);
  }

  /** Waits until all members have come here. */
  #meet(): void {
    const control = this.#control;
    const round = Atomics.load(control, ROUND);
    this.#assertWell(); // after the round is read, so that a later failure ends the sleep
    if (Atomics.add(control, ARRIVED, 1) === this.#size - 1) {
      Atomics.store(control, ARRIVED, 0);
      Atomics.add(control, ROUND, 1);
      Atomics.notify(control, ROUND);
    } else {
      this.#await(round);
    }
    this.#assertWell();
  }

  #assertWell(): void {
    if (Atomics.load(this.#control, FAILED) === 0) return;
    throw new Error(OTHER_FAILED);
  }

  #await(round: number): void {
    const control = this.#control;
    for (let i = 0; i < SPINS; i++) {
      if (Atomics.load(control, ROUND) !== round) return;
    }
    while (Atomics.wait(control, ROUND, round, SLEEP_MS) === "timed-out") this.#giveSign();
  }
}
