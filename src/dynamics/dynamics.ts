/**
 * The engine of molecular dynamics and structure relaxation: a scheme, a model, and hooks at every stage.
 *
 * @module
 */

import type { Backend } from "../backend/backend.ts";
import { Batch } from "../batch/batch.ts";
import { markChanging } from "../batch/changing.ts";
import type { NumericArray } from "../batch/fields/fields.ts";
import type { FieldHolder } from "../batch/fields/holder.ts";
import type { BaseContext, Workflow } from "../hooks/protocol/context.ts";
import { Loop } from "../hooks/loop/loop.ts";
import type { DeviceWorker } from "../hooks/run/device_work.ts";
import type { Outcome } from "../hooks/protocol/outcome.ts";
import { isThenable } from "../base/sequence.ts";
import type { HookSet } from "../hooks/registry/registry.ts";
import type { Model } from "../models/model.ts";
import { BatchPlace } from "./engine/batch_place.ts";
import type { BatchRun } from "./engine/batch_run.ts";
import { assertSaved, type SavedDynamics, SCHEMA } from "./engine/checkpoint.ts";
import type { Constraint } from "./constraints/constraint.ts";
import type { DynamicsKind, DynamicsOptions, FirstHooks } from "./engine/dynamics_options.ts";
import {
  assertTogether,
  checkDynamicsOptions,
  checkRun,
  lostSystems,
} from "./engine/dynamics_checks.ts";
import { DivergedError } from "./diverged_error.ts";
import { type DeviceInUse, EngineDevice, unavailable } from "./engine/engine_device.ts";
import { keepParts, type WholeEngine } from "./engine/engine_parts.ts";
import { DynamicsFields } from "./engine/fields.ts";
import type { Integrator } from "./integrators/integrator.ts";
import { checkIntegrator } from "./integrators/integrator_checks.ts";
import type { WithKernels } from "./engine/step_parts.ts";
import { ConvergenceHook } from "./convergence/convergence_hook.ts";
import type { SizeAwareSampler } from "./streaming/sampler.ts";
import { isBath } from "./stages/staged.ts";
import { STAGE_STEPS } from "./stages/stage_steps.ts";
import { DynamicsStage } from "./stages.ts";
import type { SavedStream } from "./streaming/saved_stream.ts";
import type { Stream } from "./streaming/stream.ts";
import type { StreamEngine } from "./streaming/stream_batch.ts";
import type { StreamOptions, StreamSummary } from "./streaming/stream_options.ts";
import type { DynamicsBase } from "./stages.ts";

// Loaded when first used: most runs neither stream nor write checkpoints.
const loadCheckpointing = () => import("../checkpoint/mod.ts");
const loadStreaming = () => import("./streaming/mod.ts");

