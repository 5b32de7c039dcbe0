/**
 * Calls of handlers after the engine has moved on: observers whose fields had to be fetched, and events that are
 * reported late. Each call gets a copy of the context as it was at the time of its step.
 *
 * @module
 */

import type { StageHandler } from "../registry/stage_handler.ts";
import {
  answered,
  callFetched,
  contextWithShare,
  fetchAs,
  fetchFor,
  fetchIfDeferred,
  withFields,
} from "./fetched_call.ts";
import { copyAt, type FetchPlan, type FieldValues, type ReadPlan } from "./reads.ts";
import type { Coming, StageHost } from "./stage_host.ts";

/** A call of a handler that waits for its values. */
interface LateCall {
  readonly handler: StageHandler;
  /** A copy of the context from the step of the call. */
  readonly ctx: object;
  /** The count of the call's firing. */
  readonly at: number;
  /** The count of the handler's previous firing; -1 if it had not fired before. */
  readonly previous: number;
}

/**
 * Defers observers: starts one copy of the fields of all of them now, and calls each with a context of this step once
 * the copy and the pending context fields have arrived.
 */
export function deferCalls(
  host: StageHost,
  plan: ReadPlan | undefined,
  handlers: readonly StageHandler[],
  coming: Coming | undefined,
): PromiseLike<void> | undefined {
  const late = handlers.map((handler) => ({
    handler,
    ctx: snapshot(handler, host.context),
    at: handler.schedule.last,
    previous: handler.schedule.previous,
  }));
  const values = fetchLate(host, plan, handlers);
  if (coming === undefined) {
    return host.defer(values, (values) => deliver(host, late, values));
  }
  let fields: object | undefined;
  const both = Promise.all([values, coming]).then(([values, arrived]) => {
    fields = arrived;
    return arrived === undefined ? undefined : values;
  });
  return host.defer(both, (values) => deliver(host, late, values, fields));
}

/** Fetches the current fields of the handlers whose fields must be fetched, by one plan. */
function fetchLate(
  host: StageHost,
  plan: ReadPlan | undefined,
  handlers: readonly StageHandler[],
): Promise<FieldValues | undefined> {
  const reading = handlers.filter(({ isDeferred }) => isDeferred);
  if (reading.length === 0) return Promise.resolve({});
  return fetchAs(host, reading, () => (plan as FetchPlan).fetch(false));
}

/**
 * Calls the handlers in order. If `values` is undefined, their step does not count, and their firings are undone
 * instead.
 */
async function deliver(
  host: StageHost,
  late: readonly LateCall[],
  values: FieldValues | undefined,
  fields: object = {},
): Promise<void> {
  if (values === undefined) return unfire(late);
  for (const [i, call] of late.entries()) {
    if (hasGivenUp(call.handler)) continue;
    try {
      await deliverOne(host, call, values, fields);
    } catch (error) {
      try {
        report(host, call, error);
      } catch (thrown) {
        unfire(late.slice(i + 1)); // the later handlers have not been called
        throw thrown;
      }
    }
  }
}

async function deliverOne(
  host: StageHost,
  { handler, ctx, at, previous }: LateCall,
  values: FieldValues,
  fields: object,
): Promise<void> {
  const known = withFields(ctx, fields, handler.info);
  const own = handler.isDeferred ? contextWithShare(host, handler, known, values) : known;
  if (own === undefined) handler.skip(at, previous);
  else await answered(host, handler, handler.binding.target.call(own, handler.info.stage));
}

function report(host: StageHost, { handler, ctx, at, previous }: LateCall, error: unknown): void {
  const { stepCount } = ctx as { readonly stepCount: number };
  host.failed(handler, ofStep(handler, error, stepCount), stepCount, previous, at);
}

function unfire(late: readonly LateCall[]): void {
  for (const { handler, previous } of late) handler.unfire(previous);
}

