/**
 * Gradients that several workers compute in parallel, each for a part of the batch.
 *
 * @module
 */

import {
  openSessionInWorker,
  type WorkerSession,
} from "../../onnx/session/workers/session_in_worker.ts";
import type { SessionOptions } from "../../onnx/session/session_options.ts";
import type { HostFeed, HostTensor } from "../../onnx/session/session_tensor.ts";
import type { Arena } from "../model/arena.ts";
import type { TrainingBatch } from "../context.ts";
import { splitBatch } from "../data/split_batch.ts";
import type { DataSource } from "../data/data_source.ts";
import { feedsOf } from "../graph/feeds.ts";
import { gradientName, MEANS, SHARES } from "../graph/graph_names.ts";
import type { GradientTarget, Ran, Runner } from "../graph/runner.ts";
import { type GraphParts, lossGraph, type Measured } from "../graph/training_graph.ts";
import { countsOf } from "../engine/metric_sums.ts";
import { findNavigator } from "../../platform/page.ts";
import { localShards, type ShardGroup } from "./shard_group.ts";

/** Parts from which a {@linkcode SharedRunner} is created. */
export interface SharedParts {
  readonly graphs: GraphParts;
  readonly arena: Arena;
  /** Name of the model in errors. */
  readonly name: string;
  /** Number of parts of each batch if there is no group. Each part has a worker. */
  readonly workers?: number | undefined;
  /** The shards of each batch, some of which this process computes. */
  readonly group?: ShardGroup | undefined;
  /** Implementation of onnxruntime that the workers use. */
  readonly runtime?: SessionOptions["runtime"] | undefined;
}

/** The open sessions of all workers. All have the same graph. */
interface Team {
  readonly sessions: readonly WorkerSession[];
  readonly measured: Measured;
  readonly own: ReadonlySet<string>;
}

/** A part of a batch, and its fraction of the count of each mean. */
interface Shard {
  readonly index: number;
  readonly batch: TrainingBatch;
  readonly ratios: readonly number[];
}

/** A shard, and the session that computes it. */
interface Part extends Shard {
  readonly session: WorkerSession;
}

/** Milliseconds after which a worker without a reply is considered hung, in a group. */
const SHARD_TIMEOUT = 3_600_000;

/** Computes gradients in workers. All other computations use a single runner. */
export class SharedRunner {
  readonly #runner: Runner;
  readonly #parts: SharedParts;
  #graphs: GraphParts;
  #team: Promise<Team> | undefined;
  readonly #group: ShardGroup;
  /** The gradients of each shard. */
  readonly #scratch: Float32Array[] = [];

  constructor(runner: Runner, parts: SharedParts) {
    this.#runner = runner;
    this.#parts = parts;
    this.#group = parts.group ?? localShards(parts.workers ?? 1);
    this.#graphs = parts.graphs;
  }

  /** See {@linkcode Runner.rebuild}. */
  async rebuild(graphs: GraphParts): Promise<void> {
    this.#graphs = graphs;
    await this.#end();
    await this.#runner.rebuild(graphs);
  }

  /** See {@linkcode Runner.measured}. */
  async measured(): Promise<Measured> {
    return (await this.#open()).measured;
  }

  /**
   * Computes gradients, which are equal to those of a single runner up to rounding. The gradients of all parts are
   * added in order. If hooks change tensors, the single runner computes the gradients.
   */
  async gradients(
    batch: TrainingBatch,
    shares: Float64Array,
    into: GradientTarget,
    more: Readonly<Record<string, HostFeed>> = {},
    split: DataSource["split"] = splitBatch,
  ): Promise<Ran> {
    // A changed tensor belongs to the whole batch, and only the graph knows how to split it.
    if (Object.values(more).some(({ dims, data }) => (dims ?? [data.length]).length > 0)) {
      return await this.#runner.gradients(batch, shares, into, more);
    }
    const team = await this.#open();
    const parts = this.#cut(team, split(batch, this.#group.shards), batch);
    const ran = await this.#runAll(team, parts, shares, more);
    const means = new Float64Array(team.measured.terms.length + team.measured.metrics.length);
    const { arena } = this.#parts;
    const flat = ran.map((outputs, i) => this.#flat(outputs, i));
    await this.#group.sum({
      means,
      addMeans: (sums) => addMeans(sums, parts, ran.map((outputs) => outputs[MEANS]!.data)),
      length: arena.size,
      array: () => arena.backend.view(arena.array(into)) as Float32Array,
      add: (from, to) => {
        const view = arena.backend.view(arena.array(into)) as Float32Array;
        for (const [i, gradients] of flat.entries()) {
          if (parts[i]!.index === 0) view.set(gradients.subarray(from, to), from);
          else for (let k = from; k < to; k++) view[k]! += gradients[k]!;
        }
      },
    });
    return { means, fetch: () => Promise.resolve(means) };
  }

