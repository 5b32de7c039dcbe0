/**
 * Visits of the stages whose handlers decide: pipes, gates and replacements.
 *
 * @module
 */

import type { StageHandler } from "../registry/stage_handler.ts";
import { contextAt } from "./reads.ts";
import type { StageRun } from "./stage_run.ts";
import { show } from "../../base/show.ts";
import { isThenable } from "../../base/sequence.ts";

/** The context fields of pipes and gates, as the engine writes them. */
interface RoleContext {
  value: unknown;
  skipping: boolean;
}

/** A way to combine the answers at a stage: a value is piped, or votes are counted. */
interface Fold {
  /** Shows the result so far to the next handler. */
  prepare(ctx: RoleContext, soFar: unknown): void;
  /** Combines an answer with the result so far. Throws if it is not a valid answer. */
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

/** Pipes a value through the handlers that are due. */
export function pipe(run: StageRun, value: unknown, count: number): unknown {
  return fold(run, 0, value, count, PIPE);
}

/** Asks the gates that are due: `true` to go on. */
export function gate(run: StageRun, count: number): boolean | PromiseLike<boolean> {
  return fold(run, 0, true, count, GATE) as boolean | PromiseLike<boolean>;
}

// The loop stays synchronous and makes no closure, as in `StageRun.observe`; the first promise hands over to
// `resume`, which merges its answer and comes back for the handlers after it.
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
      host.failed(handler, error); // if its policy lets the run go on, the answer does not count
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

/** Lets the one claimant do the work if it is due. If it is not, or fails and may, `otherwise` does the work. */
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

/** Waits for an answer. Where fields are fetched first, the call is watched where it is made. */
function watched<V>(
  { host }: StageRun,
  handler: StageHandler,
  answer: PromiseLike<V>,
): PromiseLike<V> {
  return handler.isDeferred ? answer : host.answer(handler, answer);
}

/** Applies the error policy of the claimant; if the run goes on, `otherwise` does the work. */
function instead<V>(
  { host, handlers }: StageRun,
  error: unknown,
  otherwise: () => V | PromiseLike<V>,
): V | PromiseLike<V> {
  host.failed(handlers[0]!, error);
  return otherwise();
}
