/**
 * A step loop of the user's own, with hooks at every stage of it.
 *
 * @module
 */

import type { BaseContext, Workflow } from "./context.ts";
import { EngineHooks, type EngineHooksOptions } from "./hooks.ts";
import type { Outcome } from "./outcome.ts";
import type { OwnFields } from "./own_fields.ts";
import type { StagePoint } from "./point.ts";
import type { HookInput, HookSet } from "./registry.ts";
import type { SavedHooks } from "./saved.ts";
import { Shared } from "./shared.ts";
import type { AnyStages, StageOf } from "./stage.ts";
import { isThenable } from "./thenable.ts";
import { Turn } from "./turn.ts";

/** What a {@linkcode Loop} is made of. */
export interface LoopOptions<E extends AnyStages>
  extends Pick<EngineHooksOptions<E>, "state" | "onWarning" | "verify"> {
  /** The kinds of stages it fires: one, or several. */
  readonly kinds: E | readonly E[];
  /** One step; fires stages through the loop it is given. */
  step(loop: Loop<E>): void | PromiseLike<void>;
  /**
   * Many steps at once, `n` of them, during which no hook is due: one WASM call, one command buffer.
   *
   * @default none: `step` is called for each
   */
  leap?(loop: Loop<E>, n: number): void | PromiseLike<void>;
  /** The kinds' own context fields. Required where a kind has some that every stage offers. */
  readonly context?: OwnFields<E>;
  /**
   * Hooks to begin with; `loop.hooks.add` takes more, with options and stricter types.
   *
   * @default none
   */
  readonly hooks?: readonly HookInput<E>[];
  /**
   * Steps that `run` does when it is not told.
   *
   * @default Infinity: until a hook asks to stop
   */
  readonly nSteps?: number;
  /**
   * What it is called in listings and logs.
   *
   * @default "loop"
   */
  readonly name?: string;
  /** Stops the loop after the step under way. */
  readonly signal?: AbortSignal;
}

/** What a checkpoint keeps of a {@linkcode Loop}. */
export interface SavedLoop {
  /** Steps done. */
  readonly stepCount: number;
  /** The other counters. */
  readonly counts: Readonly<Record<string, number>>;
  /** The hooks' part. */
  readonly hooks: SavedHooks;
}

/** An engine for step loops of the user's own: declares kinds, fires stages, counts steps. */
export class Loop<E extends AnyStages> implements Workflow, AsyncDisposable {
  /** What it is called in listings and logs. */
  readonly name: string;
  /** Rank of this process among those that share the work. */
  readonly globalRank = 0;
  /** The one context that all hooks see; change its own fields before firing a stage. */
  readonly context: { -readonly [k in keyof BaseContext]: BaseContext[k] } & OwnFields<E>;
  readonly #hooks: EngineHooks<E>;
  readonly #options: LoopOptions<E>;
  readonly #turn = new Turn();
  readonly #counts = new Map<string, number>();
  #longestLeap = 1024;
  #stepCount = 0;
  #stop: { readonly reason: string; readonly step: number } | undefined;
  #isRunning = false;
  #failure: { readonly error: unknown } | undefined;
  #pending: { readonly stage: string } | undefined;

