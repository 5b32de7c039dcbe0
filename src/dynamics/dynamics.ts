/**
 * The engine of molecular dynamics and structure relaxation: a scheme, a model, and hooks at every stage.
 *
 * @module
 */

import type { Backend } from "../backend/backend.ts";
import type { Batch } from "../batch/batch.ts";
import type { BaseContext, Workflow } from "../hooks/protocol/context.ts";
import type { Outcome } from "../hooks/protocol/outcome.ts";
import type { HookSet } from "../hooks/registry/hook_set.ts";
import type { Model } from "../models/model.ts";
import type { Constraint } from "./constraints/constraint.ts";
import type { SavedDynamics } from "./engine/checkpoint.ts";
import { Checkpoints } from "./engine/checkpoints.ts";
import { checkDynamicsOptions, checkRun } from "./engine/dynamics_checks.ts";
import { DynamicsEngine } from "./engine/dynamics_engine.ts";
import type { DynamicsKind, DynamicsOptions, FirstHooks } from "./engine/dynamics_options.ts";
import type { DeviceInUse } from "./engine/engine_device.ts";
import { keepParts, type WholeEngine } from "./engine/engine_parts.ts";
import type { Integrator } from "./integrators/integrator.ts";
import { checkIntegrator } from "./integrators/integrator_checks.ts";
import type { DynamicsBase } from "./stages.ts";
import { EngineStreams, NO_STREAM } from "./streaming/engine_streams.ts";
import type { SizeAwareSampler } from "./streaming/sampler.ts";
import type { StreamOptions, StreamSummary } from "./streaming/stream_options.ts";

/**
 * An engine for atoms: any {@linkcode Integrator} with any {@linkcode Model}. `NVE`, `NVTLangevin`, `FIRE` and `FIRE2`
 * are engines with a scheme of theirs.
 *
 * A step: BEFORE_STEP, BEFORE_PRE_UPDATE, *pre*, AFTER_PRE_UPDATE, BEFORE_COMPUTE, *forces*, AFTER_COMPUTE,
 * BEFORE_POST_UPDATE, *post*, AFTER_POST_UPDATE, AFTER_STEP, *convergence*, ON_CONVERGE. Steps at which no hook is
 * due run many at a time with no visit to JavaScript, and give the same bits.
 */
