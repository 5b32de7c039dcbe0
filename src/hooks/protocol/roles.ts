/**
 * The stages whose handlers decide: pipes, gates and replacements.
 *
 * @module
 */

import type { Place } from "../registry/entry.ts";
import type { StageRun } from "../run/stage_run.ts";
import { show } from "../../base/show.ts";
import { isThenable } from "../../base/sequence.ts";

/** The fields of a context that pipes and gates see; the engine's own view of them. */
interface RoleContext {
  value: unknown;
  skipping: boolean;
}

/** How the answers at a stage become one: a value handed through, or votes counted. */
interface Fold {
  /** Shows the next handler what there is so far. */
  prepare(ctx: RoleContext, soFar: unknown): void;
  /** Takes an answer in. Throws for one that is none. */
  merge(place: Place, answer: unknown, soFar: unknown): unknown;
}

const PIPE: Fold = {
  prepare: (ctx, value) => {
    ctx.value = value;
  },
  merge: (place, answer) => {
    if (answer !== undefined) return answer;
    throw new TypeError(
      `Cannot pipe through hook ${place.entry.name} as its handler of ${place.info.stage} must return the next value: ` +
        `current value is undefined`,
    );
  },
};

const GATE: Fold = {
  prepare: (ctx, isOpen) => {
    ctx.skipping = isOpen === false;
  },
  merge: (place, answer, isOpen) => {
    if (typeof answer === "boolean") return answer && isOpen;
    throw new TypeError(
      `Cannot ask hook ${place.entry.name} at ${place.info.stage} as a gate must answer true or false: ` +
        `current value is ${show(answer)}`,
    );
  },
};

/** Hands a value through the pipes that are due. */
export function pipe(run: StageRun, value: unknown, count: number): unknown {
  return fold(run, 0, value, count, PIPE);
}

/** Asks the gates that are due: `true` to go on. */
export function gate(run: StageRun, count: number): boolean | PromiseLike<boolean> {
  return fold(run, 0, true, count, GATE) as boolean | PromiseLike<boolean>;
}

function fold(run: StageRun, from: number, first: unknown, count: number, by: Fold): unknown {
  const { host, places } = run;
  let soFar = first;
  for (let i = from; i < places.length; i++) {
    const place = places[i]!;
    try {
      by.prepare(host.context as RoleContext, soFar);
      if (!place.fires(count, host.step)) continue;
      const answer = run.call(place);
      if (isThenable(answer)) return foldLater(run, i, soFar, answer, count, by);
      soFar = by.merge(place, answer, soFar);
    } catch (error) {
      host.failed(place, error); // when it may go on, the answer does not count
    }
  }
  return soFar;
}

async function foldLater(
  run: StageRun,
  i: number,
  before: unknown,
  answer: PromiseLike<unknown>,
  count: number,
  by: Fold,
): Promise<unknown> {
  const place = run.places[i]!;
  let soFar = before;
  try {
    soFar = by.merge(place, await answer, before);
  } catch (error) {
    run.host.failed(place, error);
  }
  return await fold(run, i + 1, soFar, count, by);
}

/** Lets the one claimant do the work if it is due; when it is not, or fails and may, `otherwise` does. */
export function replace<V>(
  run: StageRun,
  otherwise: () => V | PromiseLike<V>,
  count: number,
): V | PromiseLike<V> {
  const place = run.places[0]!;
  try {
    if (place.fires(count, run.host.step)) {
      const result = run.call(place) as V | PromiseLike<V>;
      return isThenable(result) ? replaceLater(run, result, otherwise) : result;
    }
  } catch (error) {
    run.host.failed(place, error);
  }
  return otherwise();
}

async function replaceLater<V>(
  run: StageRun,
  result: PromiseLike<unknown>,
  otherwise: () => V | PromiseLike<V>,
): Promise<V> {
  try {
    return await result as V;
  } catch (error) {
    run.host.failed(run.places[0]!, error);
    return await otherwise();
  }
}
