import {
  assertVacant,
  type HeldFolder,
  holdFolder,
  keepNewest,
  pathOf,
  stepName,
} from "../../checkpoint/folder.ts";
import { DynamicsStage } from "../../dynamics/stages.ts";
import type { BaseContext, Workflow } from "../../hooks/protocol/context.ts";
import { fatal } from "../../hooks/registry/error_reports.ts";
import type { Outcome } from "../../hooks/protocol/outcome.ts";
import type { ScheduleOptions } from "../../hooks/protocol/schedule.ts";
import type { FinishedHook } from "../../hooks/protocol/table.ts";
import { TrainingStage } from "../../training/stages.ts";
import {
  checkCheckpoints,
  type CheckpointableEngine,
  type CheckpointHookOptions,
} from "./checkpoint_options.ts";
import { noteCheckpointHook } from "./known_hooks.ts";

const NAME = "CheckpointHook";

/** Run whose checkpoints are written. */
interface OpenCheckpoints {
  readonly engine: CheckpointableEngine;
  readonly folder: string;
  readonly held: HeldFolder;
  /** Steps done at the last checkpoint. */
  last: number | undefined;
}

/**
 * Writes checkpoints of an engine to a folder, by steps, by the clock, or both, as `step-000001000.hooke`, and keeps
 * the newest ones. The state is copied between two steps and written while the run goes on. Only one checkpoint is in
 * flight at a time: a checkpoint that is due by steps waits for it, one that is due by the clock is skipped.
 *
 * Files are replaced atomically, so a killed process never leaves a damaged checkpoint. Before a checkpoint is
 * written, all hooks flush their own files; a run that resumes therefore has each snapshot and each row of a log
 * once. `engine.loadLatest(folder)` resumes from the newest undamaged checkpoint. A folder belongs to one run: if
 * another run is writing to it, or if it has checkpoints of an earlier run and this run begins at step 0, the run is
 * refused with an error whose code is `"EBUSY"`.
 *
 * If the folder cannot be written when the run begins, the run is refused. Later errors are warnings, because the
 * earlier checkpoints still exist (unless the hook is added with another `onError`). If the folder is removed during
 * the run, the run ends with an error whose code is `"ESTALE"`.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option. If the
 * engine cannot write checkpoints, the run throws a TypeError when it begins.
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { NVTLangevin } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { CheckpointHook } from "@hooke/hooke/observe";
 * import { assertEquals } from "@std/assert";
 *
 * const folder = `${await Deno.makeTempDir()}/checkpoints`;
 * const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * const hooks = () => [new CheckpointHook({ folder, everySteps: 50, everySeconds: 60, keepLast: 2 })];
 * async function go(steps: number): Promise<number> {
 *   await using md = new NVTLangevin({
 *     model,
 *     dt: 2,
 *     temperature: 40,
 *     friction: 0.02,
 *     seed: 1,
 *     hooks: hooks(),
 *   });
 *   const batch = await md.loadLatest(folder) ?? fresh();
 *   await md.run(batch, steps - md.stepCount);
 *   return md.stepCount;
 * }
 * function fresh(): Batch {
 *   const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 *   initVelocities(batch, 40, { seed: 1 });
 *   return batch;
 * }
 * assertEquals([await go(120), await go(200)], [120, 200]);
 * const files = Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
 * assertEquals(files, ["step-000000150.hooke", "step-000000200.hooke"]);
 * ```
 */
export class CheckpointHook implements FinishedHook<string> {
  /** Name of the hook. */
  readonly name: string;
  /** Number of steps between two checkpoints. */
  readonly frequency: number;
  /**
   * Phase of the schedule, `frequency` − 1: a checkpoint is due when the number of finished steps is a multiple of
   * `frequency`.
   */
  readonly phase: number;
  /** True if a checkpoint is written when the run ends. */
  readonly atEnd: boolean;
  /** Turns errors into warnings, so that a full disk does not stop a run. */
  readonly onError = "warn";
  /** Kinds of the engines that the hook supports. */
  readonly kinds: readonly (typeof DynamicsStage | typeof TrainingStage)[] = [
    DynamicsStage,
    TrainingStage,
  ];
  /** Handlers by stage name, for each kind in `kinds`. */
  readonly on: object;
  /** Schedule of the stages at which the clock is checked. */
  readonly stageTimes: Readonly<Record<string, ScheduleOptions>>;
  readonly #options: CheckpointHookOptions;
  readonly #keep: number;
  #open: OpenCheckpoints | undefined;
  /** True from the request of a checkpoint until the current step is done. */
  #isRequested = false;
  #taking: Promise<void> | undefined;
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** Creates the hook; nothing is written yet. */
  constructor(options: CheckpointHookOptions) {
    checkCheckpoints(options);
    noteCheckpointHook(this, options.folder);
    const { everySteps, everySeconds, keepLast = 1, atEnd = true, name } = options;
    this.#options = options;
    this.#keep = keepLast;
    this.name = name ?? "checkpoints";
    this.atEnd = atEnd;
    const steps = everySteps ?? (everySeconds === undefined ? 1000 : Number.MAX_SAFE_INTEGER);
    this.frequency = steps;
    this.phase = steps - 1;
    const call = (_ctx: BaseContext) => this.#request(true);
    const tick = (_ctx: BaseContext) => this.#request(false);
    const isTimed = everySeconds !== undefined;
    this.on = {
      dynamics: { AFTER_STEP: call, ...isTimed ? { BEFORE_STEP: tick } : {} },
      training: { STEP_END: call, ...isTimed ? { BATCH_BEGIN: tick } : {} },
    };
    const timed = { frequency: 1, ...isTimed ? { everySeconds } : {} };
    this.stageTimes = isTimed ? { BEFORE_STEP: timed, BATCH_BEGIN: timed } : {};
  }

