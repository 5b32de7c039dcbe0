/**
 * Step loops that call hooks at their stages, and the interface of the engines that they run.
 *
 * @module
 */

import type { BaseContext, Workflow } from "../protocol/context.ts";
import { EngineHooks } from "../registry/engine_hooks.ts";
import type { EngineHooksOptions } from "../registry/engine_hooks_options.ts";
import type { Outcome } from "../protocol/outcome.ts";
import type { OwnFields } from "../protocol/own_fields.ts";
import type { StagePoint } from "../run/point.ts";
import type { AllChecked, HookInput, InitialHooks, Names } from "../registry/hook_set.ts";
import { assertSavedLoop, type SavedLoop } from "../registry/saved.ts";
import type { AnyStages, Role, StageOf } from "../protocol/stage.ts";
import {
  assertRole,
  assertSteps,
  baseContext,
  checkEngine,
  checkLoopOptions,
  type ContextOption,
  hookParts,
  type LoopHooks,
  type LoopOptions,
} from "./loop_options.ts";
import { BetweenSteps, ExclusiveCalls, PendingStage } from "./pending.ts";
import { Counters, keepWarnings, reasonOf, RunEnd, RunWarnings, stopper } from "./progress.ts";
import { type StepEngine, Steps } from "./steps.ts";

/**
 * The engine of a step loop: its kinds of stages, and the work of a step. {@linkcode Loop} counts the steps, opens
 * and closes the hooks, and ends a run.
 *
 * `Dynamics` and `Trainer` implement this interface; a custom loop passes an object literal. Only `kinds` and `step`
 * are required.
 */
export interface Engine<E extends AnyStages>
  extends
    StepEngine<Loop<E>>,
    Pick<EngineHooksOptions<E>, "state" | "worker" | "isFatal" | "coming"> {
  /** The kinds of stages that the engine fires: one, or several. */
  readonly kinds: E | readonly E[];
  /** The engine that hooks find as `ctx.workflow`. @default the loop */
  readonly workflow?: Workflow;
}

/**
 * A loop that runs the steps of an {@linkcode Engine}, counts them, and calls hooks at its stages. The compiler checks
 * the hooks `H` that are passed to the constructor as `add` does, unless `E` is written out, as in a subclass.
 *
 * @example A random walk with one stage
 * ```ts
 * import { type BaseContext, type Engine, Loop, stages } from "@hooke/hooke/hooks";
 * import { assertEquals } from "@std/assert";
 *
 * const WalkStage = stages<BaseContext & { place: number }>()("walk", ["AFTER_STEP"]);
 * class Walk implements Engine<typeof WalkStage> {
 *   readonly kinds = WalkStage;
 *   readonly context = { place: 0 };
 *   step(loop: Loop<typeof WalkStage>): void | PromiseLike<void> {
 *     loop.context.place += 1;
 *     return loop.fire(WalkStage.AFTER_STEP);
 *   }
 * }
 *
 * const loop = new Loop(new Walk(), { name: "walk", nSteps: 3 });
 * await loop.run();
 * assertEquals(loop.context.place, 3);
 * ```
 */
export class Loop<
  E extends AnyStages,
  const H extends AllChecked<E, H> = readonly HookInput<E>[],
  const N extends Names = Names,
  const W extends Names = Names,
