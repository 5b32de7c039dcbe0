/**
 * A batch under an engine: its state, and the objects that run its steps.
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

/** Code that only some runs need. It is loaded before their batch is opened. */
export interface OptionalCode {
  /** Applies the constraints of the engine to a batch. */
  readonly openConstraints: OpenConstraints;
  /** Creates the reports for a device that delivers results late; `undefined` for other devices. */
  readonly openLate?: typeof openLate;
}

/** Largest number of steps of a system. `stepsDone` and random numbers have 31 bits for it. */
const MOST_STEPS = 2 ** 31 - 1;

/** Fields that the caller can change without making forces and energies invalid. */
const HARMLESS: ReadonlySet<string> = new Set(["velocities", "status", "stepsDone"]);

/** A batch that an engine runs. It is uploaded to the backend; `begin` computes its forces. */
export class BatchRun {
  /** The batch on the backend. */
  readonly state: ResidentBatch;
  /** Runs single steps. */
  readonly steps: StepRunner;
  /** Runs multi-step calls. */
  readonly multiStep: MultiStep;
  /** Computes energies on demand. */
  readonly evaluator: Evaluator;
  /** Checks for diverged systems. */
  readonly divergence: Divergence;
  /** Admits systems during a run. */
  readonly admission: Admission;
  /** Runs the kernels of hooks. */
  readonly work: HookWork;
  /** Constraints of the engine's options and of the systems. */
  readonly constraints: readonly Constraint[];
  readonly #run: RunParts;
  /** Copy of the field `move_mask` from when the batch was opened; `undefined` if it did not exist. */
  readonly #moveMask: NumericArray | undefined;
  readonly #late: LateMultiStep | undefined;
  #clock: Clock;
  /** Largest step count of the engine at which no system exceeds `MOST_STEPS`. */
  #lastStep = MOST_STEPS;
  /** True if the batch satisfies its constraints. */
  #isSettled = false;
  /** True if the status may be out of date: set by a file or another engine, or before a change of the batch. */
  #hasOldStatus = true;
  /** Names of the hooks that modified the forces at the last beginning of a run. */
  #forceHooks = "";

