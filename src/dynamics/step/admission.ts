/**
 * Admission of systems to a batch while it runs.
 *
 * @module
 */

import { DynamicsStage } from "../stages.ts";
import { STAGE_EVENT, type StageChanges, type StageEvent } from "../stages/stage_changes.ts";
import type { Divergence } from "../divergence/divergence.ts";
import type { Evaluator } from "./evaluator.ts";
import type { RunParts } from "./run_engine.ts";
import type { Stop } from "./step_parts.ts";

/** Admits systems to a batch: applies constraints to them, computes their forces, and reports them to hooks. */
export class Admission {
  readonly #run: RunParts;
  readonly #evaluator: Evaluator;
  readonly #divergence: Divergence;
  /**
   * Slots of systems whose first forces are computed in the current or the next step. They do not move in that step.
   */
  #entering: readonly number[] = [];

  constructor(run: RunParts, evaluator: Evaluator, divergence: Divergence) {
    this.#run = run;
    this.#evaluator = evaluator;
    this.#divergence = divergence;
  }

  /**
   * True if the first forces of new systems are computed within a step of the others. This is best if the model takes
   * about as long for some systems as for all.
   */
  get isInStep(): boolean {
    return this.#run.model.compute !== undefined;
  }

  /** Applies the constraints to the systems with 1 in `mask`, as at the beginning of a run. */
  async settle(mask: Int32Array): Promise<void> {
    const { plan, constrained, state: { backend, frame } } = this.#run;
    if (constrained.isEmpty) return;
    await plan.ready();
    const [active] = await backend.viewOrRead([frame.active]);
    const before = active.slice();
    backend.write(frame.active, mask);
    plan.run(plan.now.settle);
    backend.write(frame.active, before);
  }

  /**
   * Computes pairs, forces and energies of the systems with 1 in `mask`, as at the beginning of a run. All other
   * systems keep theirs.
   */
  prime(mask: Int32Array, step: number): Promise<void> {
    return this.#evaluateSome(mask, step, () => this.#evaluator.evaluate(step));
  }

  /**
   * Applies the hooks of a stage to systems that have just entered it. Stage hooks modify the forces of the systems
   * in their stage. When a system changes stage, the new stage's hooks are applied to the forces of the model before
   * it moves. A model that keeps its last results in its own buffers is not evaluated again for this.
   */
  async applyStageHooks({ stage, status }: StageChanges, step: number): Promise<void> {
    const { plan, model, state: { backend, frame } } = this.#run;
    await plan.ready();
    const [active] = await backend.viewOrRead([frame.active]);
    const mask = stage.map((was, s) => was !== status[s] && active[s] !== 0 ? 1 : 0);
    if (!mask.includes(1)) return;
    await this.#evaluateSome(mask, step, async () => {
      const { forces, isAdded, modify } = plan.now;
      plan.run(forces);
      if (!isAdded) await model.compute?.({ energy: true, stress: true });
      plan.run(modify, step);
    });
  }

  /**
   * Evaluates the model for the systems with 1 in `mask`, and lets hooks modify the results. All other systems keep
   * theirs.
   */
  async #evaluateSome(
    mask: Int32Array,
    step: number,
    evaluate: () => void | PromiseLike<void>,
  ): Promise<void> {
    const { plan, phase, engine: { loop, running }, state: { backend, frame } } = this.#run;
    await plan.ready();
    const [active] = await backend.viewOrRead([frame.active]);
    const before = active.slice();
    const restoreOthers = await this.#keepOthers(mask);
    const forces = { ...phase.forces };
    backend.write(frame.active, mask);
    try {
      await evaluate();
      await loop.point(DynamicsStage.AFTER_COMPUTE).modify(step);
      await plan.ready();
      plan.run(plan.now.begin);
      restoreOthers();
      const [control] = await backend.viewOrRead([frame.control]);
      await this.#divergence.assertNone(control, step - 1);
    } finally {
      const { stream } = running;
      backend.write(
        frame.active,
        before.map((one, s) => stream?.hasDiverged(s) === true ? 0 : one),
      );
    }
    Object.assign(phase.forces, forces); // the state of the other systems, whose forces have not changed
  }

  /** Copies the fields that hooks may write. Returns a function that restores them for the systems with 0 in `mask`. */
  async #keepOthers(mask: Int32Array): Promise<() => void> {
    const { state, engine: { loop } } = this.#run;
    const names = [...loop.hooks.writes()].filter((name) => state.fields.has(name));
    const seen = await state.backend.viewOrRead(names.map((name) => state.field(name)));
    const before = seen.map((values) => values.slice());
    return () => names.forEach((name, i) => state.revert(name, before[i]!, mask));
  }

  /**
   * Admits the systems in some slots. Their first forces are computed in the next step, and they move from the step
   * after it.
   */
  enter(slots: readonly number[]): void {
    this.#entering = slots;
    this.setActive(slots, 0);
  }

  /** True if the first forces of systems are computed in the current step. */
  get isEntering(): boolean {
    return this.#entering.length > 0;
  }

  /**
   * Activates entering systems before the model is evaluated, and deactivates them after AFTER_POST_UPDATE. `stop` is
   * the point that the step has reached.
   */
  visit(stop: Stop): void {
    if (stop === "model") this.setActive(this.#entering, 1);
    else if (stop === DynamicsStage.AFTER_POST_UPDATE) this.setActive(this.#entering, 0);
  }

  /** Activates entering systems from the next step on. */
  endStep(): void {
    this.setActive(this.#entering, 1);
    this.#entering = [];
  }

  /** Marks the systems in some slots as active (1) or inactive (0). */
  setActive(slots: readonly number[], value: 0 | 1): void {
    const { state } = this.#run;
    state.writeRows(state.frame.active, slots, new Int32Array(state.batch.size).fill(value));
  }

  /** Stops updating the systems in some slots. Before that, their energies are computed for the last step. */
  async finish(slots: readonly number[]): Promise<void> {
    const { plan } = this.#run;
    await plan.ready();
    await this.#evaluator.refresh();
    await plan.ready();
    this.setActive(slots, 0);
  }

  /** Reports the systems with 1 in `mask` to hooks at ON_ADMIT. */
  async report(mask: Int32Array, step: number): Promise<void> {
    const { plan, isLate, engine: { loop, loop: { context } } } = this.#run;
    const point = loop.point(DynamicsStage.ON_ADMIT);
    if (point.isEmpty) return;
    if (loop.hooks.reads(DynamicsStage.ON_ADMIT).has("energy")) await this.#evaluator.refresh();
    await plan.ready();
    plan.run(plan.now.admitted);
    context.stepCount = step;
    const event = { admittedMask: mask, [STAGE_EVENT]: await this.#stageEvent(mask) };
    if (isLate) {
      await point.fireLate(step, { stepCount: step, ...event });
      return await loop.hooks.soFar;
    }
    const own: { admittedMask?: ArrayLike<number>; [STAGE_EVENT]?: object | undefined } = context;
    Object.assign(own, event);
    await point.fire(step);
    delete own.admittedMask;
    delete own[STAGE_EVENT];
  }

  /**
   * Returns the event for hooks of stages. Systems that have entered were in no stage before (−1). Returns
   * `undefined` if the run is not fused.
   */
  async #stageEvent(mask: Int32Array): Promise<StageEvent | undefined> {
    const { integrator: { stages }, state: { backend } } = this.#run;
    if (stages === undefined) return undefined;
    const [seen] = await backend.viewOrRead([stages.status]);
    const status = seen.slice();
    return { status, mask, stage: status.map((stage, s) => mask[s] === 0 ? stage : -1) };
  }
}
