/**
 * A batch under an engine: what is known of it from step to step, and how steps are done.
 *
 * @module
 */

import type { Backend, Program } from "../backend/backend.ts";
import type { Batch } from "../batch/batch.ts";
import { ResidentBatch } from "../batch/resident.ts";
import type { Loop } from "../hooks/loop.ts";
import { isThenable } from "../hooks/thenable.ts";
import { Control } from "../kernels/kernel.ts";
import type { Model, OpenModel } from "../models/model.ts";
import type { SavedDynamics } from "./checkpoint.ts";
import { Clock } from "./clock.ts";
import { DivergedError } from "./diverged_error.ts";
import { firstLost } from "./dynamics_checks.ts";
import type { DynamicsKind } from "./dynamics_options.ts";
import type { Integrator, OpenIntegrator } from "./integrator.ts";
import { CHANGE } from "./measures.ts";
import { LOW } from "./parts.ts";
import { planStep, type StepPlan, type Stop, type WithKernels } from "./step_plan.ts";
import { DynamicsStage } from "./stages.ts";

/** The engine of a run. */
export interface RunEngine {
  /** What errors call it. */
  readonly name: string;
  /** What moves the atoms. */
  readonly integrator: Integrator;
  /** What the forces come from. */
  readonly model: Model;
  /** Counts steps and calls hooks. */
  readonly loop: Loop<DynamicsKind>;
}

/** Fields whose change from outside leaves forces and energies as they are. */
const HARMLESS: ReadonlySet<string> = new Set(["velocities", "status", "stepsDone"]);

/** Throws a TypeError where a hook looks at what the model does not give. */
function assertGiven(
  name: string,
  { name: model, gives }: Model,
  reads: ReadonlySet<string>,
): void {
  for (const [field, output] of [["energy", "energy"], [CHANGE, "energy"], ["stress", "stress"]]) {
    if (!reads.has(field!) || (gives as readonly string[]).includes(output!)) continue;
    throw new TypeError(
      `Cannot run ${name} as its model must give ${output}, which a hook reads: ${model} gives ${
        gives.join(", ")
      }`,
    );
  }
}

/** Goes on at once, or when what is under way is done. */
function after(
  waiting: void | PromiseLike<void>,
  next: () => void | PromiseLike<void>,
): void | PromiseLike<void> {
  return isThenable(waiting) ? waiting.then(next) : next();
}

/** Fields that models give, and hooks may change. */
const AMENDED: ReadonlySet<string> = new Set(["forces", "energy", "stress"]);

/** One batch under one engine. */
export class BatchRun {
  /** The batch on the backend. */
  readonly state: ResidentBatch;
  readonly #engine: RunEngine;
  readonly #integrator: OpenIntegrator;
  readonly #model: OpenModel;
  #clock: Clock;
  #plan: StepPlan | undefined;
  /** Whether the forces are those of the positions. */
  #isPrimed = false;
  /** Whether the energies (and stresses) are, too. */
  #hasEnergy = false;
  /** The step whose forces these are: what hooks do to them at every so many steps depends on it. */
  #forcesOf: number | undefined;
  /** Whether the atoms have moved in the step under way, and the forces are still those of the step before. */
  #isMoved = false;
  /** An evaluation that takes its time: nothing else may be done meanwhile. */
  #underWay: PromiseLike<void> | undefined;
  /** The hooks that had a hand in the forces when a run last began. */
  #amenders = "";
  /** Whether a hook has changed something since measures were taken. */
  #isTouched = false;

  /** Throws a RangeError for atoms or parameters that cannot be run, naming system and atom. */
  constructor(batch: Batch, backend: Backend, engine: RunEngine) {
    this.#engine = engine;
    this.#clock = new Clock(batch, engine.integrator.dt);
    this.state = new ResidentBatch(batch, backend);
    try {
      this.#integrator = engine.integrator.open(this.state);
      this.#model = engine.model.open(this.state);
    } catch (error) {
      this.state.free();
      throw error;
    }
  }

  /** How far in time it has come. */
  get clock(): Clock {
    return this.#clock;
  }

  /** Brings over what has changed on the host: the systems of which something has move again. */
  upload(): void {
    const { state, clock } = this;
    if (!clock.isOf(state)) this.#clock = new Clock(state.batch, this.#engine.integrator.dt);
    for (const [name, systems] of this.state.upload()) {
      if (name === "positions") this.state.clearState(LOW);
      if (name === "stepsDone") continue;
      if (!HARMLESS.has(name)) this.#isPrimed = false;
      const { active } = this.state;
      for (const system of systems) active[system] = 1;
    }
  }

  /** What a checkpoint keeps of it. */
  async save(): Promise<Omit<SavedDynamics, "integrator" | "loop">> {
    return {
      batch: this.state.batch.save(),
      resident: await this.state.save(),
      isPrimed: this.#isPrimed,
      amenders: this.#amenders,
      hasEnergy: this.#hasEnergy,
    };
  }