  /** Creates the folder, and locks it. Called by the engine. */
  async open(engine: Workflow): Promise<void> {
    if (!canCheckpoint(engine)) {
      throw new TypeError(
        `Cannot open ${NAME}: ${engine.name} does not support checkpoints: it lacks betweenSteps() or saveCheckpoint()`,
      );
    }
    const folder = pathOf(this.#options.folder);
    const held = await holdFolder(folder).catch((error) => {
      throw fatal(error); // a run must not go on if it can never write a checkpoint
    });
    try {
      if (engine.stepCount === 0) await assertVacant(folder);
    } catch (error) {
      held.release();
      throw error;
    }
    this.#open = { engine, folder, held, last: undefined };
    const { atBegin = true } = this.#options;
    // The first checkpoint is taken when all hooks are open, before the first step. A trainer has no such checkpoint,
    // because it may be opened without running.
    if (atBegin && engine.takeCheckpoint !== undefined) this.#request(true, true);
  }

  /** Waits for the checkpoint in flight. Throws an error that was not reported yet. Called by the engine. */
  async close(outcome: Outcome): Promise<void> {
    await this.#taking;
    await this.#writing;
    this.#open?.held.release();
    const cause = (this.#failure?.error as { readonly cause?: unknown } | undefined)?.cause;
    if (outcome.status === "failed" && cause === outcome.error) this.#failure = undefined; // already reported
    this.#check();
  }

  /**
   * Requests a checkpoint between two steps. If `mayWait` is false, the request is dropped while a checkpoint is
   * being written. If `isFirst` is true, the next step waits until the checkpoint is on disk: a run that was killed
   * before that would have written rows that no checkpoint could remove.
   */
  #request(mayWait: boolean, isFirst: boolean = false): void {
    const isBusy = this.#isRequested || !mayWait && this.#writing !== undefined;
    if (!isBusy) {
      this.#isRequested = true;
      this.#taking = this.#open!.engine.betweenSteps(async () => {
        await this.#take();
        if (isFirst) await this.#writing;
      }).catch((error) => {
        this.#isRequested = false;
        this.#failure ??= { error };
      });
    }
    this.#check(); // throws errors of earlier checkpoints, after this one was requested
  }

  /**
   * Waits until the previous checkpoint is written, then copies the state of the engine and begins to write it to a
   * file. Called between two steps.
   */
  async #take(): Promise<void> {
    this.#isRequested = false;
    await this.#writing;
    const { engine, folder, held, last } = this.#open!, step = engine.stepCount;
    if (step === last) return;
    const path = `${folder}/${stepName(step)}`;
    if (engine.takeCheckpoint === undefined) {
      await engine.hooks.flush();
      await this.#flush();
      held.assertThere(); // saveCheckpoint() would create a removed folder again
      await engine.saveCheckpoint(path);
      await this.#written(step);
      return;
    }
    // The copy is taken between two steps. Writing it then overlaps with the next steps.
    const bytes = await engine.takeCheckpoint();
    this.#writing = this.#write(path, step, bytes)
      .catch((error) => void (this.#failure ??= { error }))
      .then(() => void (this.#writing = undefined));
  }

  async #write(path: string, step: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const { engine, held } = this.#open!;
    // Files first, then the checkpoint: a checkpoint must never count rows that a kill could still lose.
    await engine.hooks.flush();
    await this.#flush();
    await held.write(path, bytes);
    await this.#written(step);
  }

  async #flush(): Promise<void> {
    for (const sink of this.#options.sinks ?? []) await sink.flush?.();
  }

  /**
   * Records that the checkpoint of a step is written, and deletes old checkpoints. Checkpoints of later steps are
   * damaged or belong to an abandoned run, so they do not count.
   */
  async #written(step: number): Promise<void> {
    const open = this.#open!;
    open.last = step;
    await keepNewest(open.folder, step, this.#keep);
  }

  #check(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }
}

function canCheckpoint(engine: Workflow): engine is CheckpointableEngine {
  const { betweenSteps, saveCheckpoint } = engine as Partial<CheckpointableEngine>;
  return typeof betweenSteps === "function" && typeof saveCheckpoint === "function";
}
