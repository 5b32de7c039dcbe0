/**
 * One stage of a recipe for many structures.
 *
 * @module
 */

import { openDevice } from "../../backend/open.ts";
import { Batch } from "../../batch/batch.ts";
import type { System } from "../../batch/system.ts";
import { DivergedError, UnstableError } from "../../dynamics/diverged_error.ts";
import type { Dynamics } from "../../dynamics/dynamics.ts";
import { SizeAwareSampler } from "../../dynamics/streaming/sampler.ts";
import type { SavedDynamics } from "../../dynamics/engine/checkpoint.ts";
import { isOfHook } from "../../hooks/registry/error_reports.ts";
import type { StageResult } from "../store/result.ts";
import type { SavedStage } from "./saved_run.ts";
import type { FullStage } from "../recipe/stages.ts";
import { evaluateBatch } from "./evaluate_batch.ts";
import { largestForce } from "./largest_force.ts";
import { type EngineParts, type EngineStage, openEngine } from "./open_engine.ts";
import { enter, seedOf, type Traveler } from "./stage_input.ts";

/** A structure after a stage: its new state, or the reason why it failed. */
export type StageOutcome =
  | { readonly system: System; readonly result: StageResult }
  | { readonly reason: string };

/** The parts of a stage besides its data. */
export interface StageParts extends Omit<EngineParts, "seed"> {
  /** Largest number of atoms in a batch. */
  readonly batchAtoms: number;
  /** True to compute each structure in a batch of its own. */
  readonly isAlone: boolean;
  /** True to compute stresses. */
  readonly hasStress: boolean;
}

/** Runs a stage. The engine stays open from batch to batch. */
export class StageRunner {
  readonly #stage: FullStage;
  readonly #index: number;
  readonly #parts: StageParts;
  #engine: Dynamics | undefined;
  /** The structures that are streamed, and those with an outcome; undefined before the first run. */
  #current: { readonly done: Set<number>; readonly chosen: readonly number[] } | undefined;
  /** True while the engine streams the structures of `#current`, or was interrupted there. */
  #isStreaming = false;

  constructor(stage: FullStage, index: number, parts: StageParts) {
    this.#stage = stage;
    this.#index = index;
    this.#parts = parts;
  }

  /**
   * Runs the stage for structures. Calls `ended` for each, in the order in which they end, with its index. Returns
   * false if the signal was aborted before all have ended.
   *
   * @param saved state from which the stage continues; structures that are done there are not reported again
   */
  async run(
    travelers: readonly Traveler[],
    ended: (index: number, outcome: StageOutcome) => void,
    saved?: SavedStage,
  ): Promise<boolean> {
    const done = new Set<number>(saved?.done);
    const end = (index: number, outcome: StageOutcome) => {
      done.add(index);
      ended(index, outcome);
    };
    const valid = travelers.flatMap((traveler, i) => {
      if (done.has(i)) return [];
      const refusal = refusalOf(traveler.system);
      if (refusal === undefined) return [i];
      end(i, { reason: refusal });
      return [];
    });
    try {
      const chosen = saved?.dynamics ? saved.chosen : valid;
      this.#current = { done, chosen };
      this.#isStreaming = this.#stage.stage !== "singlepoint";
      if (saved?.dynamics) {
        await this.open();
        await this.#engine!.load(saved.dynamics);
      }
      if (valid.length > 0) await this.#some(travelers, chosen, end);
      if (!this.#isAborted) this.#isStreaming = false;
    } catch (error) {
      if (!this.#isAborted && !isOfStructure(error)) throw error;
      this.#isStreaming = false;
      await this.close(); // an engine is of no use after an error
    }
    for (const i of valid) {
      if (done.has(i)) continue;
      if (this.#isAborted) return false;
      await this.#alone(travelers, i, end);
    }
    return done.size === travelers.length;
  }

  /**
   * Returns the state of the stage, between two steps of its engine, or after it was interrupted. `take` is called at
   * the same moment, before any other structure ends. Returns undefined if the stage has not begun.
   */
  async save(take: () => void): Promise<SavedStage | undefined> {
    const current = this.#current;
    if (current === undefined) return undefined;
    const stateWith = (dynamics: SavedDynamics | null): SavedStage => {
      take();
      return { done: [...current.done], chosen: current.chosen, dynamics };
    };
    const engine = this.#engine;
    if (!this.#isStreaming || engine === undefined || engine.stepCount === 0) {
      return stateWith(null);
    }
    return await engine.betweenSteps(async () => stateWith(await engine.save()));
  }

  get #isAborted(): boolean {
    return this.#parts.signal?.aborted === true;
  }

  /**
   * Runs the stage for a structure that has no outcome, in an engine of its own. So a failure is always that of the
   * structure alone, and its message does not depend on the batch.
   */
  async #alone(
    travelers: readonly Traveler[],
    index: number,
    end: (index: number, outcome: StageOutcome) => void,
  ): Promise<void> {
    await this.close();
    try {
      await this.#some(travelers, [index], end);
    } catch (error) {
      if (this.#isAborted) return;
      if (!isOfStructure(error)) throw error;
      end(index, { reason: messageOf(error) });
    } finally {
      await this.close();
    }
  }

  async #some(
    travelers: readonly Traveler[],
    chosen: readonly number[],
    end: (index: number, outcome: StageOutcome) => void,
  ): Promise<void> {
    const some = chosen.map((i) => travelers[i]!);
    const { hasStress } = this.#parts;
    const systems = enter(some, this.#stage, { index: this.#index, hasStress });
    const report = (at: number, outcome: StageOutcome) => end(chosen[at]!, outcome);
    if (this.#stage.stage === "singlepoint") return await this.#evaluate(systems, report);
    await this.#stream(this.#stage, some, systems, report);
  }

  /** Streams structures through the batch of the engine. Structures that diverge are not reported. */
  async #stream(
    stage: EngineStage,
    travelers: readonly Traveler[],
    systems: readonly System[],
    report: (at: number, outcome: StageOutcome) => void,
  ): Promise<void> {
    const { batchAtoms, isAlone } = this.#parts;
    await this.open();
    const sizes = systems.map(({ nodeCount }) => nodeCount);
    const source = {
      length: systems.length,
      get: (at: number) => systems[at]!,
      sizes: (at: number) => ({ atoms: sizes[at]! }),
      id: (at: number) => travelers[at]!.noise,
    };
    const sampler = new SizeAwareSampler(source, {
      maxAtoms: Math.max(batchAtoms, ...sizes),
      ...isAlone && { maxSystems: 1 },
    });
    const write = (frame: Batch, mask?: ArrayLike<number | boolean>) => {
      const indices = frame.get("sourceIndex");
      for (let slot = 0; slot < frame.size; slot++) {
        if (mask !== undefined && !mask[slot]) continue;
        report(indices[slot]!, outcomeOf(frame, slot, stage));
      }
    };
    await this.#engine!.stream(sampler, {
      sinks: [{ write }],
      maxSteps: stage.steps,
      // Without others, the error is thrown: its message is the reason of the failure.
      ...!isAlone && systems.length > 1 && { onDiverged: "drop" as const },
    });
  }

