/**
 * A batch under an engine: what is known of it from step to step, and how steps are done.
 *
 * @module
 */

import type { Backend, Buffer, Call, Program } from "../../backend/backend.ts";
import type { Batch } from "../../batch/batch.ts";
import type { NumericArray } from "../../batch/fields/fields.ts";
import { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { MultiStepLength } from "../../hooks/loop/multi_step_length.ts";
import { fieldName } from "../../hooks/protocol/protocol.ts";
import type { Loop } from "../../hooks/loop/loop.ts";
import { after, isThenable } from "../../base/sequence.ts";
import { Control } from "../../kernels/kernel.ts";
import { type OpenModel, outputsOf } from "../../models/model.ts";
import type { SavedDynamics, SavedRun } from "./checkpoint.ts";
import { Backlog } from "./pending_results.ts";
import { CELL_LOW } from "../integrators/barostat.ts";
import { Clock } from "./clock.ts";
import { Constrained } from "../constraints/constrained.ts";
import { DivergedError } from "../diverged_error.ts";
import type { StageRange } from "../stages/open_stages.ts";
import { lostSystems } from "./dynamics_checks.ts";
import type { DynamicsKind } from "./dynamics_options.ts";
import { withinPart } from "./hook_calls.ts";
import type { OpenIntegrator } from "../integrators/integrator.ts";
import { checkedOpen } from "../integrators/integrator_checks.ts";
import { CONSERVED, countFreedom, measureOf } from "./measures.ts";
import { COUNTS } from "../relaxers/lbfgs_state.ts";
import { LOW } from "../integrators/parts.ts";
import { assertConserves, assertGiven, assertGivesNeeded, assertWhole } from "./run_checks.ts";
import type { RunEngine } from "./run_engine.ts";
import {
  hasComers,
  STAGE_EVENT,
  type StageEvent,
  type StageNews,
} from "../stages/stage_changes.ts";
import { assertNoneLost, isOf, maskOf, type News } from "./step_results.ts";
import type { Mark, Stop, WithKernels } from "./step_parts.ts";
import { pairsOf, planStep, type StepPlan } from "./step_plan.ts";
import { DynamicsStage } from "../stages.ts";

/** Fields whose change from outside leaves forces and energies as they are. */
const HARMLESS: ReadonlySet<string> = new Set(["velocities", "status", "stepsDone"]);

/** The lists of some marks. */
function convergedIn(marks: readonly Mark[]): Buffer<"i32">[] {
  return marks.map(({ converged }) => converged);
}

/** Does something, and something else when that is over, whether it went well or not. */
function always(
  work: () => void | PromiseLike<void>,
  over: () => void,
): void | PromiseLike<void> {
  let answer: void | PromiseLike<void>;
  try {
    answer = work();
  } catch (error) {
    over();
    throw error;
  }
  if (isThenable(answer)) return Promise.resolve(answer).finally(over);
  over();
}

/** Fields that models give, and hooks may change. */
const AMENDED: ReadonlySet<string> = new Set(["forces", "energy", "stress"]);

/**
 * One batch under one engine.
 *
 * Where the host itself runs kernels, what a step has come to is known when it is done. On a device nobody waits for
 * that: it comes later, in one row with what observers read, and says what it would have said then.
 */
export class BatchRun {
  /** The batch on the backend. */
  readonly state: ResidentBatch;
  readonly #engine: RunEngine;
  readonly #constrained: Constrained;
  readonly #integrator: OpenIntegrator;
  readonly #model: OpenModel;
  /** Whether what steps have come to is learned later. */
  readonly #isLate: boolean;
  #clock: Clock;
  #plan: StepPlan | undefined;
  /** Whether the batch keeps to its constraints. */
  #isSettled = false;
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
  /** Whether steps are done one by one: each is known to be over when the next begins. */
  isByHand = false;
  /** Whether the run has turned out to be over, in a step before the one under way. */
  #isOver = false;
  /** Systems that get their first forces in the step under way, or in the next, and do not move in it. */
  #joining: readonly number[] = [];
  /** What is still to come of the last leap. */
  #leapt: PromiseLike<void> | undefined;
  /** What is still to come of steps. */
  readonly #backlog = new Backlog();
  /** How long leaps are on a device: the first says nothing about what it takes. */
  readonly #leaps = new MultiStepLength(16);

  /** Throws a RangeError for atoms or parameters that cannot be run, naming system and atom. */
  constructor(batch: Batch, backend: Backend, engine: RunEngine) {
    this.#engine = engine;
    this.#isLate = !backend.isHost;
    this.state = new ResidentBatch(batch, backend);
    try {
      this.#constrained = new Constrained(this.state, engine.integrator, engine.constraints);
      this.#integrator = this.#constrained.weave(
        checkedOpen(engine.name, engine.integrator.open(this.state)),
      );
      this.#clock = new Clock(batch, engine.integrator);
      this.#model = engine.model.open(this.state);
      if (this.#model.compute !== undefined) assertWhole(engine, backend);
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
  upload(): void | PromiseLike<void> {
    const { state, clock } = this;
    if (!clock.isOf(state.batch)) this.#clock = new Clock(state.batch, this.#engine.integrator);
    return after(state.upload(), (changed) => {
      for (const [name, systems] of changed) {
        if (name === "status") {
          this.#integrator.stages?.restart(systems);
          if (this.#amendsParts) this.#isPrimed = false;
        }
        if (name === "positions") state.resetState(LOW, systems);
        if (name === "cell") state.resetState(CELL_LOW, systems);
        // A step that somebody else has changed says nothing.
        if (name === "positions" || name === "cell") state.resetState(COUNTS, systems);
        if (name === "stepsDone") continue;
        if (name !== "status") this.#isSettled = false;
        if (!HARMLESS.has(name)) this.#isPrimed = false;
        state.activate(systems);
      }
    });
  }

  /** What a checkpoint keeps of it. */
  async save(): Promise<Omit<SavedDynamics, "integrator" | "loop">> {
    return { batch: this.state.batch.save(), ...await this.keep() };
  }

  /** What it can go on from elsewhere, while the batch on the host stays what it is. */
  async keep(): Promise<SavedRun> {
    return {
      resident: await this.state.save(),
      isPrimed: this.#isPrimed,
      amenders: this.#amenders,
      hasEnergy: this.#hasEnergy,
    };
  }

  /** Goes on from there. Throws a RangeError for another precision. */
  load({ resident, isPrimed, hasEnergy, amenders }: SavedRun): void {
    this.#planned(); // asks for all that is kept
    this.state.load(resident);
    this.#isPrimed = isPrimed;
    this.#isSettled = isPrimed;
    if (!this.#constrained.isEmpty) this.forgetPlan(); // what is held is known only now
    this.#hasEnergy = hasEnergy;
    this.#amenders = amenders;
  }

  /** Whether the run has turned out to be over. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** A hook was given a field to write. */
  touch(field: string): void {
    this.state.markChanged(field);
    this.#isTouched = true;
  }

  /** Takes a measure again, if a hook has changed something at this stage. */
  measure(field: string): void {
    if (!this.#isTouched) return;
    if (this.#plan !== undefined || !this.#isLate) {
      return this.#run(this.#planned().measures.get(field));
    }
    // There is no plan at the moment, and none can be made without waiting.
    const keeps = this.#engine.integrator.keepsMomentum === true;
    this.#once(measureOf(this.state, field, keeps)?.calls ?? []);
  }

  /** Something that the plan of a step depends on has changed. */
  forgetPlan(): void {
    if (this.#plan === undefined) return;
    this.state.freePrograms(this.#plan.programs);
    this.#plan = undefined;
  }

  /** Gives all memory back. Answers with something to await where a model takes its time. */
  free(): void | PromiseLike<void> {
    this.forgetPlan();
    this.state.free();
    return this.#model.close?.();
  }

  /** Do hooks of stages change what the model gives? It goes by the stage that a system is in, then. */
  get #amendsParts(): boolean {
    const { hooks } = this.#loop;
    return hooks.enabled().some((hook) => {
      const { writes = [] } = hook as { readonly writes?: readonly unknown[] };
      return hooks.partOf(hook) !== undefined &&
        writes.some((key) => AMENDED.has(fieldName(key as string)!));
    });
  }

  #planned(): StepPlan {
    const { name, integrator, model, loop: { hooks } } = this.#engine;
    if (this.#plan === undefined) {
      assertGiven(name, model, hooks.reads());
      assertGivesNeeded(name, integrator, model);
      assertConserves(name, integrator, hooks.reads());
    }
    return this.#plan ??= planStep({
      state: this.state,
      integrator: this.#integrator,
      constrained: this.#constrained,
      model: this.#model,
      isLate: this.#isLate,
      keepsMomentum: integrator.keepsMomentum === true,
      needsStress: integrator.needsStress === true,
      needsEnergy: integrator.needsEnergy === true,
      wantsStress: this.state.batch.has("stress") && model.gives.includes("stress"),
      work: (stage) => hooks.work(stage),
      devices: () => hooks.devices() as unknown as WithKernels[],
      partOf: (hook) => hooks.partOf(hook),
      amendsParts: this.#amendsParts,
      reads: (stage) => hooks.reads(stage),
      writes: () => hooks.writes(),
    });
  }

  /** What must come first: an evaluation under way; where there is no plan, a look at what it is made for. */
  #unready(): void | PromiseLike<void> {
    if (this.#underWay !== undefined) return this.#underWay;
    if (this.#plan === undefined) return this.state.refreshMirror();
  }

  /** Waits until there is nothing like that. */
  async #ready(): Promise<void> {
    for (let waiting; (waiting = this.#unready()) !== undefined;) await waiting;
  }

  /** Forces before the first step, and after changes from outside. */
  async begin(): Promise<void> {
    const { state, state: { backend, frame } } = this;
    this.#isOver = false;
    this.#leapt = undefined;
    await this.#ready();
    countFreedom(state); // a center of mass may have been brought to rest since the last run
    backend.write(frame.control, new Int32Array(Control.LENGTH));
    if (!this.#isSettled) this.#run(this.#planned().settle);
    this.#isSettled = true;
    const amenders = this.#loop.hooks.list()
      .filter(({ enabled, writes }) => enabled && writes.some((field) => AMENDED.has(field)))
      .map(({ name }) => name).join();
    const isNew = !this.#isPrimed || amenders !== this.#amenders;
    if (isNew) {
      this.#amenders = amenders;
      await this.#evaluate(this.#step);
      await this.#loop.point(DynamicsStage.AFTER_COMPUTE).modify(this.#step);
      await this.#ready();
      this.#run(this.#planned().begin);
    }
    await this.#integrator.stages?.rest();
    const looked = state.withArrays(
      { control: frame.control, active: frame.active },
      [],
      ({ control, active }) => ({ control: control.slice(), isMoving: active.includes(1) }),
    );
    const { control, isMoving } = isThenable(looked) ? await looked : looked;
    await this.#assertTogether(control, this.#step - 1);
    if (isNew) this.#isPrimed = true;
    if (!isMoving && this.#engine.keeper.now === undefined) this.#loop.done();
  }

  /**
   * Goes on with the systems of a batch before: `from` has the place that each had there, `undefined` for those that are
   * new and have no forces yet.
   */
  async takeOver(before: BatchRun, from: readonly (number | undefined)[]): Promise<void> {
    await this.#ready();
    this.#planned(); // asks for all that is kept
    await this.state.carryOver(before.state, from);
    this.#clock.carry(before.#clock.save(), from);
    if (!this.#constrained.isEmpty) this.forgetPlan(); // what is held is known only now
    this.#isPrimed = before.#isPrimed;
    this.#hasEnergy = before.#hasEnergy;
    this.#forcesOf = before.#forcesOf;
    this.#amenders = before.#amenders;
    this.#isSettled = before.#isSettled;
    this.isByHand = before.isByHand;
    // A device finds pairs as they were in the next run alone, of systems that move in it: now all that move do.
    if (this.#isLate) this.#once(pairsOf(this.state));
  }

  /** The batch has other systems in these places now, as large as those before: they have no forces yet. */
  replaced(places: readonly number[]): void {
    this.state.restart(places);
    this.#clock.admit(this.state.batch, places);
  }

  /** Some systems, 1 for each, are brought to the constraints, as a run begins. */
  async settle(mask: Int32Array): Promise<void> {
    if (this.#constrained.isEmpty) return;
    const { state: { backend, frame } } = this;
    await this.#ready();
    const [active] = await backend.viewOrRead([frame.active]);
    const before = active.slice();
    backend.write(frame.active, mask);
    this.#run(this.#planned().settle);
    backend.write(frame.active, before);
  }

  /** Pairs, forces and energies of some systems, 1 for each, as a run begins with them; all others stay as they are. */
  prime(mask: Int32Array, step: number): Promise<void> {
    return this.#forSome(mask, step, () => this.#evaluate(step));
  }

  /**
   * What hooks of stages do to forces and energies is that of the stage which a system is in: whoever comes to another
   * has what the model gave, and what hooks do to it there, before it moves. A visited model is not asked again.
   */
  async #amendComers({ stage, status }: StageNews, step: number): Promise<void> {
    const { state: { backend, frame } } = this;
    await this.#ready();
    const [active] = await backend.viewOrRead([frame.active]);
    const mask = stage.map((was, s) => was !== status[s] && active[s] !== 0 ? 1 : 0);
    if (!mask.includes(1)) return;
    await this.#forSome(mask, step, async () => {
      const { forces, isAdded, amend } = this.#planned();
      this.#run(forces);
      if (!isAdded) await this.#model.compute?.({ energy: true, stress: true });
      this.#run(amend, step);
    });
  }

  /** Evaluates forces and energies of some systems, 1 for each, and has hooks change them; all others stay as they are. */
  async #forSome(
    mask: Int32Array,
    step: number,
    evaluate: () => void | PromiseLike<void>,
  ): Promise<void> {
    const { state: { backend, frame } } = this;
    await this.#ready();
    const [active] = await backend.viewOrRead([frame.active]);
    const before = active.slice();
    const others = await this.#written(mask);
    const [hadEnergy, forcesOf] = [this.#hasEnergy, this.#forcesOf];
    backend.write(frame.active, mask);
    try {
      await evaluate();
      await this.#loop.point(DynamicsStage.AFTER_COMPUTE).modify(step);
      await this.#ready();
      this.#run(this.#planned().begin);
      others();
      const [control] = await backend.viewOrRead([frame.control]);
      await this.#assertTogether(control, step - 1);
    } finally {
      const { now: keeper } = this.#engine.keeper;
      backend.write(frame.active, before.map((one, s) => keeper?.isLost(s) === true ? 0 : one));
    }
    this.#hasEnergy = hadEnergy;
    this.#forcesOf = forcesOf;
  }

  /** Whether the model takes about as long for some systems as for all: those that join wait for the next step. */
  get joinsInStep(): boolean {
    return this.#model.compute !== undefined;
  }

  /** Systems get their first forces with those of the next step, and move in the one after it. */
  join(places: readonly number[]): void {
    this.#joining = places;
    this.#setActive(places, 0);
  }

  #joinAt(stop: Stop): void {
    if (stop === "model") this.#setActive(this.#joining, 1);
    else if (stop === DynamicsStage.AFTER_POST_UPDATE) this.#setActive(this.#joining, 0);
  }

  #setActive(places: readonly number[], value: 0 | 1): void {
    const { state } = this;
    state.writeRows(state.frame.active, places, new Int32Array(state.batch.size).fill(value));
  }

  /** What hooks may write on a visit, to be put back where it is not of systems with a 1. */
  async #written(mask: Int32Array): Promise<() => void> {
    const { state } = this;
    const names = [...this.#loop.hooks.writes()].filter((name) => state.fields.has(name));
    const seen = await state.backend.viewOrRead(names.map((name) => state.field(name)));
    const before = seen.map((values) => values.slice());
    return () => names.forEach((name, i) => state.revert(name, before[i]!, mask));
  }

  /** Hooks are told of systems that have joined. */
  async admitted(mask: Int32Array, step: number): Promise<void> {
    const point = this.#loop.point(DynamicsStage.ON_ADMIT);
    if (point.isEmpty) return;
    if (this.#loop.hooks.reads(DynamicsStage.ON_ADMIT).has("energy")) await this.refresh();
    await this.#ready();
    this.#run(this.#planned().admitted);
    const { context } = this.#loop;
    context.stepCount = step;
    const event = { admittedMask: mask, [STAGE_EVENT]: await this.#comingIn(mask) };
    if (this.#isLate) {
      await point.fireLate(step, { stepCount: step, ...event });
      return await this.#loop.hooks.soFar;
    }
    const own: { admittedMask?: ArrayLike<number>; [STAGE_EVENT]?: object | undefined } = context;
    Object.assign(own, event);
    await point.fire(step);
    delete own.admittedMask;
    delete own[STAGE_EVENT];
  }

  /** Systems that have joined were in no stage before: where hooks of stages find that. */
  async #comingIn(mask: Int32Array): Promise<StageEvent | undefined> {
    const { stages } = this.#integrator;
    if (stages === undefined) return undefined;
    const [seen] = await this.state.backend.viewOrRead([stages.status]);
    const status = seen.slice();
    return { status, mask, stage: status.map((stage, s) => mask[s] === 0 ? stage : -1) };
  }

  /** Systems rest from now on, their energies those of the step that is done. */
  async rest(places: readonly number[]): Promise<void> {
    await this.#ready();
    await this.refresh();
    await this.#ready();
    this.#setActive(places, 0);
  }

  /** Pairs, forces and energies as of now, out of turn; hooks do to them what they do in a step. */
  #evaluate(step: number): void | PromiseLike<void> {
    this.#run(this.#planned().forces);
    const compute = () => this.#model.compute?.({ energy: true, stress: true });
    return after(after(this.#look(this.#step - 1), compute), () => {
      this.#run(this.#planned().amend, step);
      this.#hasEnergy = true;
      this.#forcesOf = step;
    });
  }

  /** After the last step: what hooks look at then is as of now. */
  async end(): Promise<void> {
    await this.#ready();
    await this.refresh();
    await this.#ready();
    this.#run(this.#planned().end);
  }

  /** After a step that was broken off: forces and energies become those of where the atoms are by now. */
  async mend(): Promise<void> {
    if (!this.#isPrimed) return;
    await this.#ready();
    if (!this.#isMoved) return await this.refresh();
    this.#isMoved = false;
    this.#isPrimed = false; // without what hooks do to them on a visit, which the next run begins with
    await this.#evaluate(this.#step);
  }

  /** Energies where steps were done without: the forces come out as they are. It is done at once if the model is. */
  refresh(): void | PromiseLike<void> {
    if (this.#hasEnergy || !this.#isPrimed) return this.#underWay;
    const waiting = this.#unready();
    if (isThenable(waiting)) return waiting.then(() => this.refresh());
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

  /** Forces and virials stay as they are, to the bit: wrapping may have moved atoms since by whole lattice vectors. */
  #evaluateEnergies(step: number): void | PromiseLike<void> {
    const { backend } = this.state;
    const { forces, virial } = outputsOf(this.state);
    const isSteered = this.#engine.integrator.needsStress === true;
    const kept = isSteered ? [forces, virial] : [forces];
    return after<readonly NumericArray[], void>(
      backend.isHost ? kept.map((buffer) => backend.view(buffer).slice()) : backend.readLate(kept),
      (before) =>
        after(this.#evaluate(step), () => {
          kept.forEach((buffer, i) => backend.write(buffer, before[i]!));
        }),
    );
  }

  /** Energies of systems that come to rest in a step done without: later what hooks do to forces may be another. */
  #evaluateResting(mask: Int32Array, step: number): void | PromiseLike<void> {
    const { state, state: { backend, frame } } = this;
    const before = state.view(frame.active).slice();
    backend.write(frame.active, mask);
    const restore = () => {
      backend.write(frame.active, before);
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

  /** One step, from one of its parts on. Answers with something to await only if a hook, the model or a device asks. */
  step(first: number = 0): void | PromiseLike<void> {
    for (let i = first;; i++) {
      if (this.#underWay !== undefined || this.#plan === undefined) {
        const unready = this.#unready();
        if (unready !== undefined) return unready.then(() => this.step(i));
      }
      if (this.#isOver) return;
      const part = (this.#plan ?? this.#planned()).parts[i]; // a hook may have changed the plan meanwhile
      if (part === undefined) return this.#endStep();
      if (part.stop === DynamicsStage.AFTER_PRE_UPDATE) this.#isMoved = true;
      else if (part.stop === DynamicsStage.BEFORE_POST_UPDATE) this.#isMoved = false;
      if (this.#joining.length > 0) this.#joinAt(part.stop);
      this.#run(part.program);
      this.#isTouched = false;
      const waiting = this.#visit(part.stop) ?? this.#underWay;
      if (isThenable(waiting)) return waiting.then(() => this.step(i + 1));
    }
  }

  #visit(stop: Stop): void | PromiseLike<void> {
    if (stop === "model") return this.#visitModel();
    if (stop === "criteria") return this.#askCustoms();
    const isAdded = stop === DynamicsStage.AFTER_COMPUTE && this.#planned().isAdded;
    const waiting = isAdded ? this.#look(this.#step) : undefined;
    if (isThenable(waiting)) return waiting.then(() => this.#loop.point(stop).fire(this.#step));
    return this.#loop.point(stop).fire(this.#step);
  }

  #visitModel(): void | PromiseLike<void> {
    const waiting = this.#look(this.#step);
    if (isThenable(waiting)) return waiting.then(() => this.#visitModel()); // without who has come apart
    this.#hasEnergy = this.#planned().givesEnergy;
    this.#forcesOf = this.#step;
    return this.#hold(this.#model.compute?.({ energy: true, stress: true }));
  }

  #askCustoms(): void | PromiseLike<void> {
    const { state, state: { batch } } = this;
    const due = this.#planned().customs.filter(({ every, phase }) => this.#step % every === phase);
    if (due.length === 0) return;
    const buffers = due.flatMap(({ buffer, met }, i): [string, Buffer][] => {
      return [[`values ${i}`, buffer], [`met ${i}`, met]];
    });
    const changed = due.map((_, i) => `met ${i}`);
    const judge = (arrays: Readonly<Record<string, NumericArray>>) => {
      for (const [i, { key, op }] of due.entries()) {
        const answers = op(arrays[`values ${i}`]!, batch.nodeOffsets);
        if (answers?.length !== batch.size) {
          throw new TypeError(
            `Cannot judge convergence by ${key} as its customOp must answer for each of ${batch.size} systems: ` +
              `current length is ${answers?.length}`,
          );
        }
        const marks = arrays[`met ${i}`]!;
        for (let s = 0; s < batch.size; s++) if (!answers[s]) marks[s] = 0;
      }
    };
    if (!this.#isLate) return state.withArrays(Object.fromEntries(buffers), changed, judge);
    const { soFar } = this.#loop.hooks; // what the steps before have come to
    return state.withArrays(Object.fromEntries(buffers), changed, async (arrays) => {
      await soFar;
      if (!this.#isOver) judge(arrays);
    });
  }

  #endStep(): void | PromiseLike<void> {
    const { decide } = this.#planned();
    this.#run(decide);
    if (this.#joining.length > 0) {
      this.#setActive(this.#joining, 1);
      this.#joining = [];
    }
    if (this.#isLate) return this.#awaitNews(this.#step);
    if (decide !== undefined) return this.#report(this.#step);
  }

  /** Has what a step has come to told when it comes. */
  #awaitNews(step: number): void | PromiseLike<void> {
    const { state: { backend, frame } } = this;
    const mustWait = this.#mustWait;
    const marks = this.#planned().marks.filter(isOf(step));
    const buffers = [frame.control, frame.active, ...this.#told, ...convergedIn(marks)] as const;
    const coming = mustWait
      ? Promise.resolve(backend.viewOrRead(buffers))
      : backend.readLate(buffers);
    const news = coming.then(([control, active, ...all]) =>
      this.#newsOf(control, active, all as Int32Array[], marks)
    );
    const full = this.#loop.defer(news, (news) => this.#hear(step, news), mustWait);
    if (mustWait) return full;
    return this.#backlog.push(this.#loop.hooks.soFar) ?? full;
  }

  /** Whether nothing may be done before it is known what a step has come to. */
  get #mustWait(): boolean {
    if (this.#plan?.holdsParts || this.#plan?.amendsParts) return true;
    return this.isByHand || this.#loop.point(DynamicsStage.ON_CONVERGE).mustWait ||
      this.#loop.point(DynamicsStage.ON_ADMIT).mustWait;
  }

  /** What must be known besides of a step in stages. */
  get #told(): Buffer<"i32">[] {
    const { stages } = this.#integrator;
    return stages === undefined ? [] : [stages.stage, stages.status];
  }

  /** What `#told` and these marks say. */
  #newsOf(
    control: Int32Array,
    active: Int32Array,
    all: readonly Int32Array[],
    marks: readonly Mark[],
  ): News {
    const known = this.#told.length;
    const marked = all.slice(known);
    const [stage, status] = all;
    return {
      control,
      active,
      stages: known === 0 ? undefined : { stage: stage!, status: status! },
      marked: marked.filter((_, i) => marks[i]!.isSpent !== true),
    };
  }

  /** What a step on a device has come to: no news where the run was over before. */
  async #hear(step: number, news: News | undefined): Promise<void> {
    if (news === undefined) return;
    const { control, active, marked, stages } = news;
    if (control[Control.DIVERGED] !== 0) {
      this.#loop.done(step);
      this.#isOver = true;
      await this.#assertTogether(control, step);
    }
    const mask = maskOf(marked, active.length);
    const isMove = stages !== undefined && hasComers(stages);
    const isOver = stages !== undefined && !active.includes(1); // a hook may have sent them there
    const keeper = this.#engine.keeper.now;
    keeper?.rested(step, { active, mask });
    if (!mask.includes(1) && !isMove && !isOver) return;
    if (!active.includes(1) && keeper === undefined) {
      this.#loop.done(step + 1);
      this.#isOver = true;
      this.#forcesOf = step;
    }
    const point = this.#loop.point(DynamicsStage.ON_CONVERGE);
    if (!point.isEmpty && mask.includes(1)) {
      if (this.#plan === undefined) await this.state.refreshMirror();
      this.#run(this.#planned().converged);
      const event = { [STAGE_EVENT]: stages && { ...stages, mask } };
      await point.fireLate(step, { stepCount: step, convergedMask: mask, ...event });
      this.#engine.told.note(mask);
    }
    if (isMove) await this.#meetComers(step, stages);
  }

  /** Systems have come and gone: what is held of them is asked anew. */
  #renewHeld(): void {
    if (this.#plan?.holdsParts) this.forgetPlan();
  }

  /** Systems have come to another stage: on the host, where nothing is to be waited for that need not be. */
  #meetComers(step: number, stages: StageNews): void | PromiseLike<void> {
    const amending = this.#planned().amendsParts ? this.#amendComers(stages, step) : undefined;
    return after(amending, () => this.#tellComers(step, stages));
  }

  /** Tells hooks of stages of the systems that have come to them. */
  #tellComers(step: number, stages: StageNews): void | PromiseLike<void> {
    const point = this.#loop.point(DynamicsStage.ON_ADMIT);
    if (!point.hasParts) return this.#renewHeld();
    const come = stages.stage.map((was, s) => was === stages.status[s] ? 0 : 1);
    const { told: { comers } } = this.#engine;
    const known = this.#isLate ? undefined : comers.take(come);
    const mask = known === undefined ? come : come.map((one, s) => known[s] === 0 ? one : 0);
    const event = { [STAGE_EVENT]: { ...stages, mask } };
    const told = point.fireLate(step, { stepCount: step, ...event }, { isOfParts: true });
    return told.then(() => {
      if (this.#isLate) comers.note(come);
      this.#renewHeld();
    });
  }

  /** Many steps in one call, as no hook is due. */
  leap(n: number): number | PromiseLike<number> {
    const unready = this.#unready();
    if (isThenable(unready)) return unready.then(() => this.leap(n));
    const plan = this.#planned();
    const first = this.#step;
    if (plan.whole === undefined) {
      this.#loop.context.stepCount = first;
      const waiting = this.step();
      return isThenable(waiting) ? waiting.then(() => 1) : 1;
    }
    if (this.#isLate) return this.#leapAhead(plan.whole, n);
    const done = this.state.run(plan.whole, first, n) as number;
    const last = first + done - 1;
    this.#hasEnergy = plan.wholeGivesEnergy;
    this.#forcesOf = last;
    const lost = this.#look(last);
    if (isThenable(lost)) return lost.then(() => this.#reportAll(last)).then(() => done);
    const waiting = this.#reportAll(last);
    return isThenable(waiting) ? waiting.then(() => done) : done;
  }

  /**
   * The same on a device. Where systems can converge it is one step at a time, with nobody waiting: a run of many may
   * have done fewer. Else two leaps are under way.
   */
  #leapAhead(whole: Program, free: number): number | PromiseLike<number> {
    const { canConverge, wholeGivesEnergy } = this.#planned();
    const first = this.#step;
    const isSingle = canConverge && !this.#mustWait;
    const n = isSingle ? 1 : this.#leaps.next(free);
    const run = this.state.run(whole, first, n);
    this.#hasEnergy = wholeGivesEnergy;
    this.#forcesOf = first + n - 1;
    if (!isSingle) return this.#hearLeap(run, first, n);
    this.#loop.context.stepCount = first;
    const waiting = this.#awaitNews(first);
    return isThenable(waiting) ? waiting.then(() => 1) : 1;
  }

  /** Waits for a leap whose end must be known, for the leap before any other; answers with how many steps it did. */
  #hearLeap(run: number | PromiseLike<number>, first: number, n: number): PromiseLike<number> {
    const { state: { backend, frame } } = this;
    const { canConverge, marks } = this.#planned();
    const begun = performance.now();
    let done = n;
    const tell = async (): Promise<News> => {
      const buffers = [frame.control, frame.active, ...this.#told, ...convergedIn(marks)];
      const copies = canConverge ? backend.viewOrRead(buffers) : backend.readLate(buffers);
      // At once: leaps that go to the device together come from it together, and it stands still meanwhile.
      backend.flush();
      const [control, active, ...all] = await copies as Int32Array[];
      if (canConverge || control![Control.DIVERGED] !== 0) done = await run;
      const isAsked = isOf(first + done - 1), known = this.#told.length;
      const asked = all.filter((_, i) => i < known || isAsked(marks[i - known]!));
      return this.#newsOf(control!, active!, asked, marks.filter(isAsked));
    };
    const told = this.#loop.defer(tell(), (news) => {
      if (done < n) this.#forcesOf = first + done - 1;
      return this.#hear(first + done - 1, news);
    }, true)!;
    const before = canConverge ? undefined : this.#leapt;
    this.#leapt = told;
    return (before ?? told).then(() => {
      this.#leaps.took(done, performance.now() - begun);
      return done;
    });
  }

  /** Tells hooks of what has come of a leap, if something may. */
  #reportAll(step: number): void | PromiseLike<void> {
    if (this.#planned().canConverge) return this.#report(step);
  }

  /** Tells hooks of the systems that have converged in a step, each once. */
  #report(step: number): void | PromiseLike<void> {
    const { state, state: { frame, batch } } = this;
    if (state.view(frame.control)[Control.HALT] === 0) return;
    const due = this.#planned().marks.filter(isOf(step));
    const viewed = (marks: readonly Mark[]) =>
      maskOf(convergedIn(marks).map((mark) => state.view(mark)), batch.size);
    const active = state.view(frame.active);
    const mask = viewed(due.filter(({ isSpent }) => isSpent !== true));
    const keeper = this.#engine.keeper.now;
    if (keeper !== undefined) keeper.rested(step, { active, mask });
    else if (!active.includes(1)) this.#loop.done();
    const moved = viewed(due);
    if (!moved.includes(1)) return;
    const { stages } = this.#integrator;
    const resting = stages === undefined ? moved : moved.map((one, s) => active[s] === 0 ? one : 0);
    const isKnown = this.#hasEnergy || !resting.includes(1);
    return after(isKnown ? undefined : this.#evaluateResting(resting, step), () => {
      const news = stages && {
        stage: state.view(stages.stage).slice(),
        status: state.view(stages.status).slice(),
      };
      if (news === undefined) return this.#tell(step, mask);
      const told = mask.includes(1) ? this.#tell(step, mask, news) : undefined;
      return after(told, () => hasComers(news) ? this.#meetComers(step, news) : undefined);
    });
  }

  #tell(step: number, mask: Int32Array, stages?: StageNews): void | PromiseLike<void> {
    const { converged } = this.#planned();
    const context: {
      convergedMask?: ArrayLike<number>;
      [STAGE_EVENT]?: object | undefined;
    } = this.#loop.context;
    const point = this.#loop.point(DynamicsStage.ON_CONVERGE);
    if (point.isEmpty) return;
    this.#loop.context.stepCount = step;
    const known = this.#engine.told.take(mask);
    const news = known === undefined ? mask : mask.map((one, s) => known[s] === 0 ? one : 0);
    const tell = () => {
      this.#run(converged);
      context.convergedMask = news;
      context[STAGE_EVENT] = stages && { ...stages, mask: news };
      return news.includes(1) ? point.fire(step) : undefined;
    };
    const remind = () => {
      if (known === undefined) return;
      context.convergedMask = known; // on a device that is lost: what they changed there is lost, too
      return point.modify(step);
    };
    const reads = this.#loop.hooks.reads(DynamicsStage.ON_CONVERGE);
    const needsEnergy = reads.has("energy") || reads.has(CONSERVED);
    const told = after(after(needsEnergy ? this.refresh() : undefined, remind), tell);
    return after(told, () => {
      delete context.convergedMask;
      delete context[STAGE_EVENT];
    });
  }

  /** The work of a hook, now. */
  work(hook: WithKernels, stage: DynamicsStage, part?: unknown): void | PromiseLike<void> {
    const { state } = this;
    const { stages } = this.#integrator;
    const isAfter = stage === DynamicsStage.ON_CONVERGE;
    return after(state.refreshMirror(), () => {
      this.#once(withinPart(stages, part, hook.kernels({ state }, stage), isAfter));
      this.#isTouched = true;
      if (hook.compute === undefined) return;
      if (stages === undefined || part === undefined) return hook.compute({ state }, stage);
      this.#once([stages.enter(part as StageRange, true, isAfter)]);
      const leave = () => this.#once([stages.leave()]);
      return always(() => hook.compute!({ state }, stage), leave);
    });
  }

  #run(program: Program | undefined, step: number = this.#step): void {
    if (program !== undefined) this.state.run(program, step, 1);
  }

  /** Runs calls that are no part of the plan. */
  #once(calls: readonly Call[]): void {
    const program = this.state.prepare(calls);
    this.#run(program);
    this.state.freePrograms([program]);
  }

  /** Throws a DivergedError when a system has come apart, where that is known at once; or rejects with it. */
  #look(step: number): void | PromiseLike<void> {
    if (this.#isLate) return;
    const control = this.state.view(this.state.frame.control);
    if (control[Control.DIVERGED] !== 0) return this.#assertTogether(control, step);
  }

  /** Throws a DivergedError when these words say that a system has come apart. */
  #assertTogether(control: Int32Array, step: number): void | PromiseLike<void> {
    const { name, model } = this.#engine;
    const look = () =>
      assertNoneLost(this.state, control, {
        engine: name,
        step,
        model: model.name,
        fault: (system) => this.#model.fault?.(system),
      });
    const leave = (error: unknown) => this.#leaveLost(step, error);
    try {
      const looking = look();
      return isThenable(looking) ? looking.then(undefined, leave) : looking;
    } catch (error) {
      leave(error);
    }
  }

  /** Looks whether systems have come apart in the last step, before what they are is told: the next step would find them. */
  lookAtLast(step: number): void {
    if (this.#isLate) return;
    const { state, state: { batch } } = this;
    for (const system of lostSystems(batch, state.view(state.field("positions")))) {
      this.#leaveLost(step, new DivergedError(this.#engine.name, step, [system]));
    }
  }

  /** Goes on without a system that has come apart, where that is asked for; the others are what they would be without. */
  #leaveLost(step: number, error: unknown): void {
    const { state: { backend, frame } } = this;
    const isLeft = !this.#isLate && error instanceof DivergedError &&
      this.#engine.keeper.now?.isLeft(step, error) === true;
    if (!isLeft) throw error;
    this.#setActive(error.systems, 0);
    this.state.restoreInitial(error.systems);
    const control = new Int32Array(Control.LENGTH);
    control[Control.HALT] = 1; // who has come to rest in the same step is still to be told
    backend.write(frame.control, control);
  }

  get #loop(): Loop<DynamicsKind> {
    return this.#engine.loop;
  }

  /** Steps done so far. */
  get #step(): number {
    return this.#engine.loop.stepCount;
  }
}
