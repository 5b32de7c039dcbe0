/**
 * Step loops with hooks at every stage, and the interface of the engines that they run.
 *
 * @module
 */

import { Between } from "./between_steps.ts";
import type { BaseContext, Workflow } from "../protocol/context.ts";
import { EngineHooks } from "../registry/engine_hooks.ts";
import type { EngineHooksOptions } from "../registry/engine_hooks_options.ts";
import type { DeviceWorker } from "../run/device_work.ts";
import type { Outcome } from "../protocol/outcome.ts";
import type { OwnFields } from "../protocol/own_fields.ts";
import type { StagePoint } from "../run/point.ts";
import type { AcceptAll, HookInput, HookSet } from "../registry/registry.ts";
import { assertSavedLoop, type SavedLoop } from "../registry/saved.ts";
import { Shared } from "../protocol/context.ts";
import type { AnyStages, StageOf } from "../protocol/stage.ts";
import { isThenable } from "../../base/sequence.ts";
import { Turn } from "./yielding.ts";
import { didYouMean } from "../../base/did_you_mean.ts";
import { MultiStepLength } from "./multi_step_length.ts";
import { assertSteps, checkEngine, checkLoopOptions } from "./loop_checks.ts";
import { reasonOf, stopper } from "./stop.ts";
import { Pending } from "./pending.ts";

/** The context fields that the kinds `E` declare; required if a kind has fields that every stage offers. */
export type ContextOption<E extends AnyStages> = Record<never, never> extends OwnFields<E>
  ? { readonly context?: OwnFields<E> }
  : { readonly context: OwnFields<E> };

/**
 * The engine of a step loop: which stages it has, and what a step of it does. {@linkcode Loop} counts the steps, opens
 * and closes the hooks, and ends a run.
 *
 * `Dynamics` and `Trainer` implement it; a custom loop passes an object literal. Only `kinds` and `step` are required.
 *
 * @example A random walk with one stage
 * ```ts
 * import { type BaseContext, type Engine, Loop, stages } from "@hooke/hooke/hooks";
 * import { assertEquals } from "@std/assert";
 *
 * const WalkStage = stages<BaseContext & { place: number }>()("walk", ["AFTER_STEP"]);
 *
 * class Walk implements Engine<typeof WalkStage> {
 *   readonly kinds = WalkStage;
 *   readonly context = { place: 0 };
 *
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
export interface Engine<E extends AnyStages>
  extends Pick<EngineHooksOptions<E>, "state" | "isFatal" | "coming"> {
  /** The kinds of stages that the engine fires: one, or several. */
  readonly kinds: E | readonly E[];
  /** Runs one step; fires stages through the loop that it is given. */
  step(loop: Loop<E>): void | PromiseLike<void>;
  /**
   * Runs up to `n` steps in which no hook is due: one WASM call, one command buffer. Returns the number of steps it ran
   * if that may be fewer than `n`. When it throws, the steps before `loop.context.stepCount` count as done.
   *
   * @default undefined: `step` is called for each
   */
  multiStep?(loop: Loop<E>, n: number): number | void | PromiseLike<number | void>;
  /** Begins a run: called once the hooks are open, and again after `recover`. */
  begin?(loop: Loop<E>): void | PromiseLike<void>;
  /** Ends a run: called after its last step, before hooks with `atEnd` fire, which read the state as of then. */
  end?(loop: Loop<E>): void | PromiseLike<void>;
  /** Brings home the results of a run, or of a step by hand: called when all work is done, before the hooks close. */
  settled?(loop: Loop<E>): void | PromiseLike<void>;
  /**
   * Recovers from an error of a run, and returns the number of steps from which the run can go on, if it can. The engine
   * has taken the hooks back to that step by `loop.hooks.goBack`; `begin` is called again. Counters other than the step
   * keep their values.
   *
   * @default undefined: the run fails
   */
  recover?(error: unknown): number | undefined | PromiseLike<number | undefined>;
  /**
   * The engine that hooks find as `ctx.workflow`, if that is not the loop itself.
   *
   * @default the loop
   */
  readonly workflow?: Workflow;
  /**
   * Runs the kernels of hooks that provide kernels.
   *
   * @default undefined: a hook with kernels is refused
   */
  readonly worker?: DeviceWorker;
}

