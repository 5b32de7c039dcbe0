/**
 * A batch under an engine: its state, and the pieces that run its steps.
 *
 * @module
 */

import type { Backend, Buffer } from "../../backend/backend.ts";
import type { Batch } from "../../batch/batch.ts";
import type { NumericArray } from "../../batch/fields/fields.ts";
import { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { after, isThenable } from "../../base/sequence.ts";
import { Control } from "../../kernels/kernel.ts";
import type { Constraint } from "../constraints/constraint.ts";
import type { OpenConstraints } from "../constraints/constraint_calls.ts";
import { constraintsOn, moveMaskOf } from "../constraints/file_constraints.ts";
import type { SavedDynamics, SavedRun } from "../engine/checkpoint.ts";
import { Clock } from "../engine/clock.ts";
import { countFreedom } from "../engine/measures.ts";
import { CELL_LOW, LBFGS_COUNTS, POSITIONS_LOW } from "../engine/state_names.ts";
import { checkedOpen } from "../integrators/integrator_checks.ts";
import { DynamicsStage } from "../stages.ts";
import { Admission } from "./admission.ts";
import { BatchPhase } from "./batch_phase.ts";
import { CurrentPlan } from "./current_plan.ts";
import { Divergence } from "../divergence/divergence.ts";
import { Evaluator } from "./evaluator.ts";
import { HookWork } from "./hook_work.ts";
import { HostReport } from "./host_report.ts";
import type { LateMultiStep, openLate } from "./late_multi_step.ts";
import { MultiStep } from "./multi_step.ts";
import { forceHooksOf, makePlan, modifiesStages } from "./make_plan.ts";
import { assertOrigins, mayHaveOrigins } from "./far_systems.ts";
import { assertWhole, dropStress } from "./run_checks.ts";
import type { RunEngine, RunParts } from "./run_engine.ts";
import { StageReport } from "./stage_report.ts";
import { pairsOf } from "./step_plan.ts";
import { clearTargets, lookAt } from "./step_results.ts";
import { StepRunner } from "./step_runner.ts";

/** Code that only some runs need: it is loaded before their batch is opened. */
export interface OptionalCode {
  /** Opens the constraints of the engine. */
  readonly openConstraints: OpenConstraints;
  /** Opens reports for a device that delivers results late; `undefined` for other devices. */
  readonly openLate?: typeof openLate;
}

/** The steps that a system can count: `stepsDone` and random numbers have 31 bits for them. */
const MOST_STEPS = 2 ** 31 - 1;

/** Fields that can change from outside without a change of forces and energies. */
const HARMLESS: ReadonlySet<string> = new Set(["velocities", "status", "stepsDone"]);

/** A batch in an engine: uploaded to its backend, with valid forces, and ready for steps. */
export class BatchRun {
  /** The batch on the backend. */
  readonly state: ResidentBatch;
  /** Runs single steps. */
  readonly steps: StepRunner;
  /** Runs multi-step calls. */
  readonly multiStep: MultiStep;
  /** Evaluates energies on demand. */
  readonly evaluator: Evaluator;
  /** Checks for diverged systems. */
  readonly divergence: Divergence;
  /** Admits systems. */
  readonly admission: Admission;
  /** Runs the kernels of hooks. */
  readonly work: HookWork;
  /** The constraints of the engine, and those of the systems. */
  readonly constraints: readonly Constraint[];
  readonly #run: RunParts;
  /** The field `move_mask`, as it was when the batch was opened. */
  readonly #moveMask: NumericArray | undefined;
  readonly #late: LateMultiStep | undefined;
  #clock: Clock;
  /** The step count up to which the steps of all systems can be counted. */
  #lastStep = MOST_STEPS;
  /** True if the batch keeps to its constraints. */
  #isSettled = false;
  /** True if a status may be from before: from a file, another engine, or a time before something was changed. */
  #hasOldStatus = true;
  /** Names of the hooks that modified the forces when a run last began. */
  #forceHooks = "";

  /** Throws a RangeError for invalid atoms or parameters; the message names system and atom. */
  constructor(batch: Batch, backend: Backend, engine: RunEngine, code: OptionalCode) {
    dropStress(batch, engine);
    this.state = new ResidentBatch(batch, backend, mayHaveOrigins(engine));
    try {
      const { run, clock, constraints } = openRun(this.state, engine, code);
      this.#run = run;
      this.#clock = clock;
      this.constraints = constraints;
      this.#moveMask = moveMaskOf(batch)?.slice();
    } catch (error) {
      this.state.free();
      throw error;
    }
    const run = this.#run;
    this.divergence = new Divergence(run);
    this.evaluator = new Evaluator(run, this.divergence);
    this.admission = new Admission(run, this.evaluator, this.divergence);
    this.work = new HookWork(run);
    const { divergence, admission, work } = this;
    const stages = new StageReport(run, admission);
    const late = run.isLate ? code.openLate!(run, divergence, stages) : undefined;
    const report = late?.report ?? new HostReport(run, this.evaluator, stages);
    this.#late = late?.multiStep;
    this.steps = new StepRunner(run, { divergence, admission, work, report });
    this.multiStep = new MultiStep(run, {
      runner: this.steps,
      divergence,
      report,
      late: this.#late,
    });
  }

  /** The stage in which each system did its last step; `undefined` unless stages are fused. */
  get stage(): Buffer<"i32"> | undefined {
    return this.#run.integrator.stages?.stage;
  }

  /** The time of each system. */
  get clock(): Clock {
    return this.#clock;
  }

  /**
   * Returns whether this is the run of a batch: of the same systems, under the same constraints, and with hooks that let
   * systems keep their origins.
   */
  isOf(batch: Batch): boolean {
    if (!this.state.matches(batch)) return false;
    if (this.state.origins.values !== undefined && !mayHaveOrigins(this.#run.engine)) return false;
    if (!this.#run.engine.hasFileConstraints) return true;
    const before = this.#moveMask, now = moveMaskOf(batch);
    return now?.length === before?.length && (now ?? []).every((one, i) => one === before![i]);
  }

  /** True if energies are those of the present positions. */
  get hasEnergy(): boolean {
    const { hasForces, forces } = this.#run.phase;
    return hasForces && forces.hasEnergy;
  }

  /** True if the run has turned out to be over. */
  get isOver(): boolean {
    return this.#run.phase.isOver;
  }

  /** Drops the plan of a step: hooks have changed. */
  forgetPlan(): void {
    this.#run.plan.forget();
  }

  /** Uploads what has changed on the host: the systems of which something has changed are updated again. */
  upload(): void | PromiseLike<void> {
    const { state, clock } = this;
    if (!clock.isOf(state.batch)) {
      this.#clock = new Clock(state.batch, this.#run.engine.integrator);
    }
    return after(state.upload(), (changed) => {
      for (const [name, systems] of changed) this.#changed(name, systems);
    });
  }

  #changed(name: string, systems: ReadonlySet<number>): void {
    const { state } = this, { phase, integrator, engine } = this.#run;
    if (name === "status") {
      integrator.stages?.restart(systems);
      if (modifiesStages(engine.loop)) phase.unprime();
    }
    if (name === "positions") state.resetState(POSITIONS_LOW, systems);
    if (name === "cell") state.resetState(CELL_LOW, systems);
    // A step that was changed from outside says nothing about the next.
    if (name === "positions" || name === "cell") state.resetState(LBFGS_COUNTS, systems);
    if (name === "stepsDone") return;
    if (name !== "status") this.#isSettled = false;
    if (!HARMLESS.has(name)) phase.unprime();
    this.#hasOldStatus = true;
    state.activate(systems);
  }

  /** Returns the part of the batch that a checkpoint stores. */
  async save(): Promise<Omit<SavedDynamics, "integrator" | "loop">> {
    return { batch: this.state.batch.save(), ...await this.snapshot() };
  }

  /** Returns the state from which a run can go on elsewhere, while the batch on the host stays as it is. */
  async snapshot(): Promise<SavedRun> {
    const { phase } = this.#run;
    return {
      resident: await this.state.save(),
      isPrimed: phase.hasForces,
      forceHooks: this.#forceHooks,
      hasEnergy: phase.forces.hasEnergy,
    };
  }

  /** Goes on from a snapshot. Throws a RangeError for another precision. */
  load({ resident, isPrimed, hasEnergy, forceHooks }: SavedRun): void {
    const { plan, phase, constrained } = this.#run;
    void plan.now; // asks for all that is kept
    this.state.load(resident);
    if (isPrimed) phase.prime();
    else phase.unprime();
    this.#isSettled = isPrimed;
    this.#hasOldStatus = false;
    if (!constrained.isEmpty) plan.forget(); // held atoms are known only now
    phase.forces.hasEnergy = hasEnergy;
    this.#forceHooks = forceHooks;
  }

  /** Evaluates forces before the first step, and after changes from outside. */
  async begin(): Promise<void> {
    const { state, state: { backend, frame } } = this;
    const { plan, phase, integrator, engine: { loop, running } } = this.#run;
    phase.resume();
    this.#late?.begin();
    await plan.ready();
    countFreedom(state); // the center of mass may have been brought to rest since the last run
    backend.write(frame.control, new Int32Array(Control.LENGTH));
    if (!this.#isSettled) plan.run(plan.now.settle);
    this.#isSettled = true;
    if (this.#hasOldStatus) await clearTargets(state, plan.now.targets);
    this.#hasOldStatus &&= plan.now.targets.length === 0;
    const forceHooks = forceHooksOf(loop);
    const isNew = phase.now.name !== "primed" || forceHooks !== this.#forceHooks;
    this.#forceHooks = forceHooks;
    if (isNew) await this.#prime();
    await integrator.stages?.rest();
    const looking = lookAt(state);
    const { control, isMoving, oldest } = isThenable(looking) ? await looking : looking;
    this.#lastStep = Math.min(MOST_STEPS - oldest + loop.stepCount, MOST_STEPS);
    // Hooks before the first step look at the first forces: they may explain the problem better.
    const isLeft = !this.#run.isLate && !loop.point(DynamicsStage.BEFORE_STEP).isEmpty;
    if (!isLeft) await this.divergence.assertNone(control, loop.stepCount - 1);
    if (isNew) phase.prime();
    if (!isMoving && running.stream === undefined) loop.done();
  }

  /** Evaluates the first forces of a run, and lets hooks modify them. */
  async #prime(): Promise<void> {
    const { plan, engine: { loop } } = this.#run;
    await this.evaluator.evaluate(loop.stepCount);
    await loop.point(DynamicsStage.AFTER_COMPUTE).modify(loop.stepCount);
    await plan.ready();
    plan.run(plan.now.begin);
  }

  /** Returns how many of `n` steps can be counted. Throws a RangeError if it is 0. */
  countable(n: number): number {
    const { name, loop: { stepCount } } = this.#run.engine;
    const left = this.#lastStep - stepCount;
    if (left >= n) return n;
    if (left > 0) return left;
    throw new RangeError(
      `Cannot go on with ${name}: it has done ${MOST_STEPS} steps, the most that an engine or a system can count. ` +
        "To continue, set stepsDone to 0 and use a new engine with another seed",
    );
  }

  /** Ends a run: brings all that hooks read after the last step up to date. */
  async end(): Promise<void> {
    const { plan, isLate, state, engine: { loop } } = this.#run;
    await plan.ready();
    await this.evaluator.refresh();
    await plan.ready();
    plan.run(plan.now.end);
    if (!isLate) return; // it is checked already
    const [control] = await state.backend.viewOrRead([state.frame.control]);
    await this.divergence.assertNone(control as Int32Array, loop.stepCount - 1);
  }

  /** Recomputes forces and energies for the current positions after an interrupted step. */
  async mend(): Promise<void> {
    const { plan, phase, engine: { loop } } = this.#run;
    if (!phase.hasForces) return;
    await plan.ready();
    if (phase.now.name !== "moved") return await this.evaluator.refresh();
    phase.unprime(); // without the work of modifiers, with which the next run begins
    await this.evaluator.evaluate(loop.stepCount);
  }

  /**
   * Takes over the systems of an earlier batch: `from` has the slot that each had there, `undefined` for new systems,
   * which have no forces yet.
   */
  async takeOver(before: BatchRun, from: readonly (number | undefined)[]): Promise<void> {
    const { plan, phase, constrained, isLate } = this.#run;
    await plan.ready();
    void plan.now; // asks for all that is kept
    await this.state.carryOver(before.state, from);
    this.#clock.carry(before.#clock.save(), from);
    if (!constrained.isEmpty) plan.forget(); // held atoms are known only now
    phase.copy(before.#run.phase);
    this.#forceHooks = before.#forceHooks;
    this.#isSettled = before.#isSettled;
    this.#hasOldStatus = before.#hasOldStatus;
    // A device would find these pairs in the next step, for the systems active in it: now all systems are.
    if (isLate) plan.runOnce(pairsOf(this.state));
  }

  /** Starts the systems that replaced others of the same size. */
  restart(slots: readonly number[]): void {
    dropStress(this.state.batch, this.#run.engine, slots);
    this.state.restart(slots);
    this.#clock.admit(this.state.batch, slots);
  }

  /** Frees all memory. Returns a promise if a model takes time. */
  free(): void | PromiseLike<void> {
    this.forgetPlan();
    this.state.free();
    return this.#run.model.close?.();
  }
}

/** Opens integrator, clock and model on a batch. */
function openRun(
  state: ResidentBatch,
  engine: RunEngine,
  { openConstraints }: OptionalCode,
): { readonly run: RunParts; readonly clock: Clock; readonly constraints: readonly Constraint[] } {
  const constraints = constraintsOn(state.batch, engine);
  const constrained = openConstraints(state, engine.integrator, constraints);
  const integrator = constrained.weave(
    checkedOpen(engine.name, engine.integrator.open(state)),
  );
  // After the integrator, which adds the field that the clock reads. Before the model, which may hold much.
  const clock = new Clock(state.batch, engine.integrator);
  const model = engine.model.open(
    state,
    (message) => engine.loop.warnings.warn("model", "run", new Error(message)),
  );
  try {
    if (model.compute !== undefined) assertWhole(engine, state.backend);
    const isLate = !state.backend.isHost;
    const opened = { engine, state, integrator, constrained, model, isLate };
    const plan = new CurrentPlan(state, engine.loop, () => {
      assertOrigins(state, engine);
      return makePlan(opened);
    });
    return { run: { ...opened, phase: new BatchPhase(), plan }, clock, constraints };
  } catch (error) {
    Promise.resolve(model.close?.()).catch(() => {}); // the first error says why
    throw error;
  }
}