  /** Goes on from there. Throws a RangeError for another precision. */
  load({ resident, isPrimed, hasEnergy, amenders }: SavedDynamics): void {
    this.#planned(); // asks for all that is kept
    this.state.load(resident);
    this.#isPrimed = isPrimed;
    this.#hasEnergy = hasEnergy;
    this.#amenders = amenders;
  }

  /** A hook was given a field to write. */
  touch(field: string): void {
    this.state.touch(field);
    this.#isTouched = true;
  }

  /** Takes a measure again, if a hook has changed something at this stage. */
  measure(field: string): void {
    if (this.#isTouched) this.#run(this.#planned().measures.get(field));
  }

  /** Something that the plan of a step depends on has changed. */
  forgetPlan(): void {
    if (this.#plan === undefined) return;
    this.state.forget(this.#plan.programs);
    this.#plan = undefined;
  }

  /** Gives all memory back. */
  free(): void {
    this.forgetPlan();
    this.state.free();
  }

  #planned(): StepPlan {
    const { name, integrator, model, loop: { hooks } } = this.#engine;
    if (this.#plan === undefined) assertGiven(name, model, hooks.reads());
    return this.#plan ??= planStep({
      state: this.state,
      integrator: this.#integrator,
      model: this.#model,
      keepsMomentum: integrator.keepsMomentum === true,
      wantsStress: this.state.batch.has("stress") && model.gives.includes("stress"),
      work: (stage) => hooks.work(stage),
      devices: () => hooks.devices() as unknown as WithKernels[],
      reads: (stage) => hooks.reads(stage),
      writes: () => hooks.writes(),
    });
  }

  /** Forces before the first step, and after changes from outside. */
  async begin(): Promise<void> {
    this.state.control.fill(0);
    const amenders = this.#loop.hooks.list()
      .filter(({ enabled, writes }) => enabled && writes.some((field) => AMENDED.has(field)))
      .map(({ name }) => name).join();
    if (!this.#isPrimed || amenders !== this.#amenders) {
      this.#amenders = amenders;
      await this.#evaluate(this.#step);
      await this.#loop.point(DynamicsStage.AFTER_COMPUTE).modify(this.#step);
      this.#run(this.#planned().begin);
      this.#isPrimed = true;
    }
    if (!this.state.active.includes(1)) this.#loop.done();
  }

  /** Pairs, forces and energies as of now, out of turn; hooks do to them what they do in a step. */
  #evaluate(step: number): void | PromiseLike<void> {
    this.#run(this.#planned().forces);
    this.#assertTogether(this.#step - 1);
    return after(this.#model.compute?.({ energy: true, stress: true }), () => {
      this.#run(this.#planned().amend, step);
      this.#hasEnergy = true;
      this.#forcesOf = step;
    });
  }

  /** After the last step: what hooks look at then is as of now. */
  async end(): Promise<void> {
    await this.refresh();
    this.#run(this.#planned().end);
  }

  /** After a step that was broken off: forces and energies become those of where the atoms are by now. */
  async mend(): Promise<void> {
    if (!this.#isPrimed) return;
    if (!this.#isMoved) return await this.refresh();
    this.#isMoved = false;
    this.#isPrimed = false; // without what hooks do to them on a visit, which the next run begins with
    await this.#evaluate(this.#step);
  }

  /** Energies where steps were done without: the forces come out as they are. It is done at once if the model is. */
  refresh(): void | PromiseLike<void> {
    if (this.#underWay !== undefined) return this.#underWay.then(() => this.refresh());
    if (this.#hasEnergy || !this.#isPrimed) return;
    return this.#hold(this.#evaluateEnergies(this.#forcesOf ?? this.#step - 1));
  }

  /** Lets all that follows wait for an evaluation: whoever asked for it may not. */
  #hold(waiting: void | PromiseLike<void>): void | PromiseLike<void> {
    if (!isThenable(waiting)) return;
    const over = () => void (this.#underWay = undefined);
    return this.#underWay = waiting.then(over, (error) => {
      over();
      throw error;
    });
  }

  /** The forces stay as they are, to the bit: wrapping may have moved atoms since by whole lattice vectors. */
  #evaluateEnergies(step: number): void | PromiseLike<void> {
    const { backend } = this.state;
    const forces = this.state.field("forces");
    const before = backend.view(forces).slice();
    return after(this.#evaluate(step), () => backend.write(forces, before));
  }

  /** Energies of systems that come to rest in a step done without: later what hooks do to forces may be another. */
  #evaluateResting(mask: Int32Array, step: number): void | PromiseLike<void> {
    const before = this.state.active.slice();
    this.state.active.set(mask);
    const restore = () => {
      this.state.active.set(before); // the memory may have grown meanwhile, so it is asked for again
      this.#hasEnergy = false; // of all others
    };
    const fail = (error: unknown) => {
      restore();
      throw error;
    };
    try {
      const waiting = this.#evaluateEnergies(step);
      if (isThenable(waiting)) return this.#hold(waiting.then(restore, fail));
    } catch (error) {
      fail(error);
    }
    restore();
  }

  /** One step, from one of its parts on. Answers with something to await only if a hook or the model did. */
  step(first: number = 0): void | PromiseLike<void> {
    for (let i = first;; i++) {
      const part = this.#planned().parts[i]; // a hook may have changed the plan meanwhile
      if (part === undefined) return this.#endStep();
      if (part.stop === DynamicsStage.AFTER_PRE_UPDATE) this.#isMoved = true;
      else if (part.stop === DynamicsStage.BEFORE_POST_UPDATE) this.#isMoved = false;
      this.#run(part.program);
      this.#isTouched = false;
      const waiting = this.#visit(part.stop) ?? this.#underWay;
      if (isThenable(waiting)) return waiting.then(() => this.step(i + 1));
    }
  }

  #visit(stop: Stop): void | PromiseLike<void> {
    if (stop === "model") return this.#visitModel();
    if (stop === "criteria") return this.#askCustoms();
    return this.#loop.point(stop).fire(this.#step);
  }

  #visitModel(): void | PromiseLike<void> {
    this.#assertTogether(this.#step);
    this.#hasEnergy = this.#planned().givesEnergy;
    this.#forcesOf = this.#step;
    return this.#hold(this.#model.compute?.({ energy: true, stress: true }));
  }

  #askCustoms(): void {
    const { state, state: { batch } } = this;
    for (const { key, op, buffer, met, every, phase } of this.#planned().customs) {
      if (this.#step % every !== phase) continue;
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
    const { decide } = this.#planned();
    if (decide === undefined) return;
    this.#run(decide);
    return this.#report(this.#step);
  }

  /** Many steps in one call, as no hook is due. */
  leap(n: number): number | PromiseLike<number> {
    if (this.#underWay !== undefined) return this.#underWay.then(() => this.leap(n));
    const plan = this.#planned();
    const first = this.#step;
    if (plan.whole === undefined) {
      this.#loop.context.stepCount = first;
      const waiting = this.step();
      return isThenable(waiting) ? waiting.then(() => 1) : 1;
    }
    const done = this.state.backend.run(plan.whole, first, n) as number;
    const last = first + done - 1;
    this.#hasEnergy = plan.wholeGivesEnergy;
    this.#forcesOf = last;
    this.#assertTogether(last);
    if (!plan.canConverge) return done;
    const waiting = this.#report(last);
    return isThenable(waiting) ? waiting.then(() => done) : done;
  }

  /** Tells hooks of the systems that have converged in a step, each once. */
  #report(step: number): void | PromiseLike<void> {
    const { state } = this;
    if (state.control[Control.HALT] === 0) return;
    const { marks } = this.#planned();
    const mask = new Int32Array(state.batch.size);
    for (const mark of marks) {
      const view = state.backend.view(mark);
      for (const [system, one] of view.entries()) if (one !== 0) mask[system] = 1;
      view.fill(0);
    }
    if (!mask.includes(1)) return;
    if (this.#hasEnergy) return this.#tell(step, mask);
    return after(this.#evaluateResting(mask, step), () => this.#tell(step, mask));
  }

  #tell(step: number, mask: Int32Array): void | PromiseLike<void> {
    const { state } = this;
    const { converged } = this.#planned();
    if (!state.active.includes(1)) this.#loop.done();
    const context: { convergedMask?: ArrayLike<number> } = this.#loop.context;
    const point = this.#loop.point(DynamicsStage.ON_CONVERGE);
    if (point.isEmpty) return;
    this.#loop.context.stepCount = step;
    context.convergedMask = mask;
    const tell = () => {
      this.#run(converged);
      return point.fire(step);
    };
    const needsEnergy = this.#loop.hooks.reads(DynamicsStage.ON_CONVERGE).has("energy");
    const told = after(needsEnergy ? this.refresh() : undefined, tell);
    return after(told, () => void delete context.convergedMask);
  }

  /** The work of a hook, now. */
  work(hook: WithKernels, stage: DynamicsStage): void | PromiseLike<void> {
    const { state } = this;
    const program = state.prepare(hook.kernels({ state }, stage));
    this.#run(program);
    state.forget([program]);
    this.#isTouched = true;
    return hook.compute?.({ state }, stage);
  }

  #run(program: Program | undefined, step: number = this.#step): void {
    if (program !== undefined) this.state.backend.run(program, step, 1);
  }

  /** Throws a DivergedError when a system has come apart. */
  #assertTogether(step: number): void {
    const { state } = this;
    const lost = state.control[Control.DIVERGED]!;
    if (lost === 0) return;
    throw new DivergedError(this.#engine.name, step, [lost - 1], firstLost(state, lost - 1));
  }

  get #loop(): Loop<DynamicsKind> {
    return this.#engine.loop;
  }

  /** Steps done so far. */
  get #step(): number {
    return this.#engine.loop.stepCount;
  }
}
