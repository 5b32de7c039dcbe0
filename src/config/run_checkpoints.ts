/**
 * The checkpoints of a run folder: written between steps, the newest kept.
 *
 * @module
 */

import type { Outcome } from "../hooks/outcome.ts";
import type { BaseContext } from "../hooks/context.ts";
import type { Hook } from "../hooks/table.ts";
import { DynamicsStage } from "../dynamics/stages.ts";
import { TrainingStage } from "../training/stages.ts";
import { namesIn, removeFile } from "./run_files.ts";

/** An engine whose state can be kept. */
export interface KeptEngine {
  /** Steps done. */
  readonly stepCount: number;
  /** Does something between two steps. */
  betweenSteps<T>(work: () => T | PromiseLike<T>): Promise<T>;
  /** Writes a file from which it can go on. */
  saveCheckpoint(path: string): Promise<void>;
}

const NAME = /^step-(\d+)\.hooke$/;

/** The checkpoints in a folder, the newest first. */
export async function checkpointsIn(folder: string): Promise<{ path: string; step: number }[]> {
  const names = await namesIn(folder);
  return names.flatMap((name) => {
    const step = NAME.exec(name)?.[1];
    return step === undefined ? [] : [{ path: `${folder}/${name}`, step: Number(step) }];
  }).sort((a, b) => b.step - a.step);
}

/** Has checkpoints written at every so many steps and after the last, and keeps the newest. */
export class CheckpointHook implements Hook<string> {
  readonly name = "checkpoints";
  readonly frequency: number;
  /** Not in the first step. */
  readonly phase: number;
  readonly atEnd = true;
  /** A disk that is full stops no run. */
  readonly onError = "warn";
  readonly kinds: readonly (typeof DynamicsStage | typeof TrainingStage)[] = [
    DynamicsStage,
    TrainingStage,
  ];
  readonly on: object;
  readonly #folder: string;
  readonly #keep: number;
  readonly #engine: KeptEngine;
  readonly #before: () => void | PromiseLike<void>;
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** `before` is waited for before each: what a run goes on from must have all that came before it. */
  constructor(
    engine: KeptEngine,
    { folder, every, keep, before = () => {} }: {
      folder: string;
      every: number;
      keep: number;
      before?: () => void | PromiseLike<void>;
    },
  ) {
    this.#engine = engine;
    this.#folder = folder;
    this.#keep = keep;
    this.#before = before;
    this.frequency = every;
    this.phase = every - 1; // so that steps done are a multiple
    const call = (_ctx: BaseContext) => this.#ask();
    this.on = { dynamics: { AFTER_STEP: call }, training: { STEP_END: call } };
  }

  /** Waits for the one under way; throws what went wrong since that was last told. */
  async close(_outcome: Outcome): Promise<void> {
    await this.#writing;
    this.#check();
  }

  #ask(): void {
    this.#writing ??= this.#engine.betweenSteps(() => this.#write())
      .catch((error) => void (this.#failure = { error }))
      .then(() => void (this.#writing = undefined));
    this.#check();
  }

  async #write(): Promise<void> {
    await this.#before();
    const own = this.#engine.stepCount, name = String(own).padStart(9, "0");
    await this.#engine.saveCheckpoint(`${this.#folder}/step-${name}.hooke`);
    // Later ones that are there are damaged, or of a run that was begun anew: they must not drive this one out.
    const known = (await checkpointsIn(this.#folder)).filter(({ step }) => step <= own);
    for (const { path } of known.slice(this.#keep)) await removeFile(path);
  }

  #check(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }
}