/** The summary of a source without systems. */
const NO_STREAM: StreamSummary = {
  systems: 0,
  graduated: 0,
  converged: 0,
  failures: [],
  steps: 0,
  refills: 0,
  filling: NaN,
  isDone: true,
};

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
  readonly #device: EngineDevice;
  readonly #loop: Loop<DynamicsKind>;
  readonly #place: BatchPlace;
  #isRunning = false;
  /** What holds the batch of the run under way. */
  #holder: FieldHolder | undefined;
  /** Whether the run under way waits between two steps. */
  #isBetween = false;
  /** The stream under way, or the last one, which may go on. */
  #stream: Stream | undefined;
  /** What a stream is to go on from. */
  #loaded: SavedStream | undefined;
  /** The stream under way. */
  #flow: Stream | undefined;
  /** What it is a stage of: that runs it, then. */
  #whole: WholeEngine | undefined;
  /** What the run under way has come to. */
  #home: Record<string, NumericArray> | undefined;

  /** Throws a TypeError or RangeError that names the option or hook that is wrong. */
  constructor(integrator: Integrator, options: DynamicsOptions<H>) {
    checkIntegrator(integrator);
    this.name = options?.name ?? integrator.name;
    checkDynamicsOptions(this.name, options, integrator.parameters ?? []);
    const { model, hooks = [], fields = [] } = options;
    this.model = model;
    this.integrator = integrator;
    this.constraints = [...options.constraints ?? []];
    this.#options = options as unknown as DynamicsOptions;
    this.#device = new EngineDevice(this.name, options);
    const own = [
      ...fields.map((field) => typeof field === "string" ? field : field.field),
      ...model.fields ?? [],
    ];
    const state = new DynamicsFields(own, () => this.#current, () => this.#device.isHost);
    const worker: DeviceWorker = {
      work: (hook, stage, part) =>
        this.#current.work(hook as WithKernels, stage as DynamicsStage, part),
      changed: () => this.#place?.run?.forgetPlan(),
    };
    this.#loop = new Loop<DynamicsKind>({
      kinds: DynamicsStage,
      // Complete as soon as there is a batch; no hook runs before.
      context: { model } as DynamicsBase,
      workflow: this,
      state,
      worker,
      begin: () => (this.#flow ?? this.#place).begin(),
      end: () => {
        this.#flow?.end();
        return this.#current.end();
      },
      step: () => (this.#flow ?? this.#place).step(),
      multiStep: (_loop: unknown, n: number) => (this.#flow ?? this.#place).leap(n),
      settled: async () => {
        await this.#current.refresh();
        this.#home = await this.#place.takeHome();
      },
      recover: async (error: unknown) => {
        const step = await this.#place.recover(error);
        if (step !== undefined) this.#flow?.goBack();
        return step;
      },
      isFatal: (error: unknown) => this.#device.lossIn(error) !== undefined,
    }, {
      name: this.name,
      ...(options.signal && { signal: options.signal }),
      ...(options.onWarning && { onWarning: options.onWarning }),
      ...(options.verify && { verify: options.verify }),
    });
    this.#place = new BatchPlace({
      engine: {
        name: this.name,
        integrator,
        constraints: this.constraints,
        model,
        loop: this.#loop,
      },
      device: this.#device,
      entered: (batch) => void Object.assign(this.#loop.context, this.buildContext(batch)),
    });
    keepParts(this, {
      options: this.#options,
      hooks: this.#loop.registry,
      engines: [],
      part: undefined,
      contextOf: (batch) => this.buildContext(batch),
      current: () => this.#current,
      assertFree: () => this.#assertIdle("fuse"),
      join: (whole) => void (this.#whole = whole),
    });
    for (const hook of hooks) this.#loop.hooks.add(hook as never);
  }

  /** The hooks. */
  get hooks(): HookSet<DynamicsKind> {
    return this.#loop.hooks;
  }

  /** Steps done so far, over all runs. */
  get stepCount(): number {
    return this.#whole?.stepCount ?? this.#loop.stepCount;
  }

  /** Where it runs. A GPU, and threads, are there from the first run on until the engine is closed; else this throws an Error. */
  get backend(): Backend {
    return this.#whole?.backend ?? this.#device.backend;
  }

  /** The device that was picked, and what was passed over and why; `undefined` before the first run has picked one. */
  get device(): DeviceInUse | undefined {
    return this.#whole === undefined ? this.#device.inUse : this.#whole.device;
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
      this.outcome = await this.#loop.run(nSteps);
    });
  }

  /**
   * Does one step, opening the hooks if they are not open; `close`, or leaving an `await using` block, closes them.
   * Throws what `run` throws.
   */
  async step(batch: Batch): Promise<Batch> {
    checkRun(this.name, batch, 1);
    return await this.#with(batch, async () => {
      this.#current.isByHand = true;
      try {
        await this.#loop.step();
      } finally {
        const { run } = this.#place;
        if (run !== undefined) run.isByHand = false;
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
    const canConverge = this.integrator.stages !== undefined || // which systems get through, else there are none
      this.#loop.hooks.enabled().some((one) => one instanceof ConvergenceHook);
    const { checkStream } = await loadStreaming();
    checkStream(this.name, sampler, options, canConverge);
    if (options.onDiverged === "drop" && !this.#device.isHost) {
      throw new RangeError(
        `Cannot stream through ${this.name} as onDiverged must be "throw" on a GPU and on threads, where it is learned ` +
          `late what has come apart: current value is "drop"`,
      );
    }
    const stream = await this.#streamOf(sampler, options);
    if (stream === undefined) return NO_STREAM;
    if (stream.isDone) return stream.summary;
    const { nSteps = Infinity } = options;
    checkRun(this.name, stream.batch, nSteps);
    this.#flow = this.#stream = stream;
    this.#place.watch(stream);
    Object.assign(this.#loop.context, { stream: stream.progress });
    try {
      await this.#with(stream.batch, async () => {
        this.outcome = await this.#loop.run(nSteps);
      });
    } finally {
      this.#flow = undefined;
      this.#place.watch(undefined);
      Object.assign(this.#loop.context, { stream: undefined });
    }
    return stream.summary;
  }

  /** The stream of a sampler: the one before, one that was saved, or a new one; `undefined` where there is nothing. */
  async #streamOf(
    sampler: SizeAwareSampler,
    options: StreamOptions,
  ): Promise<Stream | undefined> {
    const { Graduates, Stream } = await loadStreaming();
    const sinks = new Graduates(this.name, options.sinks);
    await sinks.open();
    const saved = this.#loaded, known = this.#stream, { run } = this.#place;
    const engine: StreamEngine = {
      name: this.name,
      loop: this.#loop,
      place: this.#place,
      changing: (home, work) => this.#changing(home, work),
      isLost: (error) => this.#device.lossIn(error) !== undefined,
    };
    let stream: Stream | undefined;
    if (saved !== undefined && run !== undefined) {
      await sinks.goBack(saved.lengths);
      stream = Stream.resume(engine, sampler, sinks, { batch: run.state.batch, saved });
      this.#loaded = undefined;
    } else if (known?.sampler === sampler && !known.isDone) {
      if (run?.state.matches(known.batch)) stream = known;
      else {
        throw new Error(
          `Cannot go on with the stream of ${this.name} as its batch must be the last one that was run: ` +
            `another was run since, or the engine was closed; load a checkpoint`,
        );
      }
    } else stream = await Stream.begin(engine, sampler, sinks, options);
    if (stream === undefined) return undefined;
    stream.heed(sinks, options);
    markChanging(stream.batch);
    return stream;
  }

  #changing(home: Readonly<Record<string, NumericArray>>, work: () => void): void {
    const { batch } = this.#current.state;
    batch.detach(home);
    try {
      work();
    } finally {
      batch.attach(this.#holder!);
    }
  }

  /**
   * All that it needs to go on to the bit: counters, hooks' state, the batch, the scheme's state, how pairs were found.
   * Plain data, to be kept by `writeCheckpoint` or by oneself. To be called between runs, or in
   * {@linkcode Dynamics.betweenSteps}; else it throws an Error.
   */
  async save(): Promise<SavedDynamics> {
    if (this.#whole !== undefined) return await this.#whole.save();
    if (this.#isBetween) return await this.#saveHeld(this.#current);
    return {
      integrator: this.integrator.name,
      loop: this.#loop.save(),
      ...await this.#current.save(),
      ...await this.#savedStream(),
    };
  }

  /** What is saved of a stream that may go on. */
  async #savedStream(): Promise<{ readonly stream?: SavedStream }> {
    const { run } = this.#place, stream = this.#stream;
    if (stream === undefined || !run?.state.matches(stream.batch)) return {};
    return { stream: await stream.save() };
  }

  /**
   * Does something between two steps, such as `saveCheckpoint`: as soon as the step under way is done, and at once where
   * there is none. What it throws is the caller's: the run goes on. A hook must not await it.
   */
  betweenSteps<T>(work: () => T | PromiseLike<T>): Promise<T> {
    if (this.#whole !== undefined) return this.#whole.betweenSteps(work);
    return this.#loop.betweenSteps(async () => {
      this.#isBetween = this.#holder !== undefined;
      try {
        return await work();
      } finally {
        this.#isBetween = false;
      }
    });
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
    assertSaved(this.name, this.integrator.name, saved);
    const batch = Batch.load(saved.batch);
    this.#isRunning = true;
    try {
      const run = await this.#place.enter(batch);
      this.#place.load(run, saved);
      this.#loop.load(saved.loop);
      this.#loaded = saved.stream;
      this.#stream = undefined;
      if (saved.stream !== undefined) {
        run.clock.carry(saved.stream.clock, Array.from({ length: batch.size }, (_, s) => s));
      }
    } catch (error) {
      this.#place.leave();
      throw error;
    } finally {
      this.#isRunning = false;
    }
    return batch;
  }

  /**
   * Writes what `save` gives to a file, which is there whole or not at all.
   *
   * @throws {Error} when it cannot be written; a file that was there stays as it was
   */
  async saveCheckpoint(path: string | URL): Promise<void> {
    const bytes = await this.takeCheckpoint();
    await this.#loop.hooks.flush(); // what hooks say that they have written must be there
    const { writeWhole } = await loadCheckpointing();
    await writeWhole(path, bytes, "checkpoint");
  }

  /**
   * What `saveCheckpoint` writes, as bytes: to be kept somewhere else, or written while the run goes on, once
   * `hooks.flush()` is done. To be called when `save` may be.
   */
  async takeCheckpoint(): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#whole !== undefined) return await this.#whole.takeCheckpoint();
    const { encodeCheckpoint } = await loadCheckpointing();
    const data = await this.save();
    return encodeCheckpoint({ kind: this.#checkpointKind, schema: SCHEMA, data });
  }

  /**
   * Goes on from such a file; see {@linkcode Dynamics.load}.
   *
   * @throws {SyntaxError} for a file that is damaged or is no checkpoint
   * @throws {RangeError} for one of a newer version, or of another precision
   * @throws {TypeError} for one of another engine
   */
  async loadCheckpoint(path: string | URL): Promise<Batch> {
    const expected = { kind: this.#checkpointKind, schema: SCHEMA };
    const { readCheckpoint } = await loadCheckpointing();
    const { data } = await readCheckpoint(path, expected);
    return await this.load(data as SavedDynamics);
  }

  /**
   * Goes on from the newest checkpoint in a folder that is whole, as a `CheckpointHook` writes them; of those that
   * are damaged it warns. Answers with the batch, or with `undefined` where there is none: the run begins anew.
   *
   * Throws what `loadCheckpoint` throws, but for damage.
   */
  async loadLatest(folder: string | URL): Promise<Batch | undefined> {
    const { loadLatest } = await loadCheckpointing();
    return await loadLatest(folder, {
      load: (path) => this.loadCheckpoint(path),
      passedOver: (_path, error) => this.#loop.hooks.warn("(checkpoint)", "load", error),
    });
  }

  get #checkpointKind(): string {
    return `dynamics/${this.integrator.name}`;
  }

  /** Asks to stop after the step under way; the first reason is kept. */
  stop(reason: string): void {
    if (this.#whole === undefined) this.#loop.stop(reason);
    else this.#whole.stop(reason);
  }

  /** Closes the hooks, if they are open, and gives the memory of the last batch back. Not while it is running. */
  async close(): Promise<void> {
    if (this.#whole !== undefined) return; // it has nothing of its own
    this.#assertIdle("close");
    try {
      await this.#loop.close();
    } finally {
      await this.#place.close();
    }
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** What hooks of this engine find in `ctx` besides what every engine has. An engine of one's own may add to it. */
  protected buildContext(batch: Batch): Omit<DynamicsBase, keyof BaseContext> {
    return { batch, model: this.model, stream: this.#flow?.progress };
  }

  get #current(): BatchRun {
    if (this.#place.run !== undefined) return this.#place.run;
    throw new Error(
      `Cannot read the state of ${this.name} as it must have a batch: run one first`,
    );
  }

  /** Runs something with a batch in hand, and takes the values home; those of a run that diverged are left behind. */
  async #with(batch: Batch, work: () => Promise<void>): Promise<Batch> {
    this.#assertIdle("run");
    this.#isRunning = true;
    try {
      return await this.#withFree(batch, work);
    } finally {
      this.#isRunning = false;
    }
  }

  /** A second run, or the end of the batch under way, would pull the state from under the first. */
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

  async #withFree(batch: Batch, work: () => Promise<void>): Promise<Batch> {
    const place = this.#place;
    const holder: FieldHolder = {
      by: this.name,
      get fields() {
        return place.fields;
      },
      fetch: async (name) => {
        const run = place.run!;
        // What can be had at once is as of now, even if nobody awaits it.
        const waiting = name === "energy" || name === "stress" ? run.refresh() : undefined;
        if (isThenable(waiting)) await waiting;
        return await run.state.downloadField(name);
      },
    };
    batch.attach(holder);
    this.#holder = holder;
    try {
      const entering = place.enter(batch);
      if (isThenable(entering)) await entering;
    } catch (error) {
      this.#holder = undefined;
      batch.detach();
      throw error;
    }
    await this.#workOn(batch, work);
    return batch;
  }

  /** What `save` gives, in mid-run: the batch is as if the run had ended with the last step. */
  async #saveHeld(run: BatchRun): Promise<SavedDynamics> {
    const { state: { batch }, state } = run;
    const kept = { ...await run.keep(), ...await this.#savedStream() };
    batch.detach(state.savedToHost(kept.resident));
    try {
      const copy = Batch.load(batch.save());
      run.clock.note(copy);
      return {
        integrator: this.integrator.name,
        loop: this.#loop.save(),
        batch: copy.save(),
        ...kept,
      };
    } finally {
      batch.attach(this.#holder!);
    }
  }

  /** Runs something, and takes home what has come of it, whether it went well or not. */
  async #workOn(batch: Batch, work: () => Promise<void>): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    this.#home = undefined;
    try {
      await work();
    } catch (error) {
      failure = { error: unavailable(error) ?? error };
    }
    let hasDiverged = failure?.error instanceof DivergedError;
    let isLost = unavailable(failure?.error) !== undefined;
    // The first error says what is wrong.
    if (failure !== undefined && !hasDiverged && !isLost) {
      await this.#place.run?.mend().catch(() => {});
    }
    let home: Record<string, NumericArray> = {};
    try {
      if (!isLost) home = this.#home ?? await this.#place.takeHome();
    } catch (error) {
      isLost = true;
      failure ??= { error };
    }
    hasDiverged ||= lostSystems(batch, home.positions).length > 0;
    this.#holder = undefined;
    batch.detach(hasDiverged ? {} : home);
    if (hasDiverged || isLost) this.#place.leave();
    else this.#leaveNotes(this.#current);
    if (isLost) this.#device.close(); // the next run may find it again
    if (failure !== undefined) throw failure.error;
    assertTogether(this.name, batch, this.stepCount - 1, home.positions);
  }

  /** What the next scheme must know: the time, and that a bath has set the center of mass in motion again. */
  #leaveNotes({ clock, state }: BatchRun): void {
    clock.keep(state.batch);
    const { integrator, integrator: { stages = [] }, stepCount } = this;
    if (!state.batch.has("dofRemoved")) return;
    const baths = stages.flatMap((scheme, k) => isBath(scheme) ? [k] : []);
    const steps = stages.length === 0 ? [] : state.batch.get(STAGE_STEPS);
    const isMoved = (system: number) =>
      stages.length === 0
        ? isBath(integrator) && stepCount > 0
        : baths.some((k) => steps[stages.length * system + k]! > 0);
    const removed = state.batch.get("dofRemoved");
    for (let s = 0; s < removed.length; s++) if (isMoved(s)) removed[s] = 0;
  }
}
