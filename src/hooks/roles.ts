/**
 * The stages whose handlers decide: pipes, gates and replacements.
 *
 * @module
 */

import type { Place } from "./entry.ts";
import type { StageRun } from "./stage_run.ts";
import { isThenable } from "./thenable.ts";

/** The fields of a context that pipes and gates see; the engine's own view of them. */
interface RoleContext {
  value: unknown;
  skipping: boolean;
}

/** Hands a value through the pipes that are due, from place `from` on. */
export function pipe(run: StageRun, from: number, first: unknown, count: number): unknown {
  const ctx = run.host.context as RoleContext;
  let value = first;
  for (let i = from; i < run.places.length; i++) {
    const place = run.places[i]!;
    try {
      ctx.value = value;
      if (!place.fires(count, run.host.step)) continue;
      const result = run.call(place);
      if (isThenable(result)) return pipeLater(run, i, value, result, count);
      value = piped(place, result);
    } catch (error) {
      run.host.failed(place, error);
    }
  }
  return value;
}

async function pipeLater(
  run: StageRun,
  i: number,
  before: unknown,
  result: PromiseLike<unknown>,
  count: number,
): Promise<unknown> {
  const place = run.places[i]!;
  let value = before;
  try {
    value = piped(place, await result);
  } catch (error) {
    run.host.failed(place, error);
  }
  return await pipe(run, i + 1, value, count);
}

function piped(place: Place, value: unknown): unknown {
  if (value !== undefined) return value;
  throw new TypeError(
    `Cannot pipe through hook ${place.entry.name} as its handler of ${place.info.stage} must return the next value: ` +
      `current value is undefined`,
  );
}

/** Asks the gates that are due, from place `from` on. */
export function gate(
  run: StageRun,
  from: number,
  open: boolean,
  count: number,
): boolean | PromiseLike<boolean> {
  const ctx = run.host.context as RoleContext;
  let isOpen = open;
  for (let i = from; i < run.places.length; i++) {
    const place = run.places[i]!;
    try {
      ctx.skipping = !isOpen;
      if (!place.fires(count, run.host.step)) continue;
      const vote = run.call(place);
      if (isThenable(vote)) return gateLater(run, i, isOpen, vote, count);
      isOpen = voted(place, vote) && isOpen;
    } catch (error) {
      run.host.failed(place, error);
    }
  }
  return isOpen;
}

async function gateLater(
  run: StageRun,
  i: number,
  open: boolean,
  vote: PromiseLike<unknown>,
  count: number,
): Promise<boolean> {
  const place = run.places[i]!;
  let isOpen = open;
  try {
    isOpen = voted(place, await vote) && isOpen;
  } catch (error) {
    run.host.failed(place, error);
  }
  return await gate(run, i + 1, isOpen, count);
}

function voted(place: Place, vote: unknown): boolean {
  if (typeof vote === "boolean") return vote;
  throw new TypeError(
    `Cannot ask hook ${place.entry.name} at ${place.info.stage} as a gate must answer true or false: ` +
      `current value is ${String(vote)}`,
  );
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
