/**
 * Calls of handlers after the engine has moved on: observers whose fields have arrived, and events that are reported
 * later than they happened. Each call gets a copy of the context as it was.
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

/** A handler that is called once its values have arrived. */
interface LateCall {
  readonly handler: StageHandler;
  /** The context as it was in its step. */
  readonly ctx: object;
  /** The count at which it fired. */
  readonly at: number;
  /** The count at which it had fired before. */
  readonly previous: number;
}

/**
 * Defers observers: takes one fused copy of the fields of all of them now, and calls each with a context of this step
 * once the copy and the pending fields of the context have arrived.
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

/** Fetches the current fields of the handlers that read them. */
function fetchLate(
  host: StageHost,
  plan: ReadPlan | undefined,
  handlers: readonly StageHandler[],
): Promise<FieldValues | undefined> {
  const reading = handlers.filter(({ isDeferred }) => isDeferred);
  if (reading.length === 0) return Promise.resolve({});
  return fetchAs(host, reading, () => (plan as FetchPlan).fetch(false));
}

/** Calls the handlers in order. If `values` is undefined their step does not count, and nothing is called. */
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
        unfire(late.slice(i + 1)); // they have not been called
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

/** Returns an error that names its step, as the engine is at a later one; some errors do already. */
function ofStep(
  { entry: { name }, info: { stage } }: StageHandler,
  error: unknown,
  step: number,
): unknown {
  if (error instanceof Error && (error as { readonly step?: unknown }).step === step) return error;
  return new Error(`Cannot go on: hook ${name} threw at ${stage} of step ${step}`, {
    cause: error,
  });
}

/** Returns whether the handler failed before and was disabled for that. */
function hasGivenUp({ onError, entry }: StageHandler): boolean {
  return onError === "disable" && entry.errors > 0 && !entry.enabled;
}

/** A handler with the context of its event. */
interface EventCall {
  readonly handler: StageHandler;
  readonly ctx: object;
}

/**
 * Calls the handlers that are due at an event which happened earlier, each with a copy of the context, one after the
 * other. Modifiers come first; then the fields of all observers are fetched before the first of them is called, so that
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
  const due = observers.filter((call) => isDue(host, call, count));
  const fetched = await Promise.allSettled(
    due.map(({ handler }) => fetchIfDeferred(host, handler)),
  );
  try {
    for (const [i, read] of fetched.entries()) {
      if (read.status === "rejected") host.failed(due[i]!.handler, read.reason, count);
    }
  } catch (error) {
    // If the run recovers, the observers are asked again about this event.
    for (const { handler } of observers) handler.unask();
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

/** Calls one handler, with its fetched fields if it declares some. */
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

/** Returns a copy of a context as it is now, or as `event` says: the engine changes its own in place. */
function snapshot(
  { info, binding: { ctx, hasOwnContext } }: StageHandler,
  engineContext: object,
  event: object = {},
): object {
  const copy = copyAt(engineContext, info) as { stop?: unknown };
  Object.assign(copy, event);
  // Bound, as handlers may take it out of the context: it must name this step.
  if (typeof copy.stop === "function") copy.stop = copy.stop.bind(copy);
  return hasOwnContext ? Object.create(copy, Object.getOwnPropertyDescriptors(ctx)) : copy;
}
