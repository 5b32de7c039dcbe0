/**
 * Runs the steps of an engine, one by one or many in one call.
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
   * Runs one step and fires its stages through `loop`. Returns `false` if the loop must not count the step, either
   * because the engine has counted it by `loop.advance("step")`, or because the next call repeats it.
   */
  step(loop: L): void | false | PromiseLike<void | false>;
  /**
   * Runs up to `n` steps in which no hook is due, in one WASM call or one command buffer. Returns the number of steps
   * it ran; `undefined` means `n`. If it throws, the steps before `loop.context.stepCount` count as done.
   *
   * @default undefined: `step` is called for each
   */
  multiStep?(loop: L, n: number): number | void | PromiseLike<number | void>;
  /** Begins a run: called once the hooks are open, and again after `recover`. */
  begin?(loop: L): void | PromiseLike<void>;
  /**
   * Ends a run: called after the last step, before the hooks with `atEnd` fire. Those hooks read the state that it
   * leaves.
   */
  end?(loop: L): void | PromiseLike<void>;
  /** Downloads the results of a run, or of a single step. Called after all pending work, before the hooks close. */
  settled?(loop: L): void | PromiseLike<void>;
  /**
   * Recovers from an error of a run. Returns the number of steps from which the run can continue, or `undefined` if
   * it cannot. The engine must have taken the hooks back to that step by `loop.hooks.goBack`. Afterwards `begin` is
   * called again. Counters other than the step keep their values.
   *
   * @default undefined: the run fails
   */
  recover?(error: unknown): number | undefined | PromiseLike<number | undefined>;
}

/** The methods of the hook registry that the steps use. */
export interface StepsHooks {
  /** Returns how many steps, counted from `step`, can run before a hook is due. */
  horizon(step: number): number;
  /** Throws the error of a deferred hook call, if one has failed. */
  check(): void;
  /** Promise that settles when all calls deferred so far are done. */
  readonly soFar: PromiseLike<void>;
  /** Waits for all deferred calls. */
  settle(): Promise<void>;
  /** Calls the hooks with `atEnd`. */
  finish(): Promise<void>;
}

/** The members of the loop that its steps use. */
export interface StepsHost {
  /** The counters; the steps advance `step`. */
  readonly counters: Counters;
  /** The requests to stop, and the end of the run. */
  readonly end: RunEnd;
  /** The hook registry. */
  readonly hooks: StepsHooks;
  /** The context of the hooks; the steps set its `stepCount`. */
  readonly context: { stepCount: number };
  /** Work that waits for the end of a step. */
  readonly between: BetweenSteps;
  /** The check that every stage of a step was awaited. */
  readonly pending: PendingStage;
}

/** Runs the steps of a loop and advances its step counter. */
export class Steps<L> {
  readonly #engine: StepEngine<L>;
  readonly #loop: L;
  readonly #host: StepsHost;
  readonly #turn = new Turn();
  readonly #lengths = new MultiStepLength();

  /** Prepares to run the steps of `engine`; runs no step yet. */
  constructor(engine: StepEngine<L>, loop: L, host: StepsHost) {
    this.#engine = engine;
    this.#loop = loop;
    this.#host = host;
  }

  /** Runs steps until the counter reaches `last`, a stop is requested, or the engine ends the run. */
  async run(last: number): Promise<void> {
    const { counters, end, hooks, between } = this.#host;
    const canRunMany = this.#engine.multiStep !== undefined;
    while (counters.step < last && !end.isStopped(counters.step) && !end.isDone) {
      if (!between.isEmpty && await this.#isOverNow()) break;
      const before = counters.step, left = end.limit(last) - before;
      const free = canRunMany ? Math.min(hooks.horizon(before), left) : 0;
      const result = free >= 1 ? this.#multiStep(free) : this.step();
      // Synchronous results are not awaited, because each await costs a turn of the microtask queue.
      if (isThenable(result)) await result;
      // A call that repeats a step counts none, and takes time nevertheless.
      const turn = this.#turn.give(Math.max(1, counters.step - before));
      if (turn !== undefined) await turn;
      hooks.check();
    }
  }

  /**
   * Runs the work that waits between steps. Returns `true`, without running it, if the run is over after the calls
   * deferred so far; the work then runs after the run.
   */
  async #isOverNow(): Promise<boolean> {
    const { counters, end, hooks, between } = this.#host;
    await hooks.soFar;
    hooks.check();
    if (end.isDone || end.isStopped(counters.step)) return true;
    await between.workOff();
    return false;
  }

  /** Runs one step, and adds 1 to the step counter unless the engine's `step` returns `false`. */
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

  /**
   * Runs steps until the counter reaches `last`, or a step was not counted. This is one step, unless a recovery took
   * the loop back to an earlier step.
   */
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
    const begun = this.#lengths.isTimed(steps) ? performance.now() : undefined;
    const ran = (done: number | void) => {
      if (begun !== undefined) this.#lengths.took(done ?? steps, performance.now() - begun);
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

  /**
   * Runs `work`. After an error, takes the loop back to the step that the engine's `recover` returns and runs `work`
   * again. Throws the error if the engine cannot recover.
   */
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

  /**
   * Sets the step counter back to the step at which the run was over, if the engine reported the end of the run late.
   */
  truncate(): void {
    const { counters, context, end } = this.#host;
    const stepCount = end.counted(counters.step);
    if (stepCount === counters.step) return;
    counters.step = stepCount;
    context.stepCount = Math.max(0, stepCount - 1);
  }

  /** Ends a run: waits for deferred calls, and calls the hooks with `atEnd`. */
  async finish(): Promise<void> {
    const { hooks } = this.#host;
    await hooks.settle(); // a deferred call may report that the run was over at an earlier step
    this.truncate();
    await this.#engine.end?.(this.#loop);
    await hooks.finish();
  }

  /** Runs the work that waits between steps, then lets the engine download its results. */
  async settle(): Promise<void> {
    await this.#host.between.workOff();
    await this.#engine.settled?.(this.#loop);
  }
}
