/**
 * The engine of molecular dynamics and structure relaxation: a scheme, a model, and hooks at every stage.
 *
 * @module
 */

import type { Backend, Program } from "../backend/backend.ts";
import { openBackend } from "../backend/open.ts";
import { Batch } from "../batch/batch.ts";
import { readCheckpoint, writeCheckpoint } from "../checkpoint/mod.ts";
import { ResidentBatch } from "../batch/resident.ts";
import type { NumericArray } from "../batch/fields.ts";
import type { BaseContext, Workflow } from "../hooks/context.ts";
import { Loop } from "../hooks/loop.ts";
import type { DeviceWorker } from "../hooks/device_work.ts";
import type { Outcome } from "../hooks/outcome.ts";
import { isThenable } from "../hooks/thenable.ts";
import type { HookSet } from "../hooks/registry.ts";
import { Control } from "../kernels/kernel.ts";
import type { Model, OpenModel } from "../models/model.ts";
import { assertSaved, type SavedDynamics, SCHEMA } from "./checkpoint.ts";
import type { DynamicsKind, DynamicsOptions, FirstHooks } from "./dynamics_options.ts";
import { assertFinite, checkDynamicsOptions, checkRun, firstLost } from "./dynamics_checks.ts";
import { DivergedError } from "./diverged_error.ts";
import { DynamicsFields } from "./fields.ts";
import type { Integrator, OpenIntegrator } from "./integrator.ts";
import { planStep, type StepPlan, type Stop, type WithKernels } from "./step_plan.ts";
import { DynamicsStage } from "./stages.ts";
import type { DynamicsBase } from "./stages.ts";

/** Fields whose change from outside leaves forces and energies as they are. */
const HARMLESS: ReadonlySet<string> = new Set(["velocities", "status", "stepsDone"]);

