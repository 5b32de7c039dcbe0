/**
 * Visits of stages whose handlers decide: pipe, gate and replace stages.
 *
 * @module
 */

import type { StageHandler } from "../registry/stage_handler.ts";
import { contextAt } from "./reads.ts";
import type { StageRun } from "./stage_run.ts";
import { show } from "../../base/show.ts";
import { isThenable } from "../../base/sequence.ts";

/** The context fields of pipe and gate stages, writable for the engine. */
interface RoleContext {
  value: unknown;
  skipping: boolean;
}

/** Combines the answers of handlers: a pipe passes a value on, a gate combines votes. */
interface Fold {
  /** Writes the result so far into the context of the next handler. */
  prepare(ctx: RoleContext, soFar: unknown): void;
  /** Returns the result so far combined with an answer. Throws a TypeError if the answer is invalid. */
  merge(handler: StageHandler, answer: unknown, soFar: unknown): unknown;
}

const PIPE: Fold = {
  prepare: (ctx, value) => {
    ctx.value = value;
  },
  merge: (handler, answer) => {
    if (answer !== undefined) return answer;
    throw new TypeError(
      `Cannot pipe through hook ${handler.entry.name}: its handler of ${handler.info.stage} must return the next value; ` +
        `got undefined`,
    );
  },
};

const GATE: Fold = {
  prepare: (ctx, isOpen) => {
    ctx.skipping = isOpen === false;
  },
  merge: (handler, answer, isOpen) => {
    if (typeof answer === "boolean") return answer && isOpen;
    throw new TypeError(
      `Cannot use the answer of hook ${handler.entry.name} at ${handler.info.stage}: the handler of a gate must return true or false; ` +
        `got ${show(answer)}`,
    );
  },
};

/** Passes a value through the due handlers, and returns the last result. */
export function pipe(run: StageRun, value: unknown, count: number): unknown {
  return fold(run, 0, value, count, PIPE);
}

/** Asks the due handlers of a gate stage. Returns `true` if none of them vetoes. */
export function gate(run: StageRun, count: number): boolean | PromiseLike<boolean> {
  return fold(run, 0, true, count, GATE) as boolean | PromiseLike<boolean>;
}

// The loop stays synchronous and makes no closure, as in `StageRun.observe`. At the first promise, `resume` takes over:
// it merges the answer, and calls `fold` for the handlers after it.
function fold(run: StageRun, from: number, first: unknown, count: number, by: Fold): unknown {
  const { host, handlers } = run;
  const ctx = contextAt(host.context, handlers[0]!.info) as RoleContext;
  let soFar = first;
  for (let i = from; i < handlers.length; i++) {
    const handler = handlers[i]!;
    try {
      by.prepare(ctx, soFar);
      if (!handler.fires(count, host.step)) continue;
      const answer = run.call(handler);
      if (isThenable(answer)) return resume(run, i, soFar, answer, count, by);
      soFar = by.merge(handler, answer, soFar);
    } catch (error) {
      host.failed(handler, error); // if the error policy lets the run continue, the answer is ignored
    }
  }
  return soFar;
}

async function resume(
  run: StageRun,
  i: number,
  before: unknown,
  answer: PromiseLike<unknown>,
  count: number,
  by: Fold,
): Promise<unknown> {
  const handler = run.handlers[i]!;
  let soFar = before;
  try {
    soFar = by.merge(handler, await watched(run, handler, answer), before);
  } catch (error) {
    run.host.failed(handler, error);
  }
  return await fold(run, i + 1, soFar, count, by);
}

/**
 * Runs the hook that claimed a replace stage. Runs `otherwise` if the hook is not due, or fails and its error policy
 * lets the run continue.
 */
export function replace<V>(
  run: StageRun,
  otherwise: () => V | PromiseLike<V>,
  count: number,
): V | PromiseLike<V> {
  const handler = run.handlers[0]!;
  try {
    if (handler.fires(count, run.host.step)) {
      const result = run.call(handler) as V | PromiseLike<V>;
      if (!isThenable(result)) return result;
      return watched(run, handler, result)
        .then(undefined, (error) => instead(run, error, otherwise));
    }
  } catch (error) {
    return instead(run, error, otherwise);
  }
  return otherwise();
}

/**
 * Watches a promise of a handler, so that an aborted run does not wait for it indefinitely. Calls with fetched fields
 * are already watched in `callFetched`.
 */
function watched<V>(
  { host }: StageRun,
  handler: StageHandler,
  answer: PromiseLike<V>,
): PromiseLike<V> {
  return handler.isDeferred ? answer : host.answer(handler, answer);
}

/** Applies the error policy of the hook that claimed the stage. If the policy does not throw, runs `otherwise`. */
function instead<V>(
  { host, handlers }: StageRun,
  error: unknown,
  otherwise: () => V | PromiseLike<V>,
): V | PromiseLike<V> {
  host.failed(handlers[0]!, error);
  return otherwise();
}