  async #evaluate(
    systems: readonly System[],
    report: (at: number, outcome: StageOutcome) => void,
  ): Promise<void> {
    const { model, batchAtoms, isAlone } = this.#parts;
    const { backend } = await openDevice("wasm");
    try {
      for (const places of groups(systems, isAlone ? 0 : batchAtoms)) {
        if (this.#isAborted) return;
        const batch = Batch.from(places.map((at) => systems[at]!));
        const diverged = await evaluateBatch(batch, model, backend);
        if (diverged !== undefined) {
          throw new RangeError(
            "Cannot evaluate the structure: its energy or a force is not finite",
          );
        }
        for (const [slot, at] of places.entries()) {
          report(at, {
            system: batch.system(slot),
            result: { ...measured(batch, slot), stage: "singlepoint", steps: 0 },
          });
        }
      }
    } finally {
      backend.dispose();
    }
  }

  /** Opens the engine, so that wrong options are reported before the first structure. */
  async open(): Promise<void> {
    if (this.#stage.stage === "singlepoint") return;
    this.#engine ??= await openEngine(this.#stage, {
      ...this.#parts,
      seed: seedOf(this.#index),
    });
  }

  /** Closes the engine. */
  async close(): Promise<void> {
    const engine = this.#engine;
    this.#engine = undefined;
    await engine?.close();
  }
}

/**
 * Returns whether an error is about the structure, so that it happens again on every machine. Other errors, such as too
 * little memory or a failed hook, end the run, and the item has no result.
 */
function isOfStructure(error: unknown): boolean {
  if (error instanceof DivergedError || error instanceof UnstableError) return true;
  if (isOfHook(error)) return false;
  return (error instanceof RangeError || error instanceof TypeError) &&
    !/allocat|memory|invalid .*length/i.test(error.message);
}

/** Returns the reason why no engine can take a structure; undefined if engines can. */
function refusalOf(system: System): string | undefined {
  if (system.nodeCount === 0) return "it has no atoms";
  const lost = system.positions.findIndex((x) => !Number.isFinite(x));
  if (lost >= 0) return `the position of atom ${Math.floor(lost / 3)} is not finite`;
  if (!system.cell.every(Number.isFinite)) return "its cell is not finite";
  return undefined;
}

function outcomeOf(frame: Batch, slot: number, stage: EngineStage): StageOutcome {
  const steps = frame.has("stepsDone") ? frame.get("stepsDone")[slot]! : stage.steps;
  const facts = { ...measured(frame, slot), steps };
  return {
    system: frame.system(slot),
    result: stage.stage === "md"
      ? { stage: "md", ...facts }
      : { stage: "relax", converged: frame.get("status")[slot] === 1, ...facts },
  };
}

function measured(batch: Batch, slot: number): { readonly energy: number; readonly fmax: number } {
  return { energy: batch.get("energy")[slot]!, fmax: largestForce(batch, slot) };
}

/** Splits the indices of structures into groups of at most `atoms` atoms, or of one structure. */
function groups(systems: readonly System[], atoms: number): number[][] {
  const all: number[][] = [];
  let sum = Infinity;
  for (const [at, { nodeCount }] of systems.entries()) {
    sum += nodeCount;
    if (sum > atoms) all.push([at]);
    else all.at(-1)!.push(at);
    if (all.at(-1)!.length === 1) sum = nodeCount;
  }
  return all;
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s*\n\s*/g, " ");
}