  /** Uploads a batch. Throws a RangeError if an atom or a parameter is invalid; the message names system and atom. */
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
    const { divergence, admission, evaluator, work } = this;
    const stages = new StageReport(run, admission);
    const late = run.isLate ? code.openLate!(run, divergence, stages) : undefined;
    const report = late?.report ?? new HostReport(run, this.evaluator, stages);
    this.#late = late?.multiStep;
    this.steps = new StepRunner(run, { divergence, admission, evaluator, work, report });
    this.multiStep = new MultiStep(run, {
      runner: this.steps,
      divergence,
      report,
      late: this.#late,
    });
  }

  /** Index of the stage in which each system did its last step; `undefined` if the run is not fused. */
  get stage(): Buffer<"i32"> | undefined {
    return this.#run.integrator.stages?.stage;
  }

  /** Clock with the times of the systems. */
  get clock(): Clock {
    return this.#clock;
  }

  /**
   * Returns whether this object can run `batch`: it has the same systems and constraints as before, and hooks still
   * allow the origins of the systems.
   */
  isOf(batch: Batch): boolean {
    if (!this.state.matches(batch)) return false;
    if (this.state.origins.values !== undefined && !mayHaveOrigins(this.#run.engine)) return false;
    if (!this.#run.engine.hasFileConstraints) return true;
    const before = this.#moveMask, now = moveMaskOf(batch);
    return now?.length === before?.length && (now ?? []).every((one, i) => one === before![i]);
  }

  /** True if the energies belong to the current positions. */
  get hasEnergy(): boolean {
    const { hasForces, forces } = this.#run.phase;
    return hasForces && forces.hasEnergy;
  }

  /** True if the run has ended in an earlier step, which a device has reported late. */
  get isOver(): boolean {
    return this.#run.phase.isOver;
  }

  /** Discards the plan of a step, because hooks have changed. */
  forgetPlan(): void {
    this.#run.plan.forget();
  }

  /** Uploads the values that have changed on the host, and activates the systems with changes. */
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
    // The last step of L-BFGS says nothing about the next one after a change from outside.
    if (name === "positions" || name === "cell") state.resetState(LBFGS_COUNTS, systems);
    if (name === "stepsDone") return;
    if (name !== "status") this.#isSettled = false;
    if (!HARMLESS.has(name)) phase.unprime();
    this.#hasOldStatus = true;
    state.activate(systems);
  }

  /** Returns the data of the batch for a checkpoint. */
  async save(): Promise<Omit<SavedDynamics, "integrator" | "loop">> {
    return { batch: this.state.batch.save(), ...await this.snapshot() };
  }

  /** Returns the state from which a run can continue on another backend. The batch on the host does not change. */
  async snapshot(): Promise<SavedRun> {
    const { phase } = this.#run;
    return {
      resident: await this.state.save(),
      isPrimed: phase.hasForces,
      forceHooks: this.#forceHooks,
      hasEnergy: phase.forces.hasEnergy,
    };
  }

  /** Restores a snapshot. Throws a RangeError if the backend has another precision. */
  load({ resident, isPrimed, hasEnergy, forceHooks }: SavedRun): void {
    const { plan, phase, constrained } = this.#run;
    void plan.now; // requests all states, so that `load` restores them
    this.state.load(resident);
    if (isPrimed) phase.prime();
    else phase.unprime();
    this.#isSettled = isPrimed;
    this.#hasOldStatus = false;
    if (!constrained.isEmpty) plan.forget(); // the snapshot may hold other atoms
    phase.forces.hasEnergy = hasEnergy;
    this.#forceHooks = forceHooks;
  }

  /** Computes forces before the first step, and after changes from outside. */
  async begin(): Promise<void> {
    const { state, state: { backend, frame } } = this;
    const { plan, phase, integrator, engine: { loop, running } } = this.#run;
    phase.resume();
    this.#late?.begin();
    await plan.ready();
    countFreedom(state); // the caller may have stopped the center of mass since the last run
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
    // Hooks at BEFORE_STEP run first if there are any, because they may explain invalid forces better.
    const isLeft = !this.#run.isLate && !loop.point(DynamicsStage.BEFORE_STEP).isEmpty;
    if (!isLeft) await this.divergence.assertNone(control, loop.stepCount - 1);
    if (isNew) phase.prime();
    if (!isMoving && running.stream === undefined) loop.done();
  }

  /** Computes the first forces of a run, and lets hooks modify them. */
  async #prime(): Promise<void> {
    const { plan, engine: { loop } } = this.#run;
    await this.evaluator.evaluate(loop.stepCount);
    await loop.point(DynamicsStage.AFTER_COMPUTE).modify(loop.stepCount);
    await plan.ready();
    plan.run(plan.now.begin);
  }

  /** Returns the number of steps, at most `n`, that step counters can still hold. Throws a RangeError if it is 0. */
  countable(n: number): number {
    const { name, loop: { stepCount } } = this.#run.engine;
    const left = this.#lastStep - stepCount;
    if (left >= n) return n;
    if (left > 0) return left;
    throw new RangeError(
      `Cannot continue ${name}: it has done ${MOST_STEPS} steps, the largest number that an engine or a system can count. ` +
        "To continue, set stepsDone to 0 and use a new engine with another seed",
    );
  }

  /** Ends a run: updates all values that hooks read after the last step. */
  async end(): Promise<void> {
    const { plan, isLate, state, engine: { loop } } = this.#run;
    await plan.ready();
    await this.evaluator.refresh();
    await plan.ready();
    plan.run(plan.now.end);
    if (!isLate) return; // the host has checked each step
    const [control] = await state.backend.viewOrRead([state.frame.control]);
    await this.divergence.assertNone(control as Int32Array, loop.stepCount - 1);
  }

  /** Recomputes forces and energies for the current positions after an interrupted step. */
  async mend(): Promise<void> {
    const { plan, phase, engine: { loop } } = this.#run;
    if (!phase.hasForces) return;
    await plan.ready();
    if (phase.now.name !== "moved") return await this.evaluator.refresh();
    phase.unprime(); // the next run evaluates again, with the hooks that modify forces
    await this.evaluator.evaluate(loop.stepCount);
  }

  /**
   * Copies the state of the batch that this one replaces. `from` has the previous slot of each system, or `undefined`
   * for a new system, which has no forces yet.
   */
  async takeOver(before: BatchRun, from: readonly (number | undefined)[]): Promise<void> {
    const { plan, phase, constrained, isLate } = this.#run;
    await plan.ready();
    void plan.now; // requests all states, so that `carryOver` copies them
    await this.state.carryOver(before.state, from);
    this.#clock.carry(before.#clock.save(), from);
    if (!constrained.isEmpty) plan.forget(); // other atoms may be held
    phase.copy(before.#run.phase);
    this.#forceHooks = before.#forceHooks;
    this.#isSettled = before.#isSettled;
    this.#hasOldStatus = before.#hasOldStatus;
    // The next step would find pairs only for the systems that are active in it. Now all systems are active.
    if (isLate) plan.runOnce(pairsOf(this.state));
  }

  /** Initializes systems that have replaced others of the same size. */
  restart(slots: readonly number[]): void {
    dropStress(this.state.batch, this.#run.engine, slots);
    this.state.restart(slots);
    this.#clock.admit(this.state.batch, slots);
  }

  /** Frees all memory. Returns a promise if the model frees its resources asynchronously. */
  free(): void | PromiseLike<void> {
    this.forgetPlan();
    this.state.free();
    return this.#run.model.close?.();
  }
}

/** Opens the constraints, the integrator, the clock and the model for a batch. */
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
  // After the integrator, which adds the field that the clock reads. Before the model, which may allocate much.
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
    Promise.resolve(model.close?.()).catch(() => {}); // the first error names the cause
    throw error;
  }
}