export class Dynamics<const H extends FirstHooks = FirstHooks>
  implements Workflow, AsyncDisposable {
  /** What it is called in listings, logs and checkpoints. */
  readonly name: string;
  /** What the forces come from. */
  readonly model: Model;
  /** What moves the atoms. */
  readonly integrator: Integrator;
  /** What stays as it is. */
  readonly constraints: readonly Constraint[];
  /** How the last run ended. */
  outcome: Outcome | undefined;
  readonly #options: DynamicsOptions;
  readonly #engine: DynamicsEngine;
  readonly #streams: EngineStreams;
  readonly #checkpoints: Checkpoints;
  #isRunning = false;
  /** The engine that this one is a stage of, and that runs it then. */
  #whole: WholeEngine | undefined;

  /** Throws a TypeError or RangeError that names the option or hook that is wrong. */
  constructor(integrator: Integrator, options: DynamicsOptions<H>) {
    checkIntegrator(integrator);
    this.name = options?.name ?? integrator.name;
    checkDynamicsOptions(this.name, options, integrator.parameters ?? []);
    this.model = options.model;
    this.integrator = integrator;
    this.constraints = [...options.constraints ?? []];
    this.#options = options as unknown as DynamicsOptions;
    this.#engine = new DynamicsEngine({
      name: this.name,
      integrator,
      model: this.model,
      constraints: this.constraints,
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
    for (const hook of options.hooks ?? []) loop.hooks.add(hook as never);
  }

  /** The hooks. */
  get hooks(): HookSet<DynamicsKind> {
    return this.#engine.loop.hooks;
  }

  /** Steps done so far, over all runs. */
  get stepCount(): number {
    return this.#whole?.stepCount ?? this.#engine.loop.stepCount;
  }

  /** Where it runs. A GPU, and threads, are there from the first run on until the engine is closed; else this throws an Error. */
  get backend(): Backend {
    return this.#whole?.backend ?? this.#engine.device.backend;
  }

  /** The device that was picked, and what was passed over and why; `undefined` before the first run has picked one. */
  get device(): DeviceInUse | undefined {
    return this.#whole === undefined ? this.#engine.device.inUse : this.#whole.device;
  }

  /**
   * Does steps until there have been `nSteps`, all systems have converged, or something asked to stop; then the batch
   * has the new positions, velocities, forces and energies, and `outcome` says how it ended. A batch that was run
   * before goes on where it was, converged systems at rest.
   *
   * @throws {RangeError} for atoms or parameters that cannot be run, naming system and atom
   * @throws {DivergedError} when positions are no longer finite
   * @throws {BackendUnavailableError} where its device is not to be had, or is lost; the batch is as it was before
   */
  async run(batch: Batch, nSteps: number | undefined = this.#options.nSteps): Promise<Batch> {
    checkRun(this.name, batch, nSteps);
    return await this.#with(batch, async () => {
      this.outcome = await this.#engine.loop.run(nSteps);
    });
  }

  /**
   * Does one step, opening the hooks if they are not open; `close`, or leaving an `await using` block, closes them.
   * Throws what `run` throws.
   */
  async step(batch: Batch): Promise<Batch> {
    checkRun(this.name, batch, 1);
    const { loop, running } = this.#engine;
    return await this.#with(batch, async () => {
      running.isByHand = true;
      try {
        await loop.step();
      } finally {
        running.isByHand = false;
      }
    });
  }

  /**
   * Runs all systems of a source through a batch that is kept full: those that have come to rest, converged or at the
   * end of their steps, are written to a sink and leave; others take their places, with forces, while the rest move on
   * to the bit. It ends when the source is dry and all are done. Each system is called as its place in the source says
   * (`systemId`, `sourceIndex`; `sourceId` in what is written), and moves as it would alone, whenever it joins.
   *
   * The next call with the same sampler goes on, after `nSteps`, after a stop, and after sinks were full.
   *
   * @throws {TypeError} for options that are none, and for parameters by place
   * @throws {RangeError} when there is no room in the sinks (all stay in the batch then), and for what `run` throws it
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
    await this.#streams.during(stream, async () => {
      await this.#with(stream.batch, async () => {
        this.outcome = await this.#engine.loop.run(nSteps);
      });
    });
    return stream.summary;
  }

  /**
   * All that it needs to go on to the bit: counters, hooks' state, the batch, the scheme's state, how pairs were found.
   * Plain data, to be kept by `writeCheckpoint` or by oneself. To be called between runs, or in
   * {@linkcode Dynamics.betweenSteps}; else it throws an Error.
   */
  async save(): Promise<SavedDynamics> {
    return await (this.#whole ?? this.#checkpoints).save();
  }

  /**
   * Does something between two steps, such as `saveCheckpoint`: as soon as the step under way is done, and at once where
   * there is none. What it throws is the caller's: the run goes on. A hook must not await it.
   */
  betweenSteps<T>(work: () => T | PromiseLike<T>): Promise<T> {
    return (this.#whole ?? this.#checkpoints).betweenSteps(work);
  }

  /**
   * Goes on where `save` was called: answers with the batch, to be handed to `run`. With the same model, options and
   * hooks all further steps give the same bits; hooks are matched by name, and those that were not there begin anew.
   *
   * @throws {TypeError} for what `save` did not give, or gave of another scheme
   * @throws {RangeError} for another precision
   */
  async load(saved: SavedDynamics): Promise<Batch> {
    this.#assertIdle("load into");
    return await this.#alone(() => this.#checkpoints.load(saved));
  }

  /**
   * Writes what `save` gives to a file, which is there whole or not at all.
   *
   * @throws {Error} when it cannot be written; a file that was there stays as it was
   */
  async saveCheckpoint(path: string | URL): Promise<void> {
    await this.#checkpoints.write(path, await this.takeCheckpoint());
  }

  /**
   * What `saveCheckpoint` writes, as bytes: to be kept somewhere else, or written while the run goes on, once
   * `hooks.flush()` is done. To be called when `save` may be.
   */
  async takeCheckpoint(): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#whole !== undefined) return await this.#whole.takeCheckpoint();
    return await this.#checkpoints.encode(await this.save());
  }

  /**
   * Goes on from such a file; see {@linkcode Dynamics.load}.
   *
   * @throws {SyntaxError} for a file that is damaged or is no checkpoint
   * @throws {RangeError} for one of a newer version, or of another precision
   * @throws {TypeError} for one of another engine
   */
  async loadCheckpoint(path: string | URL): Promise<Batch> {
    return await this.load(await this.#checkpoints.read(path));
  }

  /**
   * Goes on from the newest checkpoint in a folder that is whole, as a `CheckpointHook` writes them; of those that
   * are damaged it warns. Answers with the batch, or with `undefined` where there is none: the run begins anew.
   *
   * Throws what `loadCheckpoint` throws, but for damage.
   */
  async loadLatest(folder: string | URL): Promise<Batch | undefined> {
    return await this.#checkpoints.loadLatest(folder, (path) => this.loadCheckpoint(path));
  }

  /** Asks to stop after the step under way; the first reason is kept. */
  stop(reason: string): void {
    (this.#whole ?? this.#engine.loop).stop(reason);
  }

  /** Closes the hooks, if they are open, and gives the memory of the last batch back. Not while it is running. */
  async close(): Promise<void> {
    if (this.#whole !== undefined) return; // it has nothing of its own
    this.#assertIdle("close");
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

  /** What hooks of this engine find in `ctx` besides what every engine has. An engine of one's own may add to it. */
  protected buildContext(batch: Batch): Omit<DynamicsBase, keyof BaseContext> {
    return { batch, model: this.model, stream: this.#engine.running.stream?.progress };
  }

  /** Runs something with a batch on the device, and takes the results home; those of a run that diverged are dropped. */
  async #with(batch: Batch, work: () => Promise<void>): Promise<Batch> {
    this.#assertIdle("run");
    await this.#alone(() => this.#engine.held.with(batch, work));
    return batch;
  }

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    this.#isRunning = true;
    try {
      return await work();
    } finally {
      this.#isRunning = false;
    }
  }

  /** Throws an Error if a second run would take the batch away from the first, or if another engine runs this one. */
  #assertIdle(action: string): void {
    if (this.#whole !== undefined) {
      throw new Error(
        `Cannot ${action} ${this.name} as it must not be a stage of another engine: ${this.#whole.name} has it now`,
      );
    }
    if (!this.#isRunning) return;
    throw new Error(
      `Cannot ${action} ${this.name} as it must not be running already: await its run first`,
    );
  }
}
