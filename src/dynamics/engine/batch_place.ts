/**
 * Transfer of an engine's batches to its device, and of their results back to the host.
 *
 * @module
 */

import type { Backend } from "../../backend/backend.ts";
import type { Batch } from "../../batch/batch.ts";
import type { NumericArray } from "../../batch/fields/fields.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { after, isThenable, withCleanup } from "../../base/sequence.ts";
import { openUnconstrained } from "../constraints/constraint_calls.ts";
import {
  constraintsOn,
  unknownConstraints,
  unknownWarning,
} from "../constraints/file_constraints.ts";
import { BatchRun, type OptionalCode } from "../step/batch_run.ts";
import { farWarning } from "../step/far_systems.ts";
import type { RunEngine } from "../step/run_engine.ts";
import type { SavedRun } from "./checkpoint.ts";
import type { EngineDevice } from "./engine_device.ts";
import { Fallback, fallbackWarning, type Snapshot } from "./fallback.ts";

/**
 * Frees the memory of engines that were never closed. All engines share WebAssembly memory, which would otherwise
 * never be returned.
 */
const UNCLOSED = new FinalizationRegistry<Held>(({ state, device }) => {
  state.free();
  device.close();
});

/** The batch and the device of an engine, which have to be freed. */
interface Held {
  readonly state: ResidentBatch;
  readonly device: EngineDevice;
}

/** Fields of a batch that is not on a device. */
const NO_FIELDS: ReadonlySet<string> = new Set();

/** Options of a `BatchPlace`. */
export interface PlaceOptions {
  /** The engine that runs the batch. */
  readonly engine: RunEngine;
  /** The device of the engine. */
  readonly device: EngineDevice;
  /** Called for each batch that is uploaded to the device. */
  entered(batch: Batch): void;
}

/** The batch of an engine on its device. If a GPU that `"auto"` has picked is lost, the batch continues on wasm. */
export class BatchPlace {
  /** Snapshots from which a run can continue if its device is lost. */
  readonly fallback: Fallback;
  readonly #options: PlaceOptions;
  #run: BatchRun | undefined;
  /** Names of the unknown constraints from files that were already reported. */
  readonly #unknown = new Set<string>();
  #hasWarnedOfFar = false;
  #code: OptionalCode = { openConstraints: openUnconstrained };
  /** True while the batch is being uploaded and its values on the device are incomplete. */
  #isMoving = false;
  /** Settles when models have freed their resources of earlier batches. */
  #freed: Promise<void> | undefined;

  constructor(options: PlaceOptions) {
    this.#options = options;
    this.fallback = new Fallback(options.engine, options.device);
  }

  /** The batch on the device, or `undefined`. */
  get run(): BatchRun | undefined {
    return this.#run;
  }

  /** Names of the fields that the device holds, whose values on the host are out of date. Hooks may add some. */
  get fields(): ReadonlySet<string> {
    return this.#isMoving ? NO_FIELDS : this.#run?.state.fields ?? NO_FIELDS;
  }

  /**
   * Opens the device and uploads a batch. If the batch is already there, uploads only the values that have changed on
   * the host.
   */
  enter(batch: Batch): BatchRun | PromiseLike<BatchRun> {
    return this.#moving(() => this.#enter(batch));
  }

  /**
   * Loads the optional modules that a batch on this backend needs: for devices other than the host, and for
   * constraints.
   */
  #loadCode({ isHost }: Backend, batch: Batch): void | Promise<void> {
    const needsLate = !isHost && this.#code.openLate === undefined;
    const needsConstraints = this.#code.openConstraints === openUnconstrained &&
      constraintsOn(batch, this.#options.engine).length > 0;
    if (needsLate || needsConstraints) return this.#load(needsLate, needsConstraints);
  }