  /** Throws a TypeError or RangeError that names the hook or option that is wrong. */
  constructor(options: LoopOptions<E>) {
    if (typeof options?.step !== "function") {
      throw new TypeError(
        `Cannot make a loop as step must be a function: current value is ${String(options?.step)}`,
      );
    }
    this.#options = options;
    this.name = options.name ?? "loop";
    const base = {
      stepCount: 0,
      globalRank: 0,
      shared: new Shared(),
      workflow: this,
      stop: stopper((reason, step) => this.#stop ??= { reason, step: step ?? this.#stepCount }),
      value: undefined,
      skipping: false,
    };
    this.context = { ...base, ...options.context } as unknown as Loop<E>["context"];
    this.#hooks = new EngineHooks({
      ...options,
      kinds: [options.kinds].flat() as readonly E[],
      context: this.context,
      workflow: this,
      counts: (counter) => this.#count(counter),
    });
    for (const hook of options.hooks ?? []) this.#hooks.add(hook);
  }

  /** The hooks. */
  get hooks(): HookSet<E> & Pick<EngineHooks<E>, "horizon"> {
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
    return this.#awaited(stage, point.fire(this.#count(point.info.counter)));
  }

  /** Hands a value through a pipe stage. */
  pipe<V>(stage: StageOf<E>, value: V): V | PromiseLike<V> {
    const point = this.#reach(stage, "pipe");
    return this.#awaited(stage, point.pipe(value, this.#count(point.info.counter)));
  }

  /** Asks a gate stage: `true` to go on. */
  gate(stage: StageOf<E>): boolean | PromiseLike<boolean> {
    const point = this.#reach(stage, "gate");
    return this.#awaited(stage, point.gate(this.#count(point.info.counter)));
  }

  /** Does the work of a replace stage: by the hook that claimed it, else by `otherwise`. */
  replace<V>(stage: StageOf<E>, otherwise: () => V | PromiseLike<V>): V | PromiseLike<V> {
    const point = this.#reach(stage, "replace");
    return this.#awaited(stage, point.replace(otherwise, this.#count(point.info.counter)));
  }

  /** What a checkpoint keeps of the loop: its counters and its hooks' state. Plain data. */
  save(): SavedLoop {
    return {
      stepCount: this.#stepCount,
      counts: Object.fromEntries(this.#counts),
      hooks: this.#hooks.save(),
    };
  }

  /** Goes on where `save` was called: counters, the hooks' own state, and which of them are on. */
  load(saved: SavedLoop): void {
    this.#hooks.load(saved?.hooks);
    this.#stepCount = saved.stepCount;
    for (const [counter, count] of Object.entries(saved.counts)) this.#counts.set(counter, count);
  }

  /** Moves a counter other than the step by one: an epoch is done. */
  advance(counter: string): void {
    this.#counts.set(counter, this.#count(counter) + 1);
  }

  /** Asks to stop after the step under way; the first reason is kept. */
  stop(reason: string): void {
    this.#stop ??= { reason, step: this.#stepCount };
  }

  /**
   * Does steps until there have been `nSteps`, or something asked to stop. Opens the hooks before and closes them
   * after, whatever happens. Rejects with what a step threw.
   */
  async run(nSteps: number = this.#options.nSteps ?? Infinity): Promise<Outcome> {
    if (!(nSteps >= 0) || (nSteps !== Infinity && !Number.isInteger(nSteps))) {
      throw new RangeError(
        `Cannot run ${this.name} as nSteps must be a whole number from 0 on: current value is ${
          String(nSteps)
        }`,
      );
    }
    if (this.#isRunning) {
      throw new Error(
        `Cannot run ${this.name} as it must not be running already: await the first run`,
      );
    }
    this.#isRunning = true;
    const { signal } = this.#options;
    const abort = () => this.stop(String(signal?.reason ?? "aborted"));
    const wasOpen = this.#hooks.isOpen;
    try {
      this.#stop = undefined;
      if (signal?.aborted) abort();
      signal?.addEventListener("abort", abort);
      await this.#hooks.open();
      return await this.#runOpen(nSteps, wasOpen);
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#isRunning = false;
    }
  }

  /** Does one step, opening the hooks if they are not; `close`, or leaving an `await using` block, closes them. */
  async step(): Promise<void> {
    await this.#hooks.open();
    try {
      await this.#step();
      this.#hooks.check();
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  /** Closes the hooks, if they are open, with the outcome of the steps done by hand. */
  async close(): Promise<void> {
    const outcome = this.#failure === undefined
      ? this.#outcome()
      : { status: "failed", ...this.#failure } as const;
    this.#failure = undefined;
    await this.#hooks.close(outcome);
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #runOpen(nSteps: number, wasOpen: boolean): Promise<Outcome> {
    try {
      await this.#steps(nSteps);
      await this.#hooks.settle();
    } catch (error) {
      await this.#hooks.close({ status: "failed", error });
      throw error;
    }
    const outcome = this.#outcome();
    if (!wasOpen) await this.#hooks.close(outcome);
    return outcome;
  }

  async #steps(nSteps: number): Promise<void> {
    const { leap } = this.#options;
    const last = this.#stepCount + nSteps;
    while (this.#stepCount < last && this.#stop === undefined) {
      const free = leap === undefined
        ? 0
        : Math.min(this.#hooks.horizon(this.#stepCount), last - this.#stepCount);
      const result = free >= 1 ? this.#leap(free) : this.#step();
      if (isThenable(result)) await result;
      const turn = this.#turn.give();
      if (turn !== undefined) await turn;
      this.#hooks.check();
    }
  }

  #leap(n: number): void | PromiseLike<void> {
    const steps = Math.min(n, this.#longestLeap);
    const begun = performance.now();
    const leapt = () => {
      // As long as a turn, so that Ctrl-C and `stop` come through even where no hook is ever due.
      const took = performance.now() - begun;
      if (took < 25) this.#longestLeap *= 2;
      else if (took > 50) this.#longestLeap = Math.max(1, this.#longestLeap >>> 1);
      this.#stepCount += steps;
      this.context.stepCount = this.#stepCount - 1;
    };
    const result = this.#options.leap!(this, steps);
    if (isThenable(result)) return result.then(leapt);
    leapt();
  }

  #step(): void | PromiseLike<void> {
    this.context.stepCount = this.#stepCount;
    const result = this.#options.step(this);
    if (isThenable(result)) return result.then(() => this.#stepped());
    this.#stepped();
  }

  #stepped(): void {
    this.#assertAwaited("end a step");
    this.#stepCount++;
  }

  #outcome(): Outcome {
    return this.#stop === undefined
      ? { status: "completed" }
      : { status: "stopped", ...this.#stop };
  }

  #count(counter: string): number {
    return counter === "step" ? this.#stepCount : this.#counts.get(counter) ?? 0;
  }

  #reach(stage: StageOf<E>, role: "observe" | "pipe" | "gate" | "replace"): StagePoint {
    const point = this.#hooks.point(stage);
    this.#assertAwaited(`reach ${stage}`);
    if (point.info.role === role) return point;
    throw new TypeError(
      `Cannot use ${stage} as it must be reached by its role: it is a ${point.info.role} stage, use loop.${
        point.info.role === "observe" ? "fire" : point.info.role
      }()`,
    );
  }

  /** Remembers a promise that the caller must await, so that forgetting it is found out. */
  #awaited<V>(stage: string, result: V): V {
    if (!isThenable(result)) return result;
    const pending = { stage };
    this.#pending = pending;
    const done = () => {
      if (this.#pending === pending) this.#pending = undefined;
    };
    result.then(done, done);
    return result;
  }

  #assertAwaited(action: string): void {
    if (this.#pending === undefined) return;
    const { stage } = this.#pending;
    this.#pending = undefined;
    throw new Error(
      `Cannot ${action} as the hooks of ${stage} must be done: one is asynchronous, so await what the loop returned for that stage`,
    );
  }
}

/** A deferred observer asks through the context of its own step, so that is the step to name. */
function stopper(ask: (reason: string, step: number | undefined) => void): BaseContext["stop"] {
  return function (this: BaseContext | undefined, reason: string): void {
    ask(reason, this?.stepCount);
  };
}
