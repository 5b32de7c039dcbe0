/**
 * The engine of molecular dynamics and structure relaxation: an integrator, a model, and hooks at every stage.
 *
 * @module
 */

import type { Backend } from "../backend/backend.ts";
import type { Batch } from "../batch/batch.ts";
import type { BaseContext, Workflow } from "../hooks/protocol/context.ts";
import type { Outcome } from "../hooks/protocol/outcome.ts";
import type { HookSet, Names } from "../hooks/registry/hook_set.ts";
import type { Model } from "../models/model.ts";
import type { Constraint } from "./constraints/constraint.ts";
import type { SavedDynamics } from "./engine/checkpoint.ts";
import { Checkpoints, StreamsOnDemand } from "./engine/checkpoints.ts";
import { checkDynamicsOptions, checkRun } from "./engine/dynamics_checks.ts";
import { DynamicsEngine } from "./engine/dynamics_engine.ts";
import type {
  DynamicsKind,
  DynamicsOptions,
  FirstHooks,
  FirstHooksOf,
} from "./engine/dynamics_options.ts";
import type { DeviceInUse } from "./engine/engine_device.ts";
import { keepParts, type WholeEngine } from "./engine/engine_parts.ts";
import type { Integrator } from "./integrators/integrator.ts";
import { checkIntegrator } from "./integrators/integrator_checks.ts";
import type { DynamicsBase } from "./stages.ts";
import type { StreamSampler } from "./streaming/sampler.ts";
import type { StreamOptions, StreamSummary } from "./streaming/stream_options.ts";

/**
 * An engine for atoms: any {@linkcode Integrator} with any {@linkcode Model}. `NVE`, `NVTLangevin`, `FIRE`, `FIRE2`
 * and similar classes are engines with a built-in integrator.
 *
 * Order of the stages (capitals) and the work in a step: BEFORE_STEP, BEFORE_PRE_UPDATE, *pre*, AFTER_PRE_UPDATE,
 * BEFORE_COMPUTE, *forces*, AFTER_COMPUTE, BEFORE_POST_UPDATE, *post*, AFTER_POST_UPDATE, AFTER_STEP, *convergence*,
 * ON_CONVERGE. Consecutive steps without due hooks run in one call, with bitwise identical results.
 */
export class Dynamics<
  const H extends FirstHooksOf<H> = FirstHooks,
  const N extends Names = Names,
  const W extends Names = Names,
