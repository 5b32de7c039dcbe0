/**
 * Sums over a chain of machines.
 *
 * Numbers are added in the order of shards: machine 0 adds its shards, machine 1 adds its own to that, and so on; the
 * total returns on the same connections. The order of additions, and so every bit, depends on the number of shards
 * alone, and not on the number of machines. Long arrays go in parts, so that all connections are busy at a time.
 *
 * @module
 */

import type { Addends } from "../parallel/shard_group.ts";
import { FrameType, MOST_PAYLOAD } from "./frame.ts";
import type { Link } from "./link.ts";

/** Numbers in a part of an array. */
const PART = 1 << 16;
/** Flag of a sum: a machine asks that all of them stop after this step. */
const STOP = 1;
/** Length of the head of a sum in bytes: index, flags, length of the array, number of means. */
const SUM_HEAD = 16;
/** Largest number of means, which go in one frame. */
const MOST_MEANS = (MOST_PAYLOAD - SUM_HEAD) / 8;

/** The links of a machine; the first machine has no left one, and the last no right one. */
export interface ChainLinks {
  readonly left: Link | undefined;
  readonly right: Link | undefined;
}

/** Adds arrays of all machines of a chain. */
export class Chain {
  readonly #links: ChainLinks;
  #index = 0;

  constructor(links: ChainLinks) {
    this.#links = links;
  }

  /**
   * Replaces the means and the array by the totals over all machines. Returns whether a machine wants to stop.
   *
   * @throws {GroupLostError} if a machine is lost
   * @throws {Error} if a machine has come to another sum
   */
  async sum(addends: Addends, wantsStop: boolean): Promise<boolean> {
    const { left, right } = this.#links, index = this.#index++ >>> 0;
    if (addends.means.length > MOST_MEANS) {
      throw new RangeError(
        `Cannot add means: there must be at most ${MOST_MEANS}; got ${addends.means.length}`,
      );
    }
    const head: SumHead = { index, flags: wantsStop ? STOP : 0, length: addends.length };
    const isLast = right === undefined;
    let flags = head.flags;
    if (left !== undefined) flags |= readHead(await left.receive(FrameType.SUM), head, addends);
    addends.addMeans(addends.means);
    const payload = headOf({ ...head, flags }, addends.means);
    if (!isLast) await right.send(FrameType.SUM, payload);
    else await left?.send(FrameType.TOTAL, payload);
    // Both directions go on at once: each connection is read while it is written to.
    const both = await Promise.allSettled([
      this.#forward(addends),
      isLast ? flags : this.#back(head, addends),
    ]);
    const failed = both.find(({ status }) => status === "rejected");
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
    return ((both[1] as PromiseFulfilledResult<number>).value & STOP) !== 0;
  }

  /** Adds the shards of this machine to each part, and passes it on. The last machine sends the totals back. */
  async #forward(addends: Addends): Promise<void> {
    const { left, right } = this.#links, { length } = addends;
    for (let from = 0; from < length; from += PART) {
      const to = Math.min(from + PART, length);
      if (left !== undefined) put(addends, from, to, await left.receive(FrameType.SUM_PART));
      addends.add(from, to);
      const part = bytesOf(addends.array(), from, to);
      if (right !== undefined) await right.send(FrameType.SUM_PART, part);
      else await left?.send(FrameType.TOTAL_PART, part);
    }
  }

  /** Takes the totals from the right, and passes them on to the left. Returns the flags of all machines. */
  async #back(head: SumHead, addends: Addends): Promise<number> {
    const { left, right } = this.#links, { length } = addends;
    const payload = await right!.receive(FrameType.TOTAL);
    const flags = readHead(payload, head, addends);
    await left?.send(FrameType.TOTAL, payload);
    for (let from = 0; from < length; from += PART) {
      const to = Math.min(from + PART, length);
      const part = await right!.receive(FrameType.TOTAL_PART);
      put(addends, from, to, part);
      await left?.send(FrameType.TOTAL_PART, part);
    }
    return flags;
  }

  /**
   * Returns the bytes of machine 0 on all machines.
   *
   * @param bytes the bytes, on machine 0
   * @throws {GroupLostError} if a machine is lost
   */
  async share(bytes: Uint8Array<ArrayBuffer> | undefined): Promise<Uint8Array<ArrayBuffer>> {
    const { left, right } = this.#links;
    const head = left === undefined
      ? new Uint8Array(Float64Array.of(bytes!.length).buffer)
      : await left.receive(FrameType.SHARE);
    const [length] = new Float64Array(head.buffer);
    await right?.send(FrameType.SHARE, head);
    const all = bytes ?? new Uint8Array(length!);
    for (let from = 0; from < length!; from += MOST_PAYLOAD) {
      const part = left === undefined
        ? all.subarray(from, Math.min(from + MOST_PAYLOAD, length!))
        : await left.receive(FrameType.SHARE_PART);
      if (left !== undefined) {
        if (part.length !== Math.min(MOST_PAYLOAD, length! - from)) throw differing();
        all.set(part, from);
      }
      await right?.send(FrameType.SHARE_PART, part);
    }
    return all;
  }
}

interface SumHead {
  /** Number of sums before this one, modulo 2³². */
  readonly index: number;
  readonly flags: number;
  readonly length: number;
}

function headOf({ index, flags, length }: SumHead, means: Float64Array): Uint8Array {
  const payload = new Uint8Array(SUM_HEAD + 8 * means.length);
  new Uint32Array(payload.buffer).set([index, flags, length, means.length]);
  new Float64Array(payload.buffer, SUM_HEAD).set(means);
  return payload;
}

/** Takes the means of a payload, and returns its flags. */
function readHead(
  payload: Uint8Array<ArrayBuffer>,
  { index, length }: SumHead,
  { means }: Addends,
): number {
  const isWhole = payload.length === SUM_HEAD + 8 * means.length;
  const numbers = isWhole ? new Uint32Array(payload.buffer, 0, 4) : [];
  if (numbers[0] !== index || numbers[2] !== length || numbers[3] !== means.length) {
    throw differing();
  }
  means.set(new Float64Array(payload.buffer, SUM_HEAD));
  return numbers[1]!;
}

/** Not a lost machine: the same would happen again after the last checkpoint. */
function differing(): Error {
  return new Error(
    "Cannot continue to train on many machines: two machines have come to different steps. " +
      "Options, data and hooks must be the same on all machines",
  );
}

function put(addends: Addends, from: number, to: number, part: Uint8Array<ArrayBuffer>): void {
  if (part.length !== 4 * (to - from)) {
    throw differing();
  }
  addends.array().set(new Float32Array(part.buffer), from);
}

function bytesOf(array: Float32Array, from: number, to: number): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset + 4 * from, 4 * (to - from));
}
