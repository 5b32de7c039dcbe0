/**
 * Groups of machines that train together.
 *
 * @module
 */

import type { Addends, ShardGroup } from "../parallel/shard_group.ts";
import { Chain } from "./chain.ts";
import { GroupLostError } from "./group_lost_error.ts";
import { type GroupPlan, planGroup, type TrainingGroupOptions } from "./group_options.ts";
import { joinChain, type Joined } from "./join.ts";

/** Bytes that a machine has exchanged with its neighbors. */
export interface GroupTraffic {
  /** Bytes sent. */
  readonly sent: number;
  /** Bytes received. */
  readonly received: number;
}

/** Machines that train together, each with some shards of each batch; the result of {@linkcode openTrainingGroup}. */
export interface TrainingGroup extends ShardGroup, AsyncDisposable {
  /** Number of machines. */
  readonly nodes: number;
  /** Number of this machine, from 0. */
  readonly rank: number;
  /** Aborts when all machines have agreed to stop after the current step. Pass it to the trainer. */
  readonly stopped: AbortSignal;
  /** Bytes that this machine has exchanged. */
  readonly traffic: GroupTraffic;
  /** Asks all machines to stop after the same step. */
  stop(reason: unknown): void;
  /**
   * Returns the bytes of machine 0 on all machines. All machines must call it at the same point of their programs.
   *
   * @param bytes the bytes, on machine 0
   * @throws {GroupLostError} if a machine is lost
   * @throws {TypeError} if machine 0 passes no bytes
   */
  share(bytes?: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
  /** Leaves the group. With a reason, the other machines count this one as lost, and wait for it to come back. */
  close(reason?: string): Promise<void>;
}

/**
 * Joins machines that train together. Each machine runs the same program with the same data, and computes the gradients
 * of its shards. The gradients are added in the order of the shards, so that results are bitwise identical for any number
 * of machines. All machines then do the same update.
 *
 * The machines form a chain: machine 1 connects to machine 0, machine 2 to machine 1, and so on. Each proves that it
 * knows the secret. If one is lost, all others throw a {@linkcode GroupLostError} within `timeout` seconds. To go on,
 * close the group, open it again, and load the last checkpoint.
 *
 * @throws {TypeError | RangeError} if an option is wrong, or another machine has other settings
 * @throws {Error} if the other machines have not come after `patience` seconds, or this machine cannot listen
 *
 * @example Four shards on one machine, which give the same bits as on four
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { meanSquaredError, openTrainingGroup, sgd, tensorData, Trainer } from "@hooke/hooke/training";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("line"); // y = w x
 * const x = builder.input("x", "f32", ["B", 1]);
 * builder.output("y", builder.op("MatMul", [x, builder.parameter("w", [0], [1, 1])], "f32"));
 * const data = tensorData({
 *   x: { data: Float32Array.of(1, 2, 3, 4), dims: [4, 1] },
 *   wanted: { data: Float32Array.of(2, 4, 6, 8), dims: [4, 1] },
 * }, { batchSize: 4 });
 *
 * await using group = await openTrainingGroup({ shards: 4 }); // on many: nodes, rank and rendezvous
 * await using trainer = new Trainer({
 *   model: builder.build(),
 *   loss: meanSquaredError({ target: "wanted" }),
 *   data,
 *   optimizers: sgd({ lr: 0.05 }),
 *   epochs: 20,
 *   group,
 *   signal: group.stopped,
 * });
 * await trainer.train();
 * assertAlmostEquals((await trainer.parameter("w"))[0]!, 2, 1e-4);
 * ```
 */
export async function openTrainingGroup(options: TrainingGroupOptions): Promise<TrainingGroup> {
  const plan = await planGroup(options);
  const group = new ChainGroup(plan);
  await group.join();
  return group;
}

class ChainGroup implements TrainingGroup {
  readonly shards: number;
  readonly nodes: number;
  readonly rank: number;
  readonly first: number;
  readonly end: number;
  readonly #plan: GroupPlan;
  readonly #stopped = new AbortController();
  #joined: Joined | undefined;
  #chain = new Chain({ left: undefined, right: undefined });
  #stopReason: unknown;
  #lost: string | undefined;

  constructor(plan: GroupPlan) {
    const { shards, nodes, rank } = this.#plan = plan;
    this.shards = shards;
    this.nodes = nodes;
    this.rank = rank;
    this.first = Math.floor(rank * shards / nodes);
    this.end = Math.floor((rank + 1) * shards / nodes);
  }

  get stopped(): AbortSignal {
    return this.#stopped.signal;
  }

  get traffic(): GroupTraffic {
    const { left, right } = this.#joined?.links ?? {};
    const sum = (of: "sent" | "received") => (left?.traffic[of] ?? 0) + (right?.traffic[of] ?? 0);
    return { sent: sum("sent"), received: sum("received") };
  }

  async join(): Promise<void> {
    if (this.nodes === 1) return;
    this.#joined = await joinChain(this.#plan, (reason) => this.#lose(reason));
    this.#chain = new Chain(this.#joined.links);
  }

  stop(reason: unknown): void {
    this.#stopReason ??= reason ?? "stopped";
  }

  async sum(addends: Addends): Promise<void> {
    const wantsStop = this.#stopReason !== undefined;
    const isStopping = await this.#use(() => this.#chain.sum(addends, wantsStop));
    if (isStopping) this.#stopped.abort(this.#stopReason ?? "another machine asked to stop");
  }

  async share(bytes?: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    if (this.rank === 0 && !(bytes instanceof Uint8Array)) {
      throw new TypeError("Cannot share bytes with other machines: machine 0 must pass them");
    }
    return await this.#use(() => this.#chain.share(this.rank === 0 ? bytes : undefined));
  }

  async close(reason?: string): Promise<void> {
    this.#lost ??= reason ?? "the group is closed";
    await this.#joined?.close(reason);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#lost !== undefined) throw new GroupLostError(this.#lost);
    try {
      return await work();
    } catch (error) {
      if (error instanceof GroupLostError) this.#lose(error.reason);
      throw error;
    }
  }

  /** Passes the loss of a machine on, so that all machines notice it. */
  #lose(reason: string): void {
    if (this.#lost !== undefined) return;
    this.#lost = reason;
    void this.#joined?.close(reason);
  }
}