> implements Workflow, AsyncDisposable {
  /** Name of the engine in listings, logs and checkpoints. */
  readonly name: string;
  /** The model, which computes the forces. */
  readonly model: Model;
  /** The integrator, which moves the atoms. */
  readonly integrator: Integrator;
  /** Outcome of the last run, or failure of a later call of `step`; `undefined` before. */
  outcome: Outcome | undefined;
  readonly #options: DynamicsOptions;
  readonly #engine: DynamicsEngine;
  readonly #streams: StreamsOnDemand;
  readonly #checkpoints: Checkpoints;
  #state: "idle" | "running" | "closed" = "idle";
  /** The fused engine of which this engine is a stage, if any. */
  #whole: WholeEngine | undefined;

  /** Throws a TypeError or RangeError that names the first invalid option or hook. */
  constructor(integrator: Integrator, options: DynamicsOptions<H, N, W>) {
    checkIntegrator(integrator);
    this.name = options?.name ?? integrator.name;
    checkDynamicsOptions(this.name, options, integrator.parameters ?? []);
    this.model = options.model;
    this.integrator = integrator;
    this.#options = options as unknown as DynamicsOptions;
    this.#engine = new DynamicsEngine({
      name: this.name,
      integrator,
      model: this.model,
      options: this.#options,
      workflow: this,
      contextOf: (batch) => this.buildContext(batch),
    });
    this.#streams = new StreamsOnDemand(this.#engine);
    this.#checkpoints = new Checkpoints(this.#engine, this.#streams);
    const { loop } = this.#engine;
    keepParts(this, {
      options: this.#options,
      hooks: loop.registry,
      engines: [],
      part: undefined,
      contextOf: (batch) => this.buildContext(batch),
      current: () => this.#engine.current,
      assertFree: () => this.#assertIdle("fuse"),
      join: (whole) => void (this.#whole = whole),
    });
    for (const hook of (options.hooks ?? []) as FirstHooks) loop.hooks.add(hook as never);
  }

  /** Constraints from the options and, once the engine has a batch, also from the files of its systems. */
  get constraints(): readonly Constraint[] {
    return this.#engine.constraints;
  }

  /** Hooks of the engine. The set can be changed between and during runs. */
  get hooks(): HookSet<DynamicsKind> {
    return this.#engine.loop.hooks;
  }

  /** Number of steps done in all runs. */
  get stepCount(): number {
    return this.#whole?.stepCount ?? this.#engine.loop.stepCount;
  }

  /** Backend of the engine. Throws an Error for a GPU or threads before the first run and after `close`. */
  get backend(): Backend {
    return this.#whole?.backend ?? this.#engine.device.backend;
  }

  /** Device in use, and the devices that were passed over with the reasons; `undefined` before the first run. */
  get device(): DeviceInUse | undefined {
    return this.#whole === undefined ? this.#engine.device.inUse : this.#whole.device;
  }

  /**
   * Runs up to `nSteps` steps. Ends early if all systems have converged or a stop is requested. Afterwards the batch
   * has the new positions, velocities, forces and energies, and `outcome` describes how the run ended. Another run of
   * the same batch continues from there, and converged systems stay finished.
   *
   * @throws {Error} if the engine is closed
   * @throws {RangeError} if an atom or a parameter is invalid; the message names system and atom
   * @throws {DivergedError} if a system diverges
   * @throws {BackendUnavailableError} if the device is not available, or is lost; the batch then keeps its old values
   */
  async run(batch: Batch, nSteps: number | undefined = this.#options.nSteps): Promise<Batch> {
    this.#assertIdle("run");
    return await this.#orFail(async () => {
      checkRun(this.name, batch, nSteps);
      return await this.#with(batch, () => this.#runSteps(nSteps));
    });
  }

  async #runSteps(nSteps: number | undefined): Promise<void> {
    this.outcome = await this.#engine.loop.run(nSteps);
  }

  /** Runs `work`. If it throws, records the error in `outcome` and throws it again. */
  async #orFail<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.outcome = this.#engine.loop.warnings.failed(error);
      throw error;
    }
  }

  /**
   * Runs one step, and opens the hooks if they are not open. `close`, or the end of an `await using` block, closes
   * them. Throws the same errors as `run`.
   */
  async step(batch: Batch): Promise<Batch> {
    this.#assertIdle("run");
    checkRun(this.name, batch, 1);
    return await this.#orFail(() => this.#with(batch, () => this.#runStep()));
  }

  async #runStep(): Promise<void> {
    const { loop, running } = this.#engine;
    running.isByHand = true;
    try {
      await loop.step();
    } finally {
      running.isByHand = false;
    }
  }

  /**
   * Runs all systems of a source through a batch that is kept full. A system that has converged, or has done all its
   * steps, is written to a sink, and another one is admitted to its slot. The remaining systems continue bitwise
   * identically. Results do not depend on when a system is admitted. The stream ends when all systems are finished.
   * The id of a system is its index in the source (`systemId`, `sourceIndex`; `sourceId` in sinks), unless the source
   * has `id`.
   *
   * After `nSteps`, a stop, or an error because of full sinks, the next call with the same sampler continues.
   *
   * @throws {TypeError} if `options` is not an object, or if parameters are lists with one value per slot
   * @throws {RangeError} if the sinks are full (all systems then stay in the batch), or for the reasons in `run`
   *
   * @example Relax many structures, 64 at a time
   * ```ts
   * import { fcc, rattle } from "@hooke/hooke/batch";
   * import { ConvergenceHook, FIRE, SizeAwareSampler } from "@hooke/hooke/dynamics";
   * import { lennardJones } from "@hooke/hooke/models";
   * import { MemorySink } from "@hooke/hooke/sinks";
   * import { assertEquals } from "@std/assert";
   *
   * const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
   * const all = Array.from({ length: 200 }, (_, i) => rattle(crystal, 0.001 * i, i));
   * await using opt = new FIRE({
   *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
   *   dt: 0.5,
   *   hooks: [ConvergenceHook.fromFmax(0.01)],
   * });
   * const relaxed = new MemorySink();
   * const sampler = new SizeAwareSampler(all, { maxSystems: 64 });
   * const { converged, isDone } = await opt.stream(sampler, { sinks: [relaxed] });
   * assertEquals([converged, isDone, relaxed.length], [200, true, 200]);
   * ```
   */
  async stream(sampler: StreamSampler, options: StreamOptions): Promise<StreamSummary> {
    this.#assertIdle("stream through");
    const streams = await this.#streams.open();
    streams.check(sampler, options);
    const stream = await streams.open(sampler, options);
    if (stream === undefined) return streams.none;
    if (stream.isDone) return stream.summary;
    const { nSteps = Infinity } = options;
    checkRun(this.name, stream.batch, nSteps);
    await this.#orFail(() =>
      streams.during(stream, async () => {
        await this.#with(stream.batch, () => this.#runSteps(nSteps));
      })
    );
    return stream.summary;
  }

  /**
   * Returns the state from which the engine can continue bitwise identically, as plain data: counters, the states of
   * hooks and integrator, the batch, and pair lists. Throws an Error during a run, except in {@linkcode
   * Dynamics.betweenSteps}.
   */
  async save(): Promise<SavedDynamics> {
    return await (this.#whole ?? this.#checkpoints).save();
  }

  /**
   * Runs `work`, such as `saveCheckpoint`, between two steps: after the current step, or at once if no run is in
   * progress. Errors of `work` reject the promise, and the run continues. A hook must not await the result.
   */
  betweenSteps<T>(work: () => T | PromiseLike<T>): Promise<T> {
    return (this.#whole ?? this.#checkpoints).betweenSteps(work);
  }

  /**
   * Restores a saved state and returns its batch, which must be passed to `run`. With the same model, options and
   * hooks all further steps are bitwise identical. Hooks are matched by name; new hooks begin without state.
   *
   * @throws {TypeError} if `saved` is not a result of `save`, or belongs to another integrator
   * @throws {RangeError} if the state has another precision than the backend
   */
  async load(saved: SavedDynamics): Promise<Batch> {
    this.#assertIdle("load into");
    return await this.#alone(() => this.#checkpoints.load(saved));
  }

  /**
   * Writes the state that `save` returns to a file. The file is replaced atomically.
   *
   * @throws {Error} if the file cannot be written; an existing file does not change
   */
  async saveCheckpoint(path: string | URL): Promise<void> {
    await this.#checkpoints.write(path, await this.takeCheckpoint());
  }

  /**
   * Returns the bytes that `saveCheckpoint` writes, for other storage or for writing during the run. Before you store
   * them, await `hooks.flush()`. May be called whenever `save` may be called.
   */
  async takeCheckpoint(): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#whole !== undefined) return await this.#whole.takeCheckpoint();
    return await this.#checkpoints.encode(await this.save());
  }

  /**
   * Restores the state in a checkpoint file; see {@linkcode Dynamics.load}. Warns if the integrator had other
   * parameters at the checkpoint.
   *
   * @throws {SyntaxError} if the file is damaged or is not a checkpoint
   * @throws {RangeError} if the version of the file is not supported, or its precision differs from the backend's
   * @throws {TypeError} if the checkpoint belongs to another engine
   */
  async loadCheckpoint(path: string | URL): Promise<Batch> {
    return await this.load(await this.#checkpoints.read(path));
  }

  /**
   * Restores the newest readable checkpoint in the folder of a `CheckpointHook`, and warns of damaged newer ones.
   * Returns its batch, or `undefined` if the folder has no checkpoint.
   *
   * Throws an Error if no checkpoint in the folder is readable, and the other errors of `loadCheckpoint`.
   */
  async loadLatest(folder: string | URL): Promise<Batch | undefined> {
    return await this.#checkpoints.loadLatest(folder, (path) => this.loadCheckpoint(path));
  }

  /** Requests a stop after the current step. If there are several requests, the first reason is kept. */
  stop(reason: string): void {
    (this.#whole ?? this.#engine.loop).stop(reason);
  }

  /**
   * Closes the hooks if they are open, and frees the device and the memory of the last batch. A closed engine cannot
   * run again. Throws an Error while the engine is running; does nothing if it is closed already.
   */
  async close(): Promise<void> {
    if (this.#whole !== undefined || this.#state === "closed") return; // a stage owns no device and no memory
    this.#assertIdle("close");
    this.#state = "closed";
    try {
      await this.#engine.loop.close();
    } finally {
      await this.#engine.place.close();
    }
  }

  /** Closes the engine as `close` does. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Returns the context fields of this engine, in addition to those of every engine. A subclass may add more. */
  protected buildContext(batch: Batch): Omit<DynamicsBase, keyof BaseContext> {
    return { batch, model: this.model, stream: this.#engine.running.stream?.progress };
  }

  /** Runs `work` with a batch on the device. Copies the results unless the batch diverged or the device is lost. */
  async #with(batch: Batch, work: () => Promise<void>): Promise<Batch> {
    this.#assertIdle("run");
    this.#checkpoints.begins(batch);
    await this.#alone(() => this.#engine.held.with(batch, work));
    return batch;
  }

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    this.#state = "running";
    try {
      return await work();
    } finally {
      this.#state = "idle";
    }
  }

  /** Throws an Error if the engine is closed or running, or is a stage of another engine. */
  #assertIdle(action: string): void {
    if (this.#whole !== undefined) {
      throw new Error(
        `Cannot ${action} ${this.name}: it is a stage of ${this.#whole.name}. Use that engine instead`,
      );
    }
    if (this.#state === "idle") return;
    throw new Error(
      this.#state === "closed"
        ? `Cannot ${action} ${this.name}: it is closed. Make a new engine`
        : `Cannot ${action} ${this.name}: it is running. Await its run first`,
    );
  }
}
