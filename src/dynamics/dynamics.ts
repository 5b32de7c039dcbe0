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
import { Checkpoints } from "./engine/checkpoints.ts";
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
import { EngineStreams, NO_STREAM } from "./streaming/engine_streams.ts";
import type { SizeAwareSampler } from "./streaming/sampler.ts";
import type { StreamOptions, StreamSummary } from "./streaming/stream_options.ts";

/**
 * An engine for atoms: any {@linkcode Integrator} with any {@linkcode Model}. `NVE`, `NVTLangevin`, `FIRE`, `FIRE2` and
 * similar classes are engines with a built-in integrator.
 *
 * Order of the stages (capitals) and of the work between them in a step: BEFORE_STEP, BEFORE_PRE_UPDATE, *pre*, AFTER_PRE_UPDATE, BEFORE_COMPUTE, *forces*, AFTER_COMPUTE,
 * BEFORE_POST_UPDATE, *post*, AFTER_POST_UPDATE, AFTER_STEP, *convergence*, ON_CONVERGE. If no hook is due, many steps
 * run in one call without returning to JavaScript; the results are bitwise identical.
 */
export class Dynamics<
  const H extends FirstHooksOf<H> = FirstHooks,
  const N extends Names = Names,
  const W extends Names = Names,
> implements Workflow, AsyncDisposable {
  /** Name in listings, logs and checkpoints. */
  readonly name: string;
  /** Computes the forces. */
  readonly model: Model;
  /** Moves the atoms. */
  readonly integrator: Integrator;
  /** The outcome of the last run, or the failure of a later step by hand. */
  outcome: Outcome | undefined;
  readonly #options: DynamicsOptions;
  readonly #engine: DynamicsEngine;
  readonly #streams: EngineStreams;
  readonly #checkpoints: Checkpoints;
  #state: "idle" | "running" | "closed" = "idle";
  /** The engine that this one is a stage of, and that runs it then. */
  #whole: WholeEngine | undefined;

  /** Throws a TypeError or RangeError that names the option or hook that is wrong. */
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
    this.#streams = new EngineStreams(this.#engine);
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

  /** Constraints, which remove degrees of freedom: those of the options, and with a batch those of its systems. */
  get constraints(): readonly Constraint[] {
    return this.#engine.constraints;
  }

  /** The hooks. */
  get hooks(): HookSet<DynamicsKind> {
    return this.#engine.loop.hooks;
  }

  /** Steps done so far, over all runs. */
  get stepCount(): number {
    return this.#whole?.stepCount ?? this.#engine.loop.stepCount;
  }

  /** The backend it runs on. A GPU, and threads, are open from the first run until the engine is closed; else this throws an Error. */
  get backend(): Backend {
    return this.#whole?.backend ?? this.#engine.device.backend;
  }

  /** The device that was picked, and those passed over with the reason; `undefined` before the first run. */
  get device(): DeviceInUse | undefined {
    return this.#whole === undefined ? this.#engine.device.inUse : this.#whole.device;
  }

  /**
   * Runs steps until there have been `nSteps`, all systems have converged, or something asked to stop. The batch then has
   * the new positions, velocities, forces and energies, and `outcome` says how the run ended. A batch that was run before
   * goes on from there, and converged systems stay finished.
   *
   * @throws {Error} if the engine is closed
   * @throws {RangeError} for invalid atoms or parameters; the message names system and atom
   * @throws {DivergedError} when positions are no longer finite
   * @throws {BackendUnavailableError} if its device is not available, or is lost; the batch stays as it was before
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

  /** Runs `work`; if it throws, `outcome` says so. */
  async #orFail<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.outcome = this.#engine.loop.warnings.failed(error);
      throw error;
    }
  }

  /**
   * Runs one step, and opens the hooks if they are not open; `close`, or leaving an `await using` block, closes them.
   * Throws the errors of `run`.
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
   * Runs all systems of a source through a batch that is kept full. Systems that have converged, or have done all
   * their steps, are written to a sink and leave; others are admitted to their slots, and the rest go on bitwise
   * identically. The stream ends when the source is empty and all systems are finished. The id of each system is its
   * index in the source (`systemId`, `sourceIndex`; `sourceId` in sinks). Results are the same whenever a system is
   * admitted.
   *
   * The next call with the same sampler goes on, after `nSteps`, after a stop, and after sinks were full.
   *
   * @throws {TypeError} if `options` is not an object, or if parameters are lists with one value per slot
   * @throws {RangeError} if the sinks are full (all systems stay in the batch then), and when `run` throws one
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
  async stream(sampler: SizeAwareSampler, options: StreamOptions): Promise<StreamSummary> {
    this.#assertIdle("stream through");
    await this.#streams.check(sampler, options);
    const stream = await this.#streams.open(sampler, options);
    if (stream === undefined) return NO_STREAM;
    if (stream.isDone) return stream.summary;
    const { nSteps = Infinity } = options;
    checkRun(this.name, stream.batch, nSteps);
    await this.#orFail(() =>
      this.#streams.during(stream, async () => {
        await this.#with(stream.batch, () => this.#runSteps(nSteps));
      })
    );
    return stream.summary;
  }

  /**
   * Returns the state from which the engine goes on bitwise identically: counters, state of hooks and integrator, the
   * batch, pair lists. It is plain data. Throws an Error unless it is called between runs, or in
   * {@linkcode Dynamics.betweenSteps}.
   */
  async save(): Promise<SavedDynamics> {
    return await (this.#whole ?? this.#checkpoints).save();
  }

  /**
   * Runs `work` between two steps, such as `saveCheckpoint`: after the current step, or at once if no run is in
   * progress. The caller gets its errors, and the run goes on. A hook must not await it.
   */
  betweenSteps<T>(work: () => T | PromiseLike<T>): Promise<T> {
    return (this.#whole ?? this.#checkpoints).betweenSteps(work);
  }

  /**
   * Goes on from a saved state: returns its batch, to be passed to `run`. With the same model, options and hooks all
   * further steps are bitwise identical. Hooks are matched by name; new hooks begin without state.
   *
   * @throws {TypeError} for a value that `save` did not return, or that is of another integrator
   * @throws {RangeError} for another precision
   */
  async load(saved: SavedDynamics): Promise<Batch> {
    this.#assertIdle("load into");
    return await this.#alone(() => this.#checkpoints.load(saved));
  }

  /**
   * Writes the state that `save` returns to a file, whole or not at all.
   *
   * @throws {Error} if the file cannot be written; an existing file stays as it was
   */
  async saveCheckpoint(path: string | URL): Promise<void> {
    await this.#checkpoints.write(path, await this.takeCheckpoint());
  }

  /**
   * Returns the bytes that `saveCheckpoint` writes: to be kept elsewhere, or written while the run goes on, once
   * `hooks.flush()` is done. May be called when `save` may be.
   */
  async takeCheckpoint(): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#whole !== undefined) return await this.#whole.takeCheckpoint();
    return await this.#checkpoints.encode(await this.save());
  }

  /**
   * Goes on from a checkpoint file; see {@linkcode Dynamics.load}. Warns if the integrator has other parameters than at
   * the checkpoint.
   *
   * @throws {SyntaxError} if the file is damaged, or is not a checkpoint
   * @throws {RangeError} for one of a newer version, or of another precision
   * @throws {TypeError} for one of another engine
   */
  async loadCheckpoint(path: string | URL): Promise<Batch> {
    return await this.load(await this.#checkpoints.read(path));
  }

  /**
   * Goes on from the newest whole checkpoint in a folder, as a `CheckpointHook` writes them, and warns of damaged newer ones.
   * Returns its batch, or `undefined` if the folder has no checkpoint.
   *
   * Throws an Error if there are checkpoints and none can be read, and the other errors of `loadCheckpoint`.
   */
  async loadLatest(folder: string | URL): Promise<Batch | undefined> {
    return await this.#checkpoints.loadLatest(folder, (path) => this.loadCheckpoint(path));
  }

  /** Asks to stop after the current step; the first reason is kept. */
  stop(reason: string): void {
    (this.#whole ?? this.#engine.loop).stop(reason);
  }

  /**
   * Closes the hooks, if they are open, and frees the device and the memory of the last batch. A closed engine refuses to
   * run: make a new one. Not while it is running; closing it again does nothing.
   */
  async close(): Promise<void> {
    if (this.#whole !== undefined || this.#state === "closed") return; // a stage has nothing of its own
    this.#assertIdle("close");
    this.#state = "closed";
    try {
      await this.#engine.loop.close();
    } finally {
      await this.#engine.place.close();
    }
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Returns the context fields of this engine besides those of every engine. A custom engine may add some. */
  protected buildContext(batch: Batch): Omit<DynamicsBase, keyof BaseContext> {
    return { batch, model: this.model, stream: this.#engine.running.stream?.progress };
  }

  /** Runs something with a batch on the device, and copies the results to the batch unless the run diverged. */
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

  /** Throws an Error if it is closed or running, or if another engine runs it. */
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