  /**
   * Computes loss and metrics of a batch. In a group, each machine computes its shards, so that all machines have the
   * same results.
   */
  async evaluate(
    batch: TrainingBatch,
    more: Readonly<Record<string, HostFeed>> = {},
    parameters = "parameters",
    split: DataSource["split"] = splitBatch,
  ): Promise<Ran> {
    const isWhole = this.#parts.group === undefined ||
      Object.values(more).some(({ dims, data }) => (dims ?? [data.length]).length > 0);
    if (isWhole) return await this.#runner.evaluate(batch, more, parameters);
    const measured = await this.#runner.measured();
    const shards = this.#own(measured, split(batch, this.#group.shards), batch);
    const ran: ArrayLike<number>[] = [];
    for (const shard of shards) {
      const { means, fetch } = await this.#runner.evaluate(shard.batch, more, parameters);
      ran.push(Array.from(means ?? await fetch(true)));
    }
    const means = new Float64Array(measured.terms.length + measured.metrics.length);
    await this.#group.sum({
      means,
      addMeans: (sums) => addMeans(sums, shards, ran),
      length: 0,
      array: () => new Float32Array(),
      add: () => {},
    });
    return { means, fetch: () => Promise.resolve(means) };
  }

  readonly forward: Runner["forward"] = (...args) => this.#runner.forward(...args);
  readonly slopes: Runner["slopes"] = (...args) => this.#runner.slopes(...args);
  readonly unchanged: Runner["unchanged"] = (...args) => this.#runner.unchanged(...args);
  readonly tapped: Runner["tapped"] = (...args) => this.#runner.tapped(...args);

  /** Ends the workers, and disposes of the single runner. */
  async dispose(): Promise<void> {
    await this.#end();
    await this.#runner.dispose();
  }

  /** Ends the workers. They start again when they are needed. */
  async rest(): Promise<void> {
    await this.#end();
  }

  async #end(): Promise<void> {
    const team = await this.#team?.catch(() => undefined);
    this.#team = undefined;
    for (const session of team?.sessions ?? []) session.dispose();
  }

  #open(): Promise<Team> {
    if (this.#team === undefined) {
      this.#team = this.#start();
      this.#team.catch(() => this.#team = undefined); // the next call starts the workers again
    }
    return this.#team;
  }

  async #start(): Promise<Team> {
    const { bytes, ...measured } = lossGraph(this.#graphs, { gradients: true });
    const { name, arena, runtime, group } = this.#parts;
    const options = {
      name,
      threads: 1,
      ...(group !== undefined && { timeout: SHARD_TIMEOUT }), // shards may wait for each other
      ...(runtime !== undefined && { runtime }),
    };
    const opened = await Promise.allSettled(
      Array.from({ length: this.#workers }, () => openSessionInWorker(bytes, options)),
    );
    const sessions = opened.flatMap((one) => one.status === "fulfilled" ? [one.value] : []);
    const failed = opened.find((one) => one.status === "rejected");
    if (failed !== undefined) {
      for (const session of sessions) session.dispose();
      throw failed.reason;
    }
    const own = new Set([...arena.places.map(({ name }) => name), SHARES]);
    return { sessions, measured, own };
  }

  /** Number of sessions. In a group, shards share them if there are more shards than processors. */
  get #workers(): number {
    const { first, end } = this.#group, own = end - first;
    if (this.#parts.group === undefined) return own;
    return Math.min(own, findNavigator()?.hardwareConcurrency ?? 1);
  }

  #cut(
    { measured, sessions }: Team,
    batches: readonly TrainingBatch[],
    whole: TrainingBatch,
  ): Part[] {
    return this.#own(measured, batches, whole).map((shard, i) => ({
      ...shard,
      session: sessions[i % sessions.length]!,
    }));
  }

  /** Returns the shards that this process computes. A small batch may have fewer shards than the group. */
  #own(
    measured: Measured,
    batches: readonly TrainingBatch[],
    whole: TrainingBatch,
  ): Shard[] {
    const totals = countsOf(measured, whole), { first, end } = this.#group;
    return batches.slice(first, end).map((batch, i) => ({
      index: first + i,
      batch,
      ratios: countsOf(measured, batch).map((count, k) => totals[k]! > 0 ? count / totals[k]! : 0),
    }));
  }

  /**
   * Computes all parts. Waits for all of them even if one has failed, so that no part is still being computed in the
   * next step.
   */
  async #runAll(
    team: Team,
    parts: readonly Part[],
    shares: Float64Array,
    more: Readonly<Record<string, HostFeed>>,
  ): Promise<Readonly<Record<string, HostTensor>>[]> {
    const all = await Promise.allSettled(
      parts.map(async (part) => await this.#run(team, part, shares, more)),
    );
    return all.map((one) => {
      if (one.status === "fulfilled") return one.value;
      throw one.reason;
    });
  }

  #run(
    { own }: Team,
    { session, batch, ratios }: Part,
    shares: Float64Array,
    more: Readonly<Record<string, HostFeed>>,
  ): Promise<Readonly<Record<string, HostTensor>>> {
    const { arena } = this.#parts;
    const view = arena.backend.view(arena.array("parameters")) as Float32Array;
    const parameters = arena.places.map(({ name, dims, from, size }) => [
      name,
      { data: view.slice(from, from + size), dims }, // posting a view would copy the whole buffer
    ]);
    return session.run({
      ...feedsOf(session, { ...batch.feeds, ...more }, own),
      ...Object.fromEntries(parameters),
      [SHARES]: { data: Float32Array.from(shares, (share, k) => share * ratios[k]!) },
    });
  }

  /** Returns the gradients of a shard in the order of the arena, in an array that the next step uses again. */
  #flat(outputs: Readonly<Record<string, HostTensor>>, index: number): Float32Array {
    const { arena } = this.#parts;
    const flat = this.#scratch[index] ??= new Float32Array(arena.size);
    for (const { name, from } of arena.places) {
      flat.set(outputs[gradientName(name)]!.data as Float32Array, from);
    }
    return flat;
  }
}

/** Adds the means of shards to the sums, each with the shard's fraction of the count. */
function addMeans(
  sums: Float64Array,
  shards: readonly Shard[],
  means: readonly ArrayLike<number | bigint>[],
): void {
  for (let k = 0; k < sums.length; k++) {
    for (const [i, { ratios }] of shards.entries()) sums[k]! += Number(means[i]![k]) * ratios[k]!;
  }
}