/** A batch that is being run, or was last. */
interface Run {
  readonly batch: Batch;
  readonly state: ResidentBatch;
  readonly integrator: OpenIntegrator;
  readonly model: OpenModel;
  /** Whether the forces are those of the positions. */
  isPrimed: boolean;
  /** Whether the energies (and stresses) are, too. */
  hasEnergy: boolean;
}

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
  /** How the last run ended. */
  outcome: Outcome | undefined;
  readonly #options: DynamicsOptions<H>;
  readonly #backend: Backend;
  readonly #loop: Loop<DynamicsKind>;
  #run: Run | undefined;
  #plan: StepPlan | undefined;

  /** Throws a TypeError or RangeError that names the option or hook that is wrong. */
  constructor(integrator: Integrator, options: DynamicsOptions<H>) {
    this.name = options?.name ?? integrator.name;
    checkDynamicsOptions(this.name, options, integrator.parameters ?? []);
    const { model, backend = "wasm", hooks = [], fields = [] } = options;
    this.model = model;
    this.integrator = integrator;
    this.#options = options;
    this.#backend = typeof backend === "string" ? openBackend(backend) : backend;
    const own = fields.map((field) => typeof field === "string" ? field : field.field);
    const state = new DynamicsFields(
      own,
      integrator.dt,
      () => this.#current.state,
      (field) => this.#current.state.touch(field),
    );
    const worker: DeviceWorker = {
      work: (hook, stage) => this.#work(hook as WithKernels, stage as DynamicsStage),
      changed: () => this.#forgetPlan(),
    };
    this.#loop = new Loop<DynamicsKind>({
      kinds: DynamicsStage,
      name: this.name,
      context: { model } as DynamicsBase, // whole as soon as there is a batch, and no hook runs before
      workflow: this,
      state,
      worker,
      begin: () => this.#begin(),
      step: () => this.#step(0),
      leap: (_loop: unknown, n: number) => this.#leap(n),
      ...(options.signal && { signal: options.signal }),
      ...(options.onWarning && { onWarning: options.onWarning }),
      ...(options.verify && { verify: options.verify }),
    });
    for (const hook of hooks) this.#loop.hooks.add(hook as never);
  }

  /** The hooks. */
  get hooks(): HookSet<DynamicsKind> {
    return this.#loop.hooks;
  }

  /** Steps done so far, over all runs. */
  get stepCount(): number {
    return this.#loop.stepCount;
  }

  /** Where it runs. */
  get backend(): Backend {
    return this.#backend;
  }

  /**
   * Does steps until there have been `nSteps`, all systems have converged, or something asked to stop; then the batch
   * has the new positions, velocities, forces and energies, and `outcome` says how it ended. A batch that was run
   * before goes on where it was, converged systems at rest.
   *
   * @throws {RangeError} for atoms or parameters that cannot be run, naming system and atom
   * @throws {DivergedError} when positions are no longer finite
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
    return await this.#with(batch, () => this.#loop.step());
  }

  /**
   * All that it needs to go on to the bit: counters, hooks' state, the batch, the scheme's state, how pairs were found.
   * Plain data, to be kept by {@linkcode writeCheckpoint} or by oneself. To be called between runs.
   */
  async save(): Promise<SavedDynamics> {
    const { batch, state, isPrimed, hasEnergy } = this.#current;
    return {
      integrator: this.integrator.name,
      loop: this.#loop.save(),
      batch: batch.save(),
      resident: await state.save(),
      isPrimed,
      hasEnergy,
    };
  }

  /**
   * Goes on where `save` was called: answers with the batch, to be handed to `run`. With the same model, options and
   * hooks all further steps give the same bits; hooks are matched by name, and those that were not there begin anew.
   *
   * @throws {TypeError} for what `save` did not give, or gave of another scheme
   * @throws {RangeError} for another precision
   */
  load(saved: SavedDynamics): Batch {
    assertSaved(this.name, this.integrator.name, saved);
    const batch = Batch.load(saved.batch);
    const run = this.#enter(batch);
    this.#planned(); // asks for all that is kept
    try {
      run.state.load(saved.resident);
      this.#loop.load(saved.loop);
    } catch (error) {
      this.#leave();
      throw error;
    }
    Object.assign(run, { isPrimed: saved.isPrimed, hasEnergy: saved.hasEnergy });
    return batch;
  }

  /**
   * Writes what `save` gives to a file, which is there whole or not at all.
   *
   * @throws {Error} when it cannot be written; a file that was there stays as it was
   */
  async saveCheckpoint(path: string | URL): Promise<void> {
    const data = await this.save();
    await writeCheckpoint(path, { kind: this.#checkpointKind, schema: SCHEMA, data });
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
    const { data } = await readCheckpoint(path, expected);
    return this.load(data as SavedDynamics);
  }

  get #checkpointKind(): string {
    return `dynamics/${this.integrator.name}`;
  }

  /** Asks to stop after the step under way; the first reason is kept. */
  stop(reason: string): void {
    this.#loop.stop(reason);
  }

  /** Closes the hooks, if they are open, and gives the memory of the last batch back. */
  async close(): Promise<void> {
    try {
      await this.#loop.close();
    } finally {
      this.#leave();
    }
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** What hooks of this engine find in `ctx` besides what every engine has. An engine of one's own may add to it. */
  protected buildContext(batch: Batch): Omit<DynamicsBase, keyof BaseContext> {
    return { batch, model: this.model };
  }

  get #current(): Run {
    if (this.#run !== undefined) return this.#run;
    throw new Error(
      `Cannot read the state of ${this.name} as it must have a batch: run one first`,
    );
  }

  /** Runs something with a batch in hand, and takes the values home, whatever happens. */
  async #with(batch: Batch, work: () => Promise<void>): Promise<Batch> {
    const run = this.#enter(batch);
    const { state } = run;
    batch.attach({
      by: this.name,
      fields: state.fields,
      fetch: async (name) => {
        if (name === "energy" || name === "stress") await this.#refresh();
        return await state.fetch(name);
      },
    });
    let home: Record<string, NumericArray> = {};
    try {
      await work();
      await this.#refresh();
    } finally {
      home = await state.download();
      batch.detach(home);
    }
    assertFinite(this.name, batch, this.stepCount - 1);
    return batch;
  }

  /** Brings a batch to the backend; one that was there has only what changed brought. */
  #enter(batch: Batch): Run {
    if (this.#run?.batch === batch && this.#run.state.isOf(batch)) {
      const changed = this.#run.state.upload();
      if (changed.some((name) => !HARMLESS.has(name))) this.#wake();
      return this.#run;
    }
    this.#leave();
    const state = new ResidentBatch(batch, this.#backend);
    try {
      const integrator = this.integrator.open(state);
      const model = this.model.open(state);
      this.#run = { batch, state, integrator, model, isPrimed: false, hasEnergy: false };
    } catch (error) {
      state.free();
      throw error;
    }
    Object.assign(this.#loop.context, this.buildContext(batch));
    return this.#run;
  }

  /** Positions were changed from outside: all systems move again, by new forces. */
  #wake(): void {
    const run = this.#current;
    run.isPrimed = false;
    run.state.active.fill(1);
  }

  #leave(): void {
    this.#forgetPlan();
    this.#run?.state.free();
    this.#run = undefined;
  }

  #forgetPlan(): void {
    if (this.#plan === undefined) return;
    this.#run?.state.forget(this.#plan.programs);
    this.#plan = undefined;
  }

  #planned(): StepPlan {
    const { state, integrator, model, batch } = this.#current;
    const { hooks } = this.#loop;
    return this.#plan ??= planStep({
      state,
      integrator,
      model,
      keepsMomentum: this.integrator.keepsMomentum === true,
      wantsStress: batch.has("stress") && this.model.gives.includes("stress"),
      work: (stage) => hooks.work(stage),
      reads: (stage) => hooks.reads(stage),
      writes: () => hooks.writes(),
    });
  }

  /** Forces before the first step, and after changes from outside. */
  async #begin(): Promise<void> {
    const run = this.#current;
    run.state.control.fill(0);
    if (!run.isPrimed) {
      await this.#evaluate();
      await this.#loop.point(DynamicsStage.AFTER_COMPUTE).modify(this.stepCount);
      this.#runProgram(this.#planned().begin);
      run.isPrimed = true;
    }
    if (!run.state.active.includes(1)) this.#loop.done();
  }

  /** Pairs, forces and energies as of now, out of turn. */
  async #evaluate(): Promise<void> {
    const run = this.#current;
    const plan = this.#planned();
    this.#runProgram(plan.forces);
    this.#assertTogether(this.stepCount - 1);
    await run.model.compute?.({ energy: true, stress: true });
    this.#runProgram(plan.amend);
    run.hasEnergy = true;
  }

  /** Energies where steps were done without: the forces come out as they are. */
  async #refresh(): Promise<void> {
    const run = this.#current;
    if (run.hasEnergy || !run.isPrimed) return;
    const { active } = run.state;
    const before = active.slice();
    active.fill(1);
    try {
      await this.#evaluate();
    } finally {
      run.state.active.set(before);
    }
  }

  /** The step from one of its parts on. Answers with something to await only if a hook or the model did. */
  #step(first: number): void | PromiseLike<void> {
    for (let i = first;; i++) {
      const part = this.#planned().parts[i];
      if (part === undefined) return this.#endStep();
      this.#runProgram(part.program);
      const waiting = this.#visit(part.stop);
      if (isThenable(waiting)) return waiting.then(() => this.#step(i + 1));
    }
  }

  #visit(stop: Stop): void | PromiseLike<void> {
    if (stop === "model") return this.#visitModel();
    if (stop === "criteria") return this.#askCustoms();
    return this.#loop.point(stop).fire(this.stepCount);
  }

  #visitModel(): void | PromiseLike<void> {
    this.#assertTogether(this.stepCount);
    const { model } = this.#current;
    return model.compute?.({ energy: true, stress: true });
  }

  #askCustoms(): void {
    const { state, batch } = this.#current;
    for (const { key, op, buffer, met, every, phase } of this.#planned().customs) {
      if (this.stepCount % every !== phase) continue;
      const answers = op(state.backend.view(buffer), batch.nodeOffsets);
      if (answers?.length !== batch.size) {
        throw new TypeError(
          `Cannot judge convergence by ${key} as its customOp must answer for each of ${batch.size} systems: ` +
            `current length is ${answers?.length}`,
        );
      }
      const marks = state.backend.view(met);
      for (let s = 0; s < batch.size; s++) if (!answers[s]) marks[s] = 0;
    }
  }

  #endStep(): void | PromiseLike<void> {
    const plan = this.#planned();
    this.#current.hasEnergy = plan.givesEnergy;
    if (plan.decide === undefined) return;
    this.#runProgram(plan.decide);
    return this.#report(this.stepCount);
  }

  /** Many steps in one call, as no hook is due. */
  #leap(n: number): number | PromiseLike<number> {
    const plan = this.#planned();
    const first = this.stepCount;
    if (plan.whole === undefined) {
      this.#loop.context.stepCount = first;
      const waiting = this.#step(0);
      return isThenable(waiting) ? waiting.then(() => 1) : 1;
    }
    const done = this.#backend.run(plan.whole, first, n) as number;
    const last = first + done - 1;
    this.#current.hasEnergy = plan.wholeGivesEnergy;
    this.#assertTogether(last);
    if (!plan.canConverge) return done;
    const waiting = this.#report(last);
    return isThenable(waiting) ? waiting.then(() => done) : done;
  }

  /** Tells hooks of the systems that have converged in a step, each once. */
  #report(step: number): void | PromiseLike<void> {
    const { state } = this.#current;
    if (state.control[Control.HALT] === 0) return;
    const { marks, converged } = this.#planned();
    const mask = new Int32Array(state.batch.size);
    for (const mark of marks) {
      const view = state.backend.view(mark);
      for (const [system, one] of view.entries()) if (one !== 0) mask[system] = 1;
      view.fill(0);
    }
    if (!mask.includes(1)) return;
    if (!state.active.includes(1)) this.#loop.done();
    const context: { convergedMask?: ArrayLike<number> } = this.#loop.context;
    const point = this.#loop.point(DynamicsStage.ON_CONVERGE);
    if (point.isEmpty) return;
    this.#loop.context.stepCount = step;
    context.convergedMask = mask;
    const tell = () => {
      this.#runProgram(converged);
      return point.fire(step);
    };
    const needsEnergy = this.#loop.hooks.reads(DynamicsStage.ON_CONVERGE).has("energy");
    const told = needsEnergy && !this.#current.hasEnergy ? this.#refresh().then(tell) : tell();
    const after = () => void delete context.convergedMask;
    return isThenable(told) ? told.then(after) : after();
  }

  /** The kernels of a hook, now. */
  #work(hook: WithKernels, stage: DynamicsStage): void {
    const { state } = this.#current;
    const program = state.prepare(hook.kernels({ state }, stage));
    this.#runProgram(program);
    state.forget([program]);
  }

  #runProgram(program: Program | undefined): void {
    if (program !== undefined) this.#backend.run(program, this.stepCount, 1);
  }

  /** Throws a DivergedError when a system has come apart. */
  #assertTogether(step: number): void {
    const { state } = this.#current;
    const lost = state.control[Control.DIVERGED]!;
    if (lost === 0) return;
    throw new DivergedError(this.name, step, [lost - 1], firstLost(state, lost - 1));
  }
}