> implements Workflow, AsyncDisposable {
  /** Name in listings and logs. */
  readonly name: string;
  /** The context that all hooks receive. The engine sets the fields of its kinds here before it fires a stage. */
  readonly context: { -readonly [k in keyof BaseContext]: BaseContext[k] } & OwnFields<E>;
  /** Warnings of the engine about the results of its runs. */
  readonly warnings: RunWarnings = new RunWarnings((topic, stage, error) =>
    this.#hooks.warn(`(${topic})`, stage, error, "engine")
  );
  readonly #end = new RunEnd(this.warnings);
  readonly #hooks: EngineHooks<E>;
  readonly #engine: Engine<E>;
  readonly #options: LoopOptions<E>;
  readonly #counters: Counters;
  readonly #pending = new PendingStage();
  readonly #between = new BetweenSteps();
  readonly #steps: Steps<Loop<E>>;
  readonly #calls: ExclusiveCalls;

  /** Creates a loop with its first hooks. Throws a TypeError or RangeError that names the wrong argument. */
  constructor(
    engine: Engine<E> & ContextOption<E>,
    options: Omit<LoopOptions<E>, "hooks"> & { readonly hooks?: InitialHooks<E, H, N, W> } = {},
  ) {
    checkEngine(engine);
    checkLoopOptions(options);
    this.#engine = engine;
    this.#options = options as LoopOptions<E>;
    this.name = options.name ?? "loop";
    this.#calls = new ExclusiveCalls(this.name, this.#between);
    const kinds = [engine.kinds].flat() as readonly E[];
    const counters = this.#counters = new Counters(kinds), workflow = engine.workflow ?? this;
    keepWarnings(workflow, this.warnings);
    const end = this.#end, stop = stopper((reason, step) => end.ask(reason, step ?? counters.step));
    this.context = {
      ...baseContext(workflow, stop),
      ...engine.context,
    } as unknown as Loop<E>["context"];
    const hooks = this.#hooks = new EngineHooks({
      kinds,
      context: this.context,
      workflow,
      counts: (counter) => counters.of(counter),
      ...hookParts(engine, this.#options, this.warnings),
    });
    this.#steps = new Steps<Loop<E>>(engine, this, {
      counters,
      end,
      hooks,
      context: this.context,
      between: this.#between,
      pending: this.#pending,
    });
    for (const hook of this.#options.hooks ?? []) hooks.add(hook);
  }

  /** The registry behind `hooks`, for an engine that joins the hooks of this loop with its own hooks. */
  get registry(): EngineHooks<E> {
    return this.#hooks;
  }

  /** The hooks of this loop: users add, list and remove them here. */
  get hooks(): LoopHooks<E> {
    return this.#hooks;
  }

  /** Steps done so far, over all runs. */
  get stepCount(): number {
    return this.#counters.step;
  }

  /** Returns a stage. The engine can keep it and fire it without a look-up by name: `point.fire(loop.stepCount)`. */
  point(stage: StageOf<E>): StagePoint {
    return this.#hooks.point(stage);
  }

  /** Fires an observe stage. Returns a promise only if one of its hooks returned a promise. */
  fire(stage: StageOf<E>): void | PromiseLike<void> {
    const point = this.#reach(stage, "observe");
    return this.#pending.watch(stage, point.fire(this.#counters.of(point.info.counter)));
  }

  /** Passes a value through the due hooks of a pipe stage, and returns the result of the last one. */
  pipe<V>(stage: StageOf<E>, value: V): V | PromiseLike<V> {
    const point = this.#reach(stage, "pipe");
    return this.#pending.watch(stage, point.pipe(value, this.#counters.of(point.info.counter)));
  }

  /** Asks the due hooks of a gate stage. Returns `false` if any of them vetoed the step. */
  gate(stage: StageOf<E>): boolean | PromiseLike<boolean> {
    const point = this.#reach(stage, "gate");
    return this.#pending.watch(stage, point.gate(this.#counters.of(point.info.counter)));
  }

  /** Runs the hook that claimed a replace stage, if it is due; otherwise runs `otherwise`. Returns the result. */
  replace<V>(stage: StageOf<E>, otherwise: () => V | PromiseLike<V>): V | PromiseLike<V> {
    const point = this.#reach(stage, "replace"), count = this.#counters.of(point.info.counter);
    return this.#pending.watch(stage, point.replace(otherwise, count));
  }

  /** Returns the counters and the state of the hooks as plain data, for a checkpoint. */
  save(): SavedLoop {
    return {
      stepCount: this.#counters.step,
      counts: this.#counters.save(),
      hooks: this.#hooks.save(),
    };
  }

  /**
   * Restores the counters, the state of the hooks, and which hooks are enabled. Throws a TypeError if `saved` is not
   * a result of `save`; nothing has changed then.
   */
  load(saved: SavedLoop): void {
    this.#calls.assertNone("load into");
    assertSavedLoop(saved, this.#counters.names);
    this.#counters.load(saved.stepCount, saved.counts);
    this.context.stepCount = saved.stepCount;
    this.#hooks.load(saved.hooks);
  }

  /** Adds 1 to a counter. Only engines whose `step` returns `false` advance `"step"`. Throws a RangeError if no kind declares it. */
  advance(counter: string): void {
    this.#counters.advance(counter);
    if (counter === "step") this.context.stepCount = this.#counters.step;
  }

  /** Returns the value of `"step"` or of a counter that a kind of the engine declares. */
  countOf(counter: string): number {
    return this.#counters.of(counter);
  }

  /** The outcome that the current run would have if it ended now. */
  get outcome(): Outcome {
    return this.#end.outcome;
  }

  /** Requests a stop after the current step; the first reason is kept. The next `run` clears the request. */
  stop(reason: string): void {
    this.#end.stop(reason, this.#counters.step);
  }

  /**
   * Ends the run after the current step, as if `nSteps` had been reached. If `stepCount` is given, the run ended
   * after that number of steps: later steps do not count, and their results are dropped.
   */
  done(stepCount?: number): void {
    this.#end.done(stepCount);
    if (stepCount !== undefined) this.#hooks.cut();
  }

  /**
   * Queues pending values and calls `deliver` with them, in order with the fields that observers read. If the run was
   * over before the step of the values, `deliver` receives `undefined`. Returns a promise if too many deliveries are
   * pending. With `isAwaited`, always returns a promise, which settles after the delivery.
   */
  defer<T>(
    values: PromiseLike<T>,
    deliver: (values: T | undefined) => unknown,
    isAwaited: boolean = false,
  ): PromiseLike<void> | undefined {
    const waiting = this.#hooks.defer(values, deliver);
    return isAwaited ? this.#hooks.soFar : waiting;
  }

  /**
   * Runs `work` between two steps. If no run is in progress, `work` runs at once; otherwise it runs after the current
   * step, and at the latest before the hooks close. An error of `work` rejects the returned promise and does not stop
   * the run. A hook must not await that promise, because the step would then wait for itself.
   */
  betweenSteps<T>(work: () => T | PromiseLike<T>): Promise<T> {
    return this.#calls.isNone ? Promise.resolve().then(work) : this.#between.add(work);
  }

  /** Runs `nSteps` more steps, or fewer if a stop is requested. Opens and closes the hooks unless they are open. */
  async run(nSteps: number = this.#options.nSteps ?? Infinity): Promise<Outcome> {
    assertSteps(this.name, nSteps);
    return await this.#calls.run("run", async () => {
      const isOurs = !this.#hooks.isOpen;
      this.#end.clearStop();
      await this.#orFail(() => this.#runSteps(nSteps));
      const { outcome } = this.#end;
      if (isOurs) await this.#close(outcome);
      return outcome;
    });
  }

  async #runSteps(nSteps: number): Promise<void> {
    const { signal } = this.#options;
    const abort = () => this.stop(reasonOf(signal));
    await this.#open();
    const last = this.#counters.step + nSteps;
    try {
      await this.#steps.attempt(async () => {
        await this.#engine.begin?.(this);
        if (signal?.aborted) abort();
        signal?.addEventListener("abort", abort); // adding the same listener again has no effect
        await this.#steps.run(last);
        await this.#steps.finish();
        await this.#steps.settle();
      });
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /**
   * Runs one step. Opens the hooks if they are closed and leaves them open; `close` closes them. If the step throws,
   * the hooks are closed at once.
   */
  async step(): Promise<void> {
    await this.#calls.run("step", () => this.#orFail(() => this.#runStep()));
  }

  async #runStep(): Promise<void> {
    await this.#open();
    const last = this.#counters.step + 1;
    await this.#steps.attempt(async () => {
      await this.#engine.begin?.(this);
      await this.#steps.stepByHand(last);
      await this.#steps.settle();
    });
  }

  /** Ends a series of `step` calls: closes the hooks, if they are open, with the outcome of those steps. */
  async close(): Promise<void> {
    await this.#calls.run("close", async () => {
      if (!this.#hooks.isOpen) return;
      await this.#orFail(async () => {
        await this.#steps.attempt(() => this.#steps.finish());
        await this.#between.workOff();
      });
      await this.#close(this.#end.outcome);
    });
  }

  /** Calls `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #open(): Promise<void> {
    if (this.#end.isLate) await this.#hooks.settle(); // deliveries in flight belong to earlier calls of `step`
    this.#end.begin();
    if (!this.#hooks.isOpen) {
      this.#end.clearStop();
      await this.#hooks.open();
    }
  }

  /** Runs `work`. If it fails, closes the hooks and throws its error again. */
  async #orFail(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#between.drop(this.name, error); // a closing hook may wait for this work
      await this.#close(this.warnings.failed(error));
      this.#steps.truncate();
      throw error;
    }
  }

  #close(outcome: Outcome): Promise<void> {
    return this.#hooks.close(outcome).finally(() => this.warnings.end());
  }

  #reach(stage: StageOf<E>, role: Role): StagePoint {
    const point = this.#hooks.point(stage);
    this.#pending.assertNone(`reach ${stage}`);
    assertRole(stage, point.info.role, role);
    return point;
  }
}