  async #load(needsLate: boolean, needsConstraints: boolean): Promise<void> {
    if (needsLate) {
      const { openLate } = await import("./late_parts.ts");
      this.#code = { ...this.#code, openLate };
    }
    if (!needsConstraints) return;
    const { Constrained } = await import("./late_parts.ts");
    this.#code = { ...this.#code, openConstraints: (...options) => new Constrained(...options) };
  }

  #moving<T>(work: () => T | PromiseLike<T>): T | PromiseLike<T> {
    this.#isMoving = true;
    return withCleanup(work, () => void (this.#isMoving = false));
  }

  #enter(batch: Batch): BatchRun | PromiseLike<BatchRun> {
    const { device } = this.#options;
    const { isHost } = device;
    const opened = device.open();
    if (!isThenable(opened)) {
      return after(
        this.#loadCode(opened, batch),
        () => device.canFallBack ? this.#bringSafely(batch, opened) : this.#bring(batch, opened),
      );
    }
    return opened.then(async (backend) => {
      await this.#loadCode(backend, batch);
      const { hooks } = this.#options.engine.loop;
      hooks.track(device.canFallBack);
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
    if (known?.isOf(batch)) return after(known.upload(), () => known);
    this.leave();
    this.fallback.keepHome();
    return this.#open(batch, backend);
  }

  #open(batch: Batch, backend: Backend): BatchRun {
    const run = this.#hold(new BatchRun(batch, backend, this.#options.engine, this.#code));
    this.warnOfFar(batch.get("positions"));
    return run;
  }

  #hold(run: BatchRun): BatchRun {
    const { device } = this.#options;
    this.#run = run;
    UNCLOSED.register(this, { state: run.state, device }, run);
    this.#options.entered(run.state.batch);
    this.#warnOfUnknown(run.state.batch.infos.keys());
    return run;
  }

  /** Initializes new systems in slots whose systems they have replaced. Old and new systems have the same sizes. */
  replace(slots: readonly number[]): void {
    const run = this.#run!;
    this.#moving(() => run.restart(slots));
    this.#warnOfUnknown(slots);
  }

  /** Warns once if positions are so far from the origin that float32 resolves them poorly. */
  warnOfFar(positions: NumericArray | undefined): void {
    if (this.#hasWarnedOfFar || positions === undefined) return;
    const warning = farWarning(this.#run!.state, this.#options.engine, positions);
    if (warning === undefined || !positions.every(Number.isFinite)) return; // a diverged batch is not far away
    this.#hasWarnedOfFar = true;
    this.#options.engine.loop.warnings.warn("positions", "run", warning);
  }

  /** Warns once about each kind of constraint from files that engines cannot apply. */
  #warnOfUnknown(slots: Iterable<number>): void {
    const { engine } = this.#options, { batch } = this.#run!.state;
    if (!engine.hasFileConstraints) return;
    for (const slot of slots) {
      for (const name of unknownConstraints(batch.infos[slot]!)) {
        if (this.#unknown.has(name)) continue;
        this.#unknown.add(name);
        engine.loop.warnings.warn("constraints", "run", unknownWarning(name, batch.infos, slot));
      }
    }
  }

  /**
   * Uploads the batch again after its systems have changed. `from` has the previous slot of each system, or
   * `undefined` for a new system.
   */
  async rebuild(from: readonly (number | undefined)[]): Promise<void> {
    const before = this.#run!;
    const { batch, backend } = before.state;
    const run = await this.#moving(async () => {
      await this.#loadCode(backend, batch);
      const run = new BatchRun(batch, backend, this.#options.engine, this.#code);
      try {
        await run.takeOver(before, from);
      } catch (error) {
        await run.free();
        throw error;
      }
      return run;
    });
    this.#free();
    this.#hold(run);
  }

  /** Restores the state of a run from a checkpoint. */
  load(run: BatchRun, saved: SavedRun): void {
    run.load(saved);
    if (this.#options.device.canFallBack) this.fallback.keepHome(saved);
  }

  /** Frees the batch and its snapshots. */
  leave(): void {
    this.fallback.clear();
    this.#free();
  }

  /**
   * Frees the batch. A model may free its resources asynchronously; `close` waits for that. If `isLost` is true, the
   * device is lost and errors of the model are ignored.
   */
  #free(isLost = false): void {
    const run = this.#run;
    if (run === undefined) return;
    UNCLOSED.unregister(run);
    this.#run = undefined;
    const before = this.#freed, waiting = run.free();
    if (waiting === undefined) return;
    const freed = isLost ? waiting.then(undefined, () => {}) : waiting;
    this.#freed = Promise.all([before, freed]).then(() => {});
  }

  /** Frees the batch, and closes the device. */
  async close(): Promise<void> {
    this.leave();
    await this.#freed;
    this.#options.device.close();
  }

  /** Returns the values of the fields that a run has changed, for the batch on the host. */
  async takeHome(): Promise<Record<string, NumericArray>> {
    const run = this.#run!;
    if (!this.#options.device.canFallBack) return await run.state.download();
    const saved = await this.fallback.takeHome(run);
    return run.state.savedToHost(saved.resident);
  }

  /**
   * Continues on wasm from the last snapshot, if `error` says that the device which `"auto"` had picked is lost.
   * Returns the number of steps done at the snapshot, or `undefined` if the error has another cause.
   */
  async recover(
    error: unknown,
    batch: Batch | undefined = this.#run?.state.batch,
  ): Promise<number | undefined> {
    const { device, engine: { loop } } = this.#options, { hooks } = loop;
    const lost = device.lossIn(error), { last } = this.fallback;
    if (lost === undefined || last === undefined || batch === undefined) return undefined;
    await hooks.drop();
    this.fallback.clear();
    this.#free(true);
    const backend = device.fallBack(lost);
    hooks.track(false);
    hooks.goBack(last.marks);
    hooks.replan();
    this.#moving(() => this.#resume(last, batch, backend));
    loop.warnings.warn("device", "run", fallbackWarning(lost, last.step));
    return last.step;
  }

  /** Opens a batch in the state of a snapshot, on a backend that runs kernels on the host. */
  #resume({ saved, isHome }: Snapshot, batch: Batch, backend: Backend): BatchRun {
    const run = this.#open(batch, backend);
    if (saved === undefined) return run;
    run.load(saved);
    if (isHome) run.upload();
    return run;
  }
}
