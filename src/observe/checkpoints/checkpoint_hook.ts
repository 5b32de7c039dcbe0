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
import type { Hook } from "../../hooks/protocol/table.ts";
import { TrainingStage } from "../../training/stages.ts";
import {
  checkCheckpoints,
  type CheckpointHookOptions,
  type KeptEngine,
} from "./checkpoint_options.ts";
import { noteCheckpointHook } from "./known_hooks.ts";

const NAME = "CheckpointHook";

/** The run that checkpoints are taken of. */
interface OpenCheckpoints {
  readonly engine: KeptEngine;
  readonly folder: string;
  readonly held: HeldFolder;
  /** Steps done at the last checkpoint. */
  last: number | undefined;
}

/**
 * Writes checkpoints of its engine into a folder, by steps, by the clock, or both, as `step-000001000.hooke`, and keeps
 * the newest. The state is taken between two steps, and written while the run goes on; one is under way at a time: the
 * next by steps waits for it, the next by the clock is left out.
 *
 * Each is there whole or not at all, whenever the process is killed. Before it is written all hooks make safe what they
 * have written themselves: a run that goes on from it has each snapshot and each row of a log once.
 * `engine.loadLatest(folder)` goes on from the newest that is whole. A folder is for one run: while another run writes
 * its checkpoints there, and if an earlier run has left some and this one begins anew, the run is refused with an error
 * of the code `"EBUSY"`.
 *
 * If its folder cannot be written when the run begins, the run is refused. A later error is a warning (unless the hook is
 * added with another `onError`), because the earlier checkpoints still exist.
 * If the folder is removed during the run, the run ends with an error of the code `"ESTALE"`.
 *
 * Throws a TypeError or RangeError that names the option that is wrong; where it is added to an engine that cannot be
 * kept, a TypeError when the run begins.
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
 *     ...{ model, dt: 2, temperature: 40, friction: 0.02, seed: 1, hooks: hooks() },
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
export class CheckpointHook implements Hook<string> {
  /** What it is called. */
  readonly name: string;
  /** At every so many steps. */
  readonly frequency: number;
  /** So that steps done are a multiple. */
  readonly phase: number;
  /** Once more when the run ends. */
  readonly atEnd: boolean;
  /** A disk that is full stops no run. */
  readonly onError = "warn";
  /** It is for engines of both kinds. */
  readonly kinds: readonly (typeof DynamicsStage | typeof TrainingStage)[] = [
    DynamicsStage,
    TrainingStage,
  ];
  /** Where it looks. */
  readonly on: object;
  /** When it looks at the clock. */
  readonly stageTimes: Readonly<Record<string, ScheduleOptions>>;
  readonly #options: CheckpointHookOptions;
  readonly #keep: number;
  #open: OpenCheckpoints | undefined;
  /** One is asked for, and the step under way not done yet. */
  #isAsked = false;
  #taking: Promise<void> | undefined;
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** Writes nothing yet. */
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
    const call = (_ctx: BaseContext) => this.#ask(true);
    const tick = (_ctx: BaseContext) => this.#ask(false);
    const isTimed = everySeconds !== undefined;
    this.on = {
      dynamics: { AFTER_STEP: call, ...isTimed ? { BEFORE_STEP: tick } : {} },
      training: { STEP_END: call, ...isTimed ? { BATCH_BEGIN: tick } : {} },
    };
    const timed = { frequency: 1, ...isTimed ? { everySeconds } : {} };
    this.stageTimes = isTimed ? { BEFORE_STEP: timed, BATCH_BEGIN: timed } : {};
  }

  /** Makes the folder, and takes off what a kill has left of a checkpoint. Called by the engine. */
  async open(engine: Workflow): Promise<void> {
    if (!isKept(engine)) {
      throw new TypeError(
        `Cannot open ${NAME}: its engine must have betweenSteps() and saveCheckpoint(): ${engine.name} has not`,
      );
    }
    const folder = await pathOf(this.#options.folder);
    const held = await holdFolder(folder).catch((error) => {
      throw fatal(error); // a run must not go on to its end without a checkpoint
    });
    try {
      if (engine.stepCount === 0) await assertVacant(folder);
    } catch (error) {
      held.release();
      throw error;
    }
    this.#open = { engine, folder, held, last: undefined };
    const { atBegin = true } = this.#options;
    // Once all hooks are open, and before the first step. A trainer may be opened without beginning.
    if (atBegin && engine.takeCheckpoint !== undefined) this.#ask(true, true);
  }

  /** Waits for the one under way; throws what went wrong since that was last told. Called by the engine. */
  async close(outcome: Outcome): Promise<void> {
    await this.#taking;
    await this.#writing;
    this.#open?.held.release();
    const cause = (this.#failure?.error as { readonly cause?: unknown } | undefined)?.cause;
    if (outcome.status === "failed" && cause === outcome.error) this.#failure = undefined; // it is told already
    this.#check();
  }

  /** With `isFirst` no step is done before it is on disk: what steps write could not be taken back. */
  #ask(mayWait: boolean, isFirst: boolean = false): void {
    const isBusy = this.#isAsked || !mayWait && this.#writing !== undefined;
    if (!isBusy) {
      this.#isAsked = true;
      this.#taking = this.#open!.engine.betweenSteps(async () => {
        await this.#take();
        if (isFirst) await this.#writing;
      }).catch((error) => {
        this.#isAsked = false;
        this.#failure ??= { error };
      });
    }
    this.#check(); // of an earlier one: this one is asked for all the same
  }

  /** Between two steps. */
  async #take(): Promise<void> {
    this.#isAsked = false;
    await this.#writing;
    const { engine, folder, held, last } = this.#open!, step = engine.stepCount;
    if (step === last) return;
    const path = `${folder}/${stepName(step)}`;
    if (engine.takeCheckpoint === undefined) {
      await engine.hooks.flush();
      await this.#flush();
      held.assertThere(); // the engine would make the folder
      await engine.saveCheckpoint(path);
      await this.#written(step);
      return;
    }
    const bytes = await engine.takeCheckpoint();
    this.#writing = this.#write(path, step, bytes)
      .catch((error) => void (this.#failure ??= { error }))
      .then(() => void (this.#writing = undefined));
  }

  async #write(path: string, step: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const { engine, held } = this.#open!;
    await engine.hooks.flush();
    await this.#flush();
    await held.write(path, bytes);
    await this.#written(step);
  }

  async #flush(): Promise<void> {
    for (const sink of this.#options.sinks ?? []) await sink.flush?.();
  }

  /** Later ones that are there are damaged, or of a run that was begun anew: they must not drive this one out. */
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

function isKept(engine: Workflow): engine is KeptEngine {
  const { betweenSteps, saveCheckpoint } = engine as Partial<KeptEngine>;
  return typeof betweenSteps === "function" && typeof saveCheckpoint === "function";
}
