/**
 * Calls of handlers whose fields must be fetched first, such as arrays on a GPU.
 *
 * @module
 */

import { reasonOf } from "../../base/show.ts";
import { isThenable } from "../../base/sequence.ts";
import type { StageInfo } from "../protocol/stage.ts";
import type { StageHandler } from "../registry/stage_handler.ts";
import { accessor, type FieldValues } from "./reads.ts";
import type { StageHost } from "./stage_host.ts";

/**
 * Fetches the fields of a handler, then calls it. Does not call it if the fetch reports that the step does not count.
 */
export async function fetchThenCall(host: StageHost, handler: StageHandler): Promise<unknown> {
  const values = await fetchFor(host, handler);
  if (values !== undefined) return await callFetched(host, handler, handler.binding.ctx, values);
}

/** Fetches the fields of one handler while the engine waits. Resolves to `undefined` if the step does not count. */
export function fetchFor(
  host: StageHost,
  handler: StageHandler,
): Promise<FieldValues | undefined> {
  return fetchAs(host, [handler], () => handler.binding.plan!.fetch(true));
}

/** Fetches the fields of a handler if they must be fetched; otherwise resolves to an empty object. */
export async function fetchIfDeferred(
  host: StageHost,
  handler: StageHandler,
): Promise<FieldValues | undefined> {
  return handler.isDeferred ? await fetchFor(host, handler) : {};
}

/**
 * Calls `fetch` for the fields of some handlers. If it fails, throws an Error that names the hooks, the stage and the
 * step.
 */
export async function fetchAs(
  { step }: StageHost,
  handlers: readonly StageHandler[],
  fetch: () => PromiseLike<FieldValues | undefined>,
): Promise<FieldValues | undefined> {
  try {
    return await fetch();
  } catch (cause) {
    const names = handlers.map((handler) => handler.entry.name).join(", ");
    const { stage } = handlers[0]!.info;
    throw new Error(
      `Cannot fetch the fields that ${names} reads at ${stage} of step ${step}: ${reasonOf(cause)}`,
      { cause },
    );
  }
}

/**
 * Calls a handler with fetched values, then writes the fields that it took from `ctx.write` back to the state.
 * Returns the result of the handler.
 */
export async function callFetched(
  host: StageHost,
  handler: StageHandler,
  ctx: object,
  all: FieldValues,
): Promise<unknown> {
  const { schedule, info: { stage }, entry: { part } } = handler;
  const share = part?.share(all, stage, ctx);
  const values = share?.values ?? all;
  const changed = new Set<string>();
  const known = share === undefined ? ctx : withFields(ctx, share.context);
  const own = withValues(handler, known, values, host.fields, changed);
  if (part !== undefined && (share === undefined || !handler.isWanted(own))) {
    return handler.skip(schedule.last, schedule.previous);
  }
  const answer: unknown = await answered(host, handler, handler.binding.target.call(own, stage));
  if (changed.size > 0) {
    writeBack(handler, changed, share?.whole(changed) ?? pick(values, changed));
  }
  return answer;
}

function writeBack(handler: StageHandler, changed: Iterable<string>, values: FieldValues): void {
  const { plan } = handler.binding;
  if (plan?.writeBack !== undefined) return plan.writeBack(values);
  const names = [...changed].join(", ");
  throw new TypeError(
    `Cannot write ${names} in hook ${handler.entry.record.label}: the engine provides these fields for reading only`,
  );
}

function pick(values: FieldValues, names: Iterable<string>): FieldValues {
  return Object.fromEntries([...names].map((name) => [name, values[name]]));
}

/**
 * Returns the context of a handler with fetched values, reduced to the systems of its part. Returns `undefined` if
 * the part has no system, or if the hook's `when` returns `false`.
 */
export function contextWithShare(
  { fields }: StageHost,
  handler: StageHandler,
  ctx: object,
  values: FieldValues,
): object | undefined {
  const { part } = handler.entry;
  if (part === undefined) return withValues(handler, ctx, values, fields);
  const share = part.share(values, handler.info.stage, ctx);
  if (share === undefined) return undefined;
  const own = withValues(handler, withFields(ctx, share.context), share.values, fields);
  return handler.isWanted(own) ? own : undefined;
}

/**
 * Returns the answer of a handler. A promise is watched: once the run is aborted, it is awaited for a limited time
 * only.
 */
export function answered(host: StageHost, handler: StageHandler, answer: unknown): unknown {
  return isThenable(answer) ? host.answer(handler, answer) : answer;
}

/**
 * Returns a context with fetched values as `read` and, if `changed` is given, as `write`. Adds to `changed` each
 * field that the handler takes from `write`.
 */
function withValues(
  { entry: { record } }: StageHandler,
  ctx: object,
  values: FieldValues,
  fields: readonly string[],
  changed?: Set<string>,
): object {
  const { label, reads, writes } = record;
  const read = accessor(label, "reads", reads, fields, (field) => values[field]);
  const own: PropertyDescriptorMap = { read: { value: read, enumerable: true } };
  if (changed !== undefined && writes.length > 0) {
    const write = accessor(label, "writes", writes, fields, (field) => {
      changed.add(field);
      return values[field];
    });
    own.write = { value: write, enumerable: true };
  }
  return Object.create(ctx, own);
}

/**
 * Returns a context with fields that were pending before. If a stage is given, only with the fields that this stage
 * has.
 */
export function withFields(ctx: object, fields: object, info?: StageInfo): object {
  const isOwn = (name: string) => info?.fields?.own.includes(name) ?? true;
  const entries = Object.entries(fields).filter(([name]) => isOwn(name));
  if (entries.length === 0) return ctx;
  const own = entries.map(([name, value]) => [name, { value, enumerable: true }] as const);
  return Object.create(ctx, Object.fromEntries(own));
}
