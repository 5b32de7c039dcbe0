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

/** Parts from which a {@linkcode SharedRunner} is created. */
export interface SharedParts {
  readonly graphs: GraphParts;
  readonly arena: Arena;
  /** Name of the model in errors. */
  readonly name: string;
  /** Number of workers. */
  readonly workers: number;
  /** Implementation of onnxruntime that the workers use. */
  readonly runtime?: SessionOptions["runtime"] | undefined;
}

/** The open sessions of all workers. All have the same graph. */
interface Team {
  readonly sessions: readonly WorkerSession[];
  readonly measured: Measured;
  readonly own: ReadonlySet<string>;
}

/** A part of a batch, the session that computes it, and its fraction of the count of each mean. */
interface Part {
  readonly session: WorkerSession;
  readonly batch: TrainingBatch;
  readonly ratios: readonly number[];
}

/** Computes gradients in workers. All other computations use a single runner. */
export class SharedRunner {
  readonly #runner: Runner;
  readonly #parts: SharedParts;
  #graphs: GraphParts;
  #team: Promise<Team> | undefined;

  constructor(runner: Runner, parts: SharedParts) {
    this.#runner = runner;
    this.#parts = parts;
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
    const parts = this.#cut(team, split(batch, team.sessions.length), batch);
    const ran = await this.#runAll(team, parts, shares, more);
    this.#add(ran, into);
    const count = team.measured.terms.length + team.measured.metrics.length;
    const means = Float64Array.from(
      { length: count },
      (_, k) =>
        ran.reduce(
          (sum, outputs, i) => sum + Number(outputs[MEANS]!.data[k]) * parts[i]!.ratios[k]!,
          0,
        ),
    );
    return { means, fetch: () => Promise.resolve(means) };
  }

  readonly evaluate: Runner["evaluate"] = (...args) => this.#runner.evaluate(...args);
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
    const { name, workers, arena, runtime } = this.#parts;
    const options = { name, threads: 1, ...(runtime !== undefined && { runtime }) };
    const opened = await Promise.allSettled(
      Array.from({ length: workers }, () => openSessionInWorker(bytes, options)),
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

  #cut(
    { measured, sessions }: Team,
    batches: readonly TrainingBatch[],
    whole: TrainingBatch,
  ): Part[] {
    const totals = countsOf(measured, whole);
    return batches.map((batch, i) => ({
      session: sessions[i]!,
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

  #add(ran: readonly Readonly<Record<string, HostTensor>>[], into: GradientTarget): void {
    const { arena } = this.#parts, view = arena.backend.view(arena.array(into));
    for (const { name, from, size } of arena.places) {
      for (const [i, outputs] of ran.entries()) {
        const gradient = outputs[gradientName(name)]!.data as Float32Array;
        if (i === 0) view.set(gradient, from);
        else for (let k = 0; k < size; k++) view[from + k]! += gradient[k]!;
      }
    }
  }
}
