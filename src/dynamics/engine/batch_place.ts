/**
 * The batch of an engine, wherever it is.
 *
 * @module
 */

import type { Backend } from "../../backend/backend.ts";
import { BackendUnavailableError } from "../../backend/backend_unavailable_error.ts";
import type { Batch } from "../../batch/batch.ts";
import type { NumericArray } from "../../batch/fields/fields.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { after, isThenable } from "../../base/sequence.ts";
import type { HookMarks } from "../../hooks/registry/engine_hooks_options.ts";
import { BatchRun } from "./batch_run.ts";
import type { Keeper, RunEngine } from "./run_engine.ts";
import type { SavedDynamics, SavedRun } from "./checkpoint.ts";
import type { EngineDevice } from "./engine_device.ts";
import { Told } from "./reported_events.ts";

/** Nobody else gives back what an engine that was never closed has in the memory that all share. */
const LOST = new FinalizationRegistry<Held>(({ state, device }) => {
  state.free();
  device.close();
});

/** What an engine has of memory. */
interface Held {
  readonly state: ResidentBatch;
  readonly device: EngineDevice;
}

/** What a run goes on from elsewhere, when its device is lost. */
interface Kept {
  /** Steps done. */
  readonly step: number;
  /** The state then; none, where it is that of the batch on the host. */
  readonly saved: SavedRun | undefined;
  /** Whether the batch on the host is as of then, or what has changed there since is to count. */
  readonly isHome: boolean;
  /** When hooks had last fired. */
  readonly marks: HookMarks;
}

/** What is held of a batch that has not been brought anywhere yet. */
const NONE: ReadonlySet<string> = new Set();

/** What is needed of the engine. */
export interface PlaceOptions {
  /** Whose batch it is. */
  readonly engine: Omit<RunEngine, "told" | "keeper">;
  /** Where it is to be. */
  readonly device: EngineDevice;
  /** Told of each batch that is brought somewhere. */
  entered(batch: Batch): void;
}

/**
 * Brings batches to where an engine runs, and home. On a GPU that `"auto"` has picked it keeps what is needed to go on
 * elsewhere: as of the beginning of a run, and every few seconds.
 */
export class BatchPlace {
  readonly #engine: RunEngine;
  readonly #device: EngineDevice;
  readonly #entered: (batch: Batch) => void;
  readonly #told = new Told();
  readonly #keeper: RunEngine["keeper"] = { now: undefined };
  #run: BatchRun | undefined;
  /** Whether the batch is on its way: what is there is not yet what it is. */
  #isMoving = false;
  #kept: Kept | undefined;
  #keptAt = 0;
  /** Settled when models have given back what they had for batches of before. */
  #left: Promise<void> | undefined;

  constructor({ engine, device, entered }: PlaceOptions) {
    this.#engine = { ...engine, told: this.#told, keeper: this.#keeper };
    this.#device = device;
    this.#entered = entered;
    // Which hooks there are is not taken back: what is done again is done with those that there were.
    engine.loop.hooks.subscribe(() => void (this.#keptAt = -Infinity));
  }

  /** The batch there, if there is one. */
  get run(): BatchRun | undefined {
    return this.#run;
  }

  /** The fields that are there, of which the host does not know. */
  get fields(): ReadonlySet<string> {
    return this.#isMoving ? NONE : this.#run?.state.fields ?? NONE; // hooks may bring more of them there
  }

  /** Opens the device, where it must be waited for, and brings a batch there; of one that was there what has changed. */
  enter(batch: Batch): BatchRun | PromiseLike<BatchRun> {
    return this.#moving(() => this.#enter(batch));
  }

  #moving<T>(work: () => T | PromiseLike<T>): T | PromiseLike<T> {
    const moved = () => void (this.#isMoving = false);
    this.#isMoving = true;
    try {
      const moving = work();
      if (isThenable(moving)) return Promise.resolve(moving as PromiseLike<T>).finally(moved);
      moved();
      return moving;
    } catch (error) {
      moved();
      throw error;
    }
  }

  #enter(batch: Batch): BatchRun | PromiseLike<BatchRun> {
    const { isHost } = this.#device;
    const opened = this.#device.open();
    if (!isThenable(opened)) {
      return this.#device.canFallBack
        ? this.#bringSafely(batch, opened)
        : this.#bring(batch, opened);
    }
    return opened.then(async (backend) => {
      const { hooks } = this.#engine.loop;
      hooks.track(this.#device.canFallBack);
      if (backend.isHost !== isHost) hooks.replan();
      return await this.#bringSafely(batch, backend);
    });
  }

  async #bringSafely(batch: Batch, backend: Backend): Promise<BatchRun> {
    try {
      return await this.#bring(batch, backend);
    } catch (error) {
      if (await this.recover(error, batch) === undefined) throw error;
      return this.#run!;
    }
  }

  #bring(batch: Batch, backend: Backend): BatchRun | PromiseLike<BatchRun> {
    const known = this.#run;
    if (known?.state.matches(batch)) return after(known.upload(), () => known);
    this.leave();
    const { loop: { stepCount, hooks } } = this.#engine;
    this.#keep({ step: stepCount, saved: undefined, isHome: true, marks: hooks.marks() });
    return this.#open(batch, backend);
  }

