/**
 * Runs the steps of an engine, one by one or many in a call.
 *
 * @module
 */

import { catching, isThenable } from "../../base/sequence.ts";
import { MultiStepLength, Turn } from "./pace.ts";
import type { BetweenSteps, PendingStage } from "./pending.ts";
import type { Counters, RunEnd } from "./progress.ts";

/** The calls that a loop `L` makes to its engine. Only `step` is required. */
export interface StepEngine<L> {
  /**
   * Runs one step; fires stages through the loop that it is given. Returns `false` if the loop must not count it: the
   * engine has counted it by `loop.advance("step")`, or it does not count and the next call repeats it.
   */
  step(loop: L): void | false | PromiseLike<void | false>;
  /**
   * Runs up to `n` steps in which no hook is due: one WASM call, one command buffer. Returns the number of steps it ran
   * if that may be fewer than `n`. When it throws, the steps before `loop.context.stepCount` count as done.
   *
   * @default undefined: `step` is called for each
   */
  multiStep?(loop: L, n: number): number | void | PromiseLike<number | void>;
  /** Begins a run: called once the hooks are open, and again after `recover`. */
  begin?(loop: L): void | PromiseLike<void>;
  /** Ends a run: called after its last step, before hooks with `atEnd` fire, which read the state as of then. */
  end?(loop: L): void | PromiseLike<void>;
  /** Downloads the results of a run, or of a single step. Called when all work is done, before the hooks close. */
  settled?(loop: L): void | PromiseLike<void>;
  /**
   * Recovers from an error of a run, and returns the number of steps from which the run can go on, if it can. The engine
   * has taken the hooks back to that step by `loop.hooks.goBack`; `begin` is called again. Counters other than the step
   * keep their values.
   *
   * @default undefined: the run fails
   */
  recover?(error: unknown): number | undefined | PromiseLike<number | undefined>;
}

/** The hooks of a loop, as its steps see them. */
export interface StepsHooks {
  /** Returns how many steps run before the next hook is due. */
  horizon(step: number): number;
  /** Throws the error of a hook that was called late. */
  check(): void;
  /** Settles when all late calls so far are done. */
  readonly soFar: PromiseLike<void>;
  /** Waits for all late calls. */
  settle(): Promise<void>;
  /** Fires hooks with `atEnd`. */
  finish(): Promise<void>;
}

/** The loop, as its steps see it. */
export interface StepsHost {
  /** The counters, of which the step is moved. */
  readonly counters: Counters;
  /** The end of the run. */
  readonly end: RunEnd;
  /** The hooks. */
  readonly hooks: StepsHooks;
  /** The context, of which `stepCount` is moved. */
  readonly context: { stepCount: number };
  /** Work that waits for the end of a step. */
  readonly between: BetweenSteps;
  /** Stages that were not awaited. */
  readonly pending: PendingStage;
}

/** The steps of a loop. */
export class Steps<L> {
  readonly #engine: StepEngine<L>;
  readonly #loop: L;
  readonly #host: StepsHost;
  readonly #turn = new Turn();
  readonly #lengths = new MultiStepLength();

  /** Runs nothing yet. */
  constructor(engine: StepEngine<L>, loop: L, host: StepsHost) {
    this.#engine = engine;
    this.#loop = loop;
    this.#host = host;
  }

  /** Runs steps until there have been `last`, or the run is over. */
  async run(last: number): Promise<void> {
    const { counters, end, hooks, between } = this.#host;
    const canRunMany = this.#engine.multiStep !== undefined;
    while (counters.step < last && !end.isStopped(counters.step) && !end.isDone) {
      if (!between.isEmpty && await this.#isOverNow()) break;
      const left = end.limit(last) - counters.step;
      const free = canRunMany ? Math.min(hooks.horizon(counters.step), left) : 0;
      const result = free >= 1 ? this.#multiStep(free) : this.step();
      // Awaited only if there is something to await: each await costs a turn of the microtask queue.
      if (isThenable(result)) await result;
      const turn = this.#turn.give();
      if (turn !== undefined) await turn;
      hooks.check();
    }
  }

  /** Runs the work that waits between steps, unless the run has turned out to be over: it then runs after the run. */
  async #isOverNow(): Promise<boolean> {
    const { counters, end, hooks, between } = this.#host;
    await hooks.soFar;
    hooks.check();
    if (end.isDone || end.isStopped(counters.step)) return true;
    await between.workOff();
    return false;
  }

  /** Runs one step. */
  step(): void | PromiseLike<void> {
    const { context, counters } = this.#host;
    context.stepCount = counters.step;
    const result = this.#engine.step(this.#loop);
    if (isThenable(result)) return result.then((counts) => this.#stepped(counts));
    this.#stepped(result);
  }

  #stepped(counts: void | false): void {
    this.#host.pending.assertNone("end a step");
    if (counts !== false) this.#host.counters.step++;
  }

  /** Runs one step by hand; if it was taken back to an earlier one, as many more as were lost. */
  async stepByHand(last: number): Promise<void> {
    const { counters, end, hooks } = this.#host;
    let begun: number;
    do {
      begun = counters.step;
      await this.step();
    } while (counters.step > begun && counters.step < last && !end.isDone);
    hooks.check();
  }

  #multiStep(free: number): void | PromiseLike<void> {
    const { counters, context } = this.#host;
    const steps = this.#lengths.next(free);
    const begun = performance.now();
    const ran = (done: number | void) => {
      this.#lengths.took(done ?? steps, performance.now() - begun);
      counters.step += done ?? steps;
      context.stepCount = counters.step - 1;
    };
    const work = () => {
      const result = this.#engine.multiStep!(this.#loop, steps);
      return isThenable(result) ? result.then(ran) : ran(result);
    };
    return catching<void>(work, (error) => {
      const last = Math.min(context.stepCount, counters.step + steps);
      counters.step = Math.max(counters.step, last);
      throw error;
    });
  }

  /** Runs `work`; after an error from which the engine can recover, again from the step that it goes back to. */
  async attempt(work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const stepCount = await this.#engine.recover?.(error);
        if (stepCount === undefined) throw error;
        this.#goBack(stepCount);
      }
    }
  }

  #goBack(stepCount: number): void {
    const { counters, context, end } = this.#host;
    end.repeat(counters.step);
    counters.step = stepCount;
    context.stepCount = Math.max(0, stepCount - 1);
  }

  /** Takes the counters back to the step in which the run was over, if that was learned late. */
  truncate(): void {
    const { counters, context, end } = this.#host;
    const stepCount = end.counted(counters.step);
    if (stepCount === counters.step) return;
    counters.step = stepCount;
    context.stepCount = Math.max(0, stepCount - 1);
  }

  /** Ends a run: waits for late results, and fires the stages after the last step. */
  async finish(): Promise<void> {
    const { hooks } = this.#host;
    await hooks.settle(); // which may report that the run was over before
    this.truncate();
    await this.#engine.end?.(this.#loop);
    await hooks.finish();
  }

  /** Runs the work that waits between steps, and downloads the results. */
  async settle(): Promise<void> {
    await this.#host.between.workOff();
    await this.#engine.settled?.(this.#loop);
  }
}