/** Options of a {@linkcode Loop}. */
export interface LoopOptions<E extends AnyStages>
  extends Pick<EngineHooksOptions<E>, "onWarning" | "verify"> {
  /**
   * Hooks to begin with; `loop.hooks.add` takes more, with options.
   *
   * @default none
   */
  readonly hooks?: readonly HookInput<E>[];
  /**
   * Number of steps that `run` runs if it is called without one.
   *
   * @default Infinity: until a hook asks to stop
   */
  readonly nSteps?: number;
  /**
   * Name of the loop in listings and logs.
   *
   * @default "loop"
   */
  readonly name?: string;
  /** Stops the loop after the step under way. */
  readonly signal?: AbortSignal;
}

/**
 * A step loop: runs the steps of an {@linkcode Engine}, counts them, and calls hooks at its stages. `H` are its first
 * hooks, which the compiler checks as `add` does; if `E` is written out, as in a subclass, only `add` checks them.
 */
export class Loop<
  E extends AnyStages,
  const H extends readonly HookInput<E>[] = readonly HookInput<E>[],
> implements Workflow, AsyncDisposable {
  /** What it is called in listings and logs. */
  readonly name: string;
  /** The one context that all hooks see; change its own fields before firing a stage. */
  readonly context: { -readonly [k in keyof BaseContext]: BaseContext[k] } & OwnFields<E>;
  readonly #hooks: EngineHooks<E>;
  readonly #kinds: readonly E[];
  readonly #engine: Engine<E>;
  readonly #options: LoopOptions<E>;
  readonly #turn = new Turn();
  readonly #lengths = new MultiStepLength();
  readonly #pending = new Pending();
  readonly #between = new Between();
  readonly #counts = new Map<string, number>();
  #known: ReadonlySet<string> | undefined;
  #stepCount = 0;
  #stop: { readonly reason: string; readonly step: number } | undefined;
  #isDone = false;
  /** Where the run has ended, if that was known only later. */
  #end: number | undefined;
  /** So many steps had been done when a stop was asked for that does not hold up doing them again. */
  #again = 0;
  #busy: string | undefined;

  /** Throws a TypeError or RangeError that names the hook, member or option that is wrong. */
  constructor(
    engine: Engine<E> & ContextOption<E>,
    options: LoopOptions<E> & { readonly hooks?: H & AcceptAll<E, H> } = {},
  ) {
    checkEngine(engine);
    checkLoopOptions(options);
    this.#engine = engine;
    this.#options = options;
    this.name = options.name ?? "loop";
    const workflow = engine.workflow ?? this;
    const base = {
      stepCount: 0,
      globalRank: 0,
      shared: new Shared(),
      workflow,
      stop: stopper((reason, step) => this.#stop ??= { reason, step: step ?? this.#stepCount }),
      value: undefined,
      skipping: false,
    };
    this.context = { ...base, ...engine.context } as unknown as Loop<E>["context"];
    this.#kinds = [engine.kinds].flat() as readonly E[];
    const { onWarning, verify } = options;
    this.#hooks = new EngineHooks({
      kinds: this.#kinds,
      context: this.context,
      workflow,
      counts: (counter) => this.#count(counter),
      ...partsOf(engine),
      ...(onWarning && { onWarning }),
      ...(verify && { verify }),
    });
    for (const hook of options.hooks ?? []) this.#hooks.add(hook);
  }

  /** The hooks, as another engine joins them with its own. */
  get registry(): EngineHooks<E> {
    return this.#hooks;
  }

  /** The hooks. */
  get hooks():
    & HookSet<E>
    & Pick<
      EngineHooks<E>,
      | "horizon"
      | "work"
      | "devices"
      | "enabled"
      | "partOf"
      | "reads"
      | "writes"
      | "replan"
      | "soFar"
      | "track"
      | "marks"
      | "drop"
      | "goBack"
      | "warn"
    > {
    return this.#hooks;
  }

  /** Steps done so far, over all runs. */
  get stepCount(): number {
    return this.#stepCount;
  }

  /** A stage to keep and fire without looking it up: `point.fire(loop.stepCount)`. */
  point(stage: StageOf<E>): StagePoint {
    return this.#hooks.point(stage);
  }

  /** Fires an observe stage. Answers with something to await only if a hook did. */
  fire(stage: StageOf<E>): void | PromiseLike<void> {
    const point = this.#reach(stage, "observe");
    return this.#pending.watch(stage, point.fire(this.#count(point.info.counter)));
  }

  /** Hands a value through a pipe stage. */
  pipe<V>(stage: StageOf<E>, value: V): V | PromiseLike<V> {
    const point = this.#reach(stage, "pipe");
    return this.#pending.watch(stage, point.pipe(value, this.#count(point.info.counter)));
  }

  /** Asks a gate stage: `true` to go on. */
  gate(stage: StageOf<E>): boolean | PromiseLike<boolean> {
    const point = this.#reach(stage, "gate");
    return this.#pending.watch(stage, point.gate(this.#count(point.info.counter)));
  }

  /** Does the work of a replace stage: by the hook that claimed it, else by `otherwise`. */
  replace<V>(stage: StageOf<E>, otherwise: () => V | PromiseLike<V>): V | PromiseLike<V> {
    const point = this.#reach(stage, "replace");
    return this.#pending.watch(stage, point.replace(otherwise, this.#count(point.info.counter)));
  }

  /** What a checkpoint keeps of the loop: its counters and its hooks' state. Plain data. */
  save(): SavedLoop {
    return {
      stepCount: this.#stepCount,
      counts: Object.fromEntries(this.#counts),
      hooks: this.#hooks.save(),
    };
  }

  /**
   * Goes on where `save` was called: counters, the hooks' own state, and which of them are on. Throws a TypeError for
   * what `save` did not give, before anything has changed.
   */
  load(saved: SavedLoop): void {
    this.#assertIdle("load into");
    assertSavedLoop(saved, this.#counters());
    this.#stepCount = saved.stepCount;
    this.context.stepCount = saved.stepCount;
    this.#counts.clear();
    for (const [counter, count] of Object.entries(saved.counts)) this.#counts.set(counter, count);
    this.#hooks.load(saved.hooks);
  }

  /** Moves a counter other than the step by one: an epoch is done. Throws a RangeError for one that no stage has. */
  advance(counter: string): void {
    const known = this.#counters();
    if (!known.has(counter)) {
      throw new RangeError(
        `Cannot advance ${counter} as it must be a counter of the kinds other than the step: they are ` +
          `${[...known].join(", ") || "none"}${didYouMean(counter, known)}`,
      );
    }
    this.#counts.set(counter, this.#count(counter) + 1);
  }

  /** How far a counter has come: `"step"`, or one of the kinds'. */
  countOf(counter: string): number {
    return this.#count(counter);
  }

  /** The counters of the kinds, but for the step. */
  #counters(): ReadonlySet<string> {
    return this.#known ??= this.#findCounters();
  }

  #findCounters(): ReadonlySet<string> {
    const counters = this.#kinds.flatMap(({ options }) =>
      Object.values<unknown>(options.counters ?? {})
    );
    return new Set(
      counters.filter((counter) => typeof counter === "string" && counter !== "step") as string[],
    );
  }

  /** How the run under way would end if it ended now. */
  get outcome(): Outcome {
    return this.#outcome();
  }

  /** Asks to stop after the step under way; the first reason is kept. It holds until the hooks are closed. */
  stop(reason: string): void {
    this.#stop ??= { reason, step: this.#stepCount };
    this.#again = 0;
  }

  /**
   * Ends the run after the step under way, as if there had been `nSteps`: there is nothing left to do. With a
   * `stepCount` the run was over when so many steps were done, which is known only now: steps done since count for
   * nothing, and what they deferred is dropped.
   */
  done(stepCount?: number): void {
    this.#isDone = true;
    if (stepCount === undefined) return;
    this.#end = Math.min(this.#end ?? Infinity, stepCount);
    this.#hooks.cut();
  }

  /**
   * Hands `deliver` what has yet to come, in one row with what observers of this and of earlier steps read: for engines
   * that learn late how a step went. It is handed nothing once the run has turned out to be over. Answers with
   * something to await when too much is under way, or, where `isAwaited`, when it is delivered.
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
   * Does something between two steps: at once where none is under way, else as soon as that is done, before the next one
   * begins; at the latest when the last step is done, before hooks are closed. What it throws is the caller's, and the
   * run goes on. A hook must not await it: the step waits for the hook.
   */
  betweenSteps<T>(work: () => T | PromiseLike<T>): Promise<T> {
    return this.#busy === undefined ? Promise.resolve().then(work) : this.#between.add(work);
  }

  /**
   * Does steps until there have been `nSteps`, or something asked to stop. Opens the hooks before and closes them
   * after, whatever happens. Rejects with what a step threw.
   */
  async run(nSteps: number = this.#options.nSteps ?? Infinity): Promise<Outcome> {
    assertSteps(this.name, nSteps);
    return await this.#while("run", async () => {
      const { signal } = this.#options;
      const abort = () => this.stop(reasonOf(signal));
      const isOurs = !this.#hooks.isOpen;
      try {
        this.#stop = undefined;
        await this.#open();
        const last = this.#stepCount + nSteps;
        await this.#attempt(async () => {
          await this.#engine.begin?.(this);
          if (signal?.aborted) abort();
          signal?.addEventListener("abort", abort); // once, however often
          await this.#steps(last);
          await this.#finish();
          await this.#between.workOff();
          await this.#engine.settled?.(this);
        });
      } catch (error) {
        this.#between.drop(this.name, error); // hooks may wait for it as they are closed
        await this.#hooks.close({ status: "failed", error });
        this.#goBack();
        throw error;
      } finally {
        signal?.removeEventListener("abort", abort);
      }
      const outcome = this.#outcome();
      if (isOurs) await this.#hooks.close(outcome);
      return outcome;
    });
  }

  /**
   * Does one step, opening the hooks if they are not open; `close`, or leaving an `await using` block, closes them.
   * When the step throws, they are closed at once, and it rejects with what was thrown.
   */
  async step(): Promise<void> {
    await this.#while("step", async () => {
      try {
        await this.#open();
        const last = this.#stepCount + 1;
        await this.#attempt(async () => {
          await this.#engine.begin?.(this);
          do await this.#step(); while (this.#stepCount < last && !this.#isDone);
          this.#hooks.check();
          await this.#between.workOff();
          await this.#engine.settled?.(this);
        });
      } catch (error) {
        this.#between.drop(this.name, error); // hooks may wait for it as they are closed
        await this.#hooks.close({ status: "failed", error });
        throw error;
      }
    });
  }

  /** Closes the hooks, if they are open, with the outcome of the steps done by hand. */
  async close(): Promise<void> {
    await this.#while("close", async () => {
      if (!this.#hooks.isOpen) return;
      try {
        await this.#attempt(() => this.#finish());
        await this.#between.workOff();
      } catch (error) {
        this.#between.drop(this.name, error); // hooks may wait for it as they are closed
        await this.#hooks.close({ status: "failed", error });
        throw error;
      }
      await this.#hooks.close(this.#outcome());
    });
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #open(): Promise<void> {
    this.#isDone = false;
    this.#again = 0;
    if (this.#end !== undefined) await this.#hooks.settle(); // of steps by hand: what is dropped is of the last run
    this.#end = undefined;
    if (!this.#hooks.isOpen) {
      this.#stop = undefined;
      await this.#hooks.open();
    }
  }

  /** Does something; again, from before, where it has failed and can be done in another way. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const stepCount = await this.#engine.recover?.(error);
        if (stepCount === undefined) throw error;
        this.#backTo(stepCount);
      }
    }
  }

  #backTo(stepCount: number): void {
    this.#isDone = false;
    this.#end = undefined;
    this.#again = this.#stop === undefined ? 0 : Math.max(this.#stepCount, this.#stop.step + 1);
    this.#stepCount = stepCount;
    this.context.stepCount = Math.max(0, stepCount - 1);
  }

  async #finish(): Promise<void> {
    await this.#hooks.settle(); // which may say that the run was over before
    this.#goBack();
    await this.#engine.end?.(this);
    await this.#hooks.finish();
  }

  /** To where the run was over, if that was known only later. */
  #goBack(): void {
    if (this.#end === undefined || this.#end >= this.#stepCount) return;
    this.#stepCount = this.#end;
    this.context.stepCount = Math.max(0, this.#end - 1);
  }

  /** One thing at a time: hooks that are called twice at once, or after their closing, could rely on nothing. */
  async #while<T>(action: string, work: () => Promise<T>): Promise<T> {
    this.#assertIdle(action);
    this.#busy = action;
    try {
      return await work();
    } finally {
      this.#busy = undefined;
      this.#between.drop(this.name);
    }
  }

  #assertIdle(action: string): void {
    if (this.#busy === undefined) return;
    throw new Error(
      `Cannot ${action} ${this.name} as it must not be running already: await its ${this.#busy} first`,
    );
  }

  async #steps(last: number): Promise<void> {
    const canRunMany = this.#engine.multiStep !== undefined;
    while (this.#stepCount < last && !this.#isStopped && !this.#isDone) {
      if (!this.#between.isEmpty && await this.#isOverNow()) break;
      const until = this.#stop === undefined ? last : Math.min(last, this.#again);
      const left = until - this.#stepCount;
      const free = canRunMany ? Math.min(this.#hooks.horizon(this.#stepCount), left) : 0;
      const result = free >= 1 ? this.#multiStep(free) : this.#step();
      if (isThenable(result)) await result;
      const turn = this.#turn.give();
      if (turn !== undefined) await turn;
      this.#hooks.check();
    }
  }

  /** Does what is to be done between steps, unless the run has turned out to be over: then it is done after it. */
  async #isOverNow(): Promise<boolean> {
    await this.#hooks.soFar;
    this.#hooks.check();
    if (this.#isDone || this.#isStopped) return true;
    await this.#between.workOff();
    return false;
  }

  get #isStopped(): boolean {
    return this.#stop !== undefined && this.#stepCount >= this.#again;
  }

  #multiStep(free: number): void | PromiseLike<void> {
    const steps = this.#lengths.next(free);
    const begun = performance.now();
    const ran = (done: number | void) => {
      this.#lengths.took(done ?? steps, performance.now() - begun);
      this.#stepCount += done ?? steps;
      this.context.stepCount = this.#stepCount - 1;
    };
    const failed = (error: unknown) => {
      const last = Math.min(this.context.stepCount, this.#stepCount + steps);
      this.#stepCount = Math.max(this.#stepCount, last);
      throw error;
    };
    try {
      const result = this.#engine.multiStep!(this, steps);
      if (isThenable(result)) return result.then(ran, failed);
      ran(result);
    } catch (error) {
      failed(error);
    }
  }

  #step(): void | PromiseLike<void> {
    this.context.stepCount = this.#stepCount;
    const result = this.#engine.step(this);
    if (isThenable(result)) return result.then(() => this.#stepped());
    this.#stepped();
  }

  #stepped(): void {
    this.#pending.assertNone("end a step");
    this.#stepCount++;
  }

  #outcome(): Outcome {
    // Whoever asked to stop after the run was over did so in a step that never was.
    const isLate = this.#stop !== undefined && this.#stop.step >= (this.#end ?? Infinity);
    return this.#stop === undefined || isLate
      ? { status: "completed" }
      : { status: "stopped", ...this.#stop };
  }

  #count(counter: string): number {
    return counter === "step" ? this.#stepCount : this.#counts.get(counter) ?? 0;
  }

  #reach(stage: StageOf<E>, role: "observe" | "pipe" | "gate" | "replace"): StagePoint {
    const point = this.#hooks.point(stage);
    this.#pending.assertNone(`reach ${stage}`);
    if (point.info.role === role) return point;
    throw new TypeError(
      `Cannot use ${stage} as it must be reached by its role: it is a ${point.info.role} stage, use loop.${
        point.info.role === "observe" ? "fire" : point.info.role
      }()`,
    );
  }
}

/** Returns the parts of an engine that its hooks work with; methods stay bound to the engine. */
function partsOf<E extends AnyStages>(
  engine: Engine<E>,
): Pick<EngineHooksOptions<E>, "state" | "worker" | "coming" | "isFatal"> {
  const { state, worker } = engine;
  return {
    ...(state && { state }),
    ...(worker && { worker }),
    ...(engine.coming && { coming: (stage) => engine.coming!(stage) }),
    ...(engine.isFatal && { isFatal: (error) => engine.isFatal!(error) }),
  };
}