  #open(batch: Batch, backend: Backend): BatchRun {
    const run = this.#run = new BatchRun(batch, backend, this.#engine);
    LOST.register(this, { state: run.state, device: this.#device }, run);
    this.#entered(batch);
    return run;
  }

  /** From now on systems come and go as somebody says, or no longer. */
  watch(keeper: Keeper | undefined): void {
    this.#keeper.now = keeper;
  }

  /**
   * The batch has other systems than before: `from` has the place that each had, `undefined` for those that have joined.
   * In the same places if `isSame`, and as large as those that were there.
   */
  async change(from: readonly (number | undefined)[], isSame: boolean): Promise<void> {
    const before = this.#run!;
    const { batch, backend } = before.state;
    if (isSame) {
      const places = from.flatMap((old, place) => old === undefined ? [place] : []);
      return this.#moving(() => before.replaced(places));
    }
    const run = await this.#moving(async () => {
      const run = new BatchRun(batch, backend, this.#engine);
      try {
        await run.takeOver(before, from);
      } catch (error) {
        await run.free();
        throw error;
      }
      return run;
    });
    const kept = this.#kept;
    this.leave();
    this.#kept = kept;
    this.#run = run;
    LOST.register(this, { state: run.state, device: this.#device }, run);
    this.#entered(batch);
  }

  /** Keeps what a run can go on from elsewhere, where that may be needed: what was kept is of other systems. */
  async keepChanged(step: number): Promise<void> {
    if (this.#device.canFallBack) await this.#keepNow(step);
  }

  /** Keeps it before the batch on the host changes, where that is what was kept. */
  async keepBefore(step: number): Promise<void> {
    if (this.#kept?.saved === undefined) await this.keepChanged(step);
  }

  /** Goes on from what `save` gave. */
  load(run: BatchRun, saved: SavedDynamics): void {
    run.load(saved);
    if (!this.#device.canFallBack) return;
    const { loop: { stepCount, hooks } } = this.#engine;
    this.#keep({ step: stepCount, saved, isHome: true, marks: hooks.marks() });
  }

  /**
   * What a model takes its time to give back is waited for when the engine closes; where the device `isLost` it may fail
   * to.
   */
  leave(isLost = false): void {
    const run = this.#run;
    this.#kept = undefined;
    if (run === undefined) return;
    LOST.unregister(run);
    this.#run = undefined;
    const before = this.#left, waiting = run.free();
    if (waiting === undefined) return;
    const left = isLost ? waiting.then(undefined, () => {}) : waiting;
    this.#left = Promise.all([before, left]).then(() => {});
  }

  /** Gives all back. */
  async close(): Promise<void> {
    this.leave();
    await this.#left;
    this.#device.close();
  }

  /** A run begins. */
  begin(): Promise<void> {
    this.#keptAt = performance.now();
    return this.#run!.begin();
  }

  /** One step. */
  step(): void | PromiseLike<void> {
    const keeping = this.#keepInTime();
    return keeping === undefined ? this.#run!.step() : keeping.then(() => this.#run!.step());
  }

  /** Many steps, in which no hook is due; answers with how many were done. */
  leap(n: number): number | PromiseLike<number> {
    const keeping = this.#keepInTime();
    return keeping === undefined ? this.#run!.leap(n) : keeping.then(() => this.#run!.leap(n));
  }

  /** Between two steps: something to await where it is time to take home what a run can go on from. */
  #keepInTime(): Promise<void> | undefined {
    if (!this.#device.canFallBack) return;
    if (performance.now() - this.#keptAt < 1000 * this.#device.keepSeconds) return;
    return this.#keepNow();
  }

  async #keepNow(step = this.#engine.loop.stepCount): Promise<void> {
    const { loop: { hooks } } = this.#engine;
    const marks = hooks.marks();
    const saved = await this.#run!.keep();
    await hooks.soFar; // hooks have seen all that was before
    if (this.#run!.isOver) return;
    this.#keep({ step, saved, isHome: false, marks });
  }

  #keep(kept: Kept): void {
    this.#kept = kept;
    this.#keptAt = performance.now();
    this.#told.clear();
    this.#keeper.now?.kept();
  }

  /** What a run has come to, for the batch on the host; kept as well, where that may be needed. */
  async takeHome(): Promise<Record<string, NumericArray>> {
    const { state } = this.#run!;
    if (!this.#device.canFallBack) return await state.download();
    const { loop: { stepCount: step, hooks } } = this.#engine;
    const marks = hooks.marks();
    const saved = await this.#run!.keep();
    this.#keep({ step, saved, isHome: true, marks });
    return state.savedToHost(saved.resident);
  }

  /**
   * Goes on on wasm, where the device that `"auto"` had picked is lost, from what was kept. Answers with how many steps
   * are done there; with nothing, where that is not what has gone wrong.
   */
  async recover(
    error: unknown,
    batch: Batch | undefined = this.#run?.state.batch,
  ): Promise<number | undefined> {
    const lost = this.#device.lossIn(error), kept = this.#kept;
    if (lost === undefined || kept === undefined || batch === undefined) return undefined;
    const { loop: { hooks } } = this.#engine;
    await hooks.drop();
    this.leave(true);
    const backend = this.#device.fallBack(lost);
    hooks.track(false);
    hooks.goBack(kept.marks);
    hooks.replan();
    this.#moving(() => this.#resume(kept, batch, backend));
    hooks.warn("(device)", "run", warningOf(lost, kept.step));
    return kept.step;
  }

  /** What was kept of a batch, where the host itself runs kernels. */
  #resume({ saved, isHome }: Kept, batch: Batch, backend: Backend): BatchRun {
    const run = this.#open(batch, backend);
    if (saved === undefined) return run;
    run.load(saved);
    if (isHome) run.upload();
    return run;
  }
}

function warningOf(cause: BackendUnavailableError, step: number): BackendUnavailableError {
  const { backend, reason, during, message } = cause;
  return new BackendUnavailableError(
    `${message}. The run goes on on wasm, from step ${step}`,
    { backend, reason, during, cause },
  );
}