/**
 * Returns an error that names the step of a late call, because the engine is at a later step. An error that already
 * carries this step is returned as it is.
 */
function ofStep(
  { entry: { name }, info: { stage } }: StageHandler,
  error: unknown,
  step: number,
): unknown {
  if (error instanceof Error && (error as { readonly step?: unknown }).step === step) return error;
  return new Error(`Cannot continue: hook ${name} threw at ${stage} of step ${step}`, {
    cause: error,
  });
}

/** Returns whether the hook was disabled because of an earlier error. */
function hasGivenUp({ onError, entry }: StageHandler): boolean {
  return onError === "disable" && entry.errors > 0 && !entry.enabled;
}

/** A handler with a copy of the context for its event. */
interface EventCall {
  readonly handler: StageHandler;
  readonly ctx: object;
}

/**
 * Calls the handlers that are due at an event which happened earlier, one after the other, each with a copy of the
 * context. Modifiers come first. Then the fields of all observers are fetched before any observer is called, so that
 * all of them see the same state.
 */
export async function callEvent(
  host: StageHost,
  handlers: readonly StageHandler[],
  event: object,
  count: number,
): Promise<void> {
  const calls = handlers.map((handler) => ({
    handler,
    ctx: snapshot(handler, host.context, event),
  }));
  for (const call of calls) {
    if (call.handler.isObserver || !isDue(host, call, count)) continue;
    await callAtEvent(host, call, count, () => fetchFor(host, call.handler));
  }
  await callObservers(host, calls.filter(({ handler }) => handler.isObserver), count);
}

async function callObservers(
  host: StageHost,
  observers: readonly EventCall[],
  count: number,
): Promise<void> {
  const asked = observers.filter(({ handler, ctx }) => handler.hasShare(ctx));
  const due = asked.filter((call) => isDue(host, call, count));
  const fetched = await Promise.allSettled(
    due.map(({ handler }) => fetchIfDeferred(host, handler)),
  );
  try {
    for (const [i, read] of fetched.entries()) {
      if (read.status === "rejected") host.failed(due[i]!.handler, read.reason, count);
    }
  } catch (error) {
    // If the run recovers, it reports this event again, and the observers must fire then.
    for (const { handler } of asked) handler.unask();
    throw error;
  }
  for (const [i, read] of fetched.entries()) {
    if (read.status === "fulfilled") await callAtEvent(host, due[i]!, count, () => read.value);
  }
}

function isDue(host: StageHost, { handler, ctx }: EventCall, count: number): boolean {
  try {
    return handler.fires(count, host.step, ctx);
  } catch (error) {
    host.failed(handler, error, count);
    return false;
  }
}

/** Calls one handler at an event. If its fields must be fetched, `valuesOf` returns them. */
async function callAtEvent(
  host: StageHost,
  { handler, ctx }: EventCall,
  count: number,
  valuesOf: () => FieldValues | undefined | PromiseLike<FieldValues | undefined>,
): Promise<void> {
  try {
    if (!handler.isDeferred) {
      await answered(host, handler, handler.binding.target.call(ctx, handler.info.stage));
      return;
    }
    const values = await valuesOf();
    if (values !== undefined) await callFetched(host, handler, ctx, values);
  } catch (error) {
    host.failed(handler, error, count);
  }
}

/**
 * Returns a copy of the engine's context with the fields of `event`. The engine goes on to change its own context in
 * place.
 */
function snapshot(
  { info, binding: { ctx, hasOwnContext } }: StageHandler,
  engineContext: object,
  event: object = {},
): object {
  const copy = copyAt(engineContext, info) as { stop?: unknown };
  Object.assign(copy, event);
  // Bound to the copy, so that `stop` names the step of the copy even if a handler destructures the context.
  if (typeof copy.stop === "function") copy.stop = copy.stop.bind(copy);
  return hasOwnContext ? Object.create(copy, Object.getOwnPropertyDescriptors(ctx)) : copy;
}
