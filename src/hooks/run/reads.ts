/**
 * Access of hooks to the state of the engine: the fields that they declare, and nothing else.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import type { StageInfo } from "../protocol/stage.ts";
import { asRead } from "./read_view.ts";

/** Field name → its value: a number or a typed array. */
export type FieldValues = Readonly<Record<string, unknown>>;

/**
 * The source of the state that hooks read and write. A backend implements it: state in host memory is always
 * current, state on a device takes one fused copy per due stage, delivered later.
 */
export interface StateSource {
  /** The names of all fields. */
  readonly fields: readonly string[];
  /**
   * Returns whether there is such a field, for sources with more names than can be listed: `"gradients:fc*"`.
   *
   * @default true if `fields` has it
   */
  has?(field: string): boolean;
  /** Plans the reading of some fields for one stage. Called when hooks are registered, never in the loop. */
  plan(fields: readonly string[]): ReadPlan;
  /** Returns the field itself, to change in place. */
  writable(field: string): unknown;
}

/** A plan for reading some fields: they are current, or must be fetched. */
export type ReadPlan = LivePlan | FetchPlan;

/** The values are always current: hooks are called at once. */
export interface LivePlan {
  /** They need not be fetched. */
  readonly live: true;
  /** Returns the value of a field now. */
  value(field: string): unknown;
}

/** The values must be fetched: observers are called when they have arrived. */
export interface FetchPlan {
  /** They must be fetched. */
  readonly live: false;
  /**
   * Starts copying all fields of the plan as they are now. `isAwaited` tells whether the engine waits for them.
   * Resolves to `undefined` if the step turns out not to count, as when a system diverged: no hook is called then.
   */
  fetch(isAwaited: boolean): PromiseLike<FieldValues | undefined>;
  /**
   * Writes the copies that a hook has changed back to the state. The engine waits meanwhile.
   *
   * @default undefined: state that must be fetched cannot be written
   */
  writeBack?(values: FieldValues): void;
}

/**
 * Returns a source of state in host memory, with a getter per field. Reading costs nothing, and nothing is deferred.
 *
 * @example
 * ```ts
 * import { hostState } from "@hooke/hooke/hooks";
 * import { assertEquals } from "@std/assert";
 *
 * const forces = new Float32Array([3, 4, 0]);
 * const state = hostState({ forces: () => forces, fmax: () => Math.hypot(...forces) });
 * assertEquals(state.fields, ["forces", "fmax"]);
 * ```
 */
export function hostState(getters: Readonly<Record<string, () => unknown>>): StateSource {
  return {
    fields: Object.keys(getters),
    plan: () => ({ live: true, value: (field) => getters[field]!() }),
    writable: (field) => getters[field]!(),
  };
}

/** The default of an engine: no state. */
export const NO_STATE: StateSource = hostState({});

/** Throws a TypeError if a hook names a field that does not exist. */
export function assertFields(
  hook: string,
  member: "reads" | "writes",
  names: readonly string[],
  source: StateSource,
): void {
  for (const name of names) {
    if (source.fields.includes(name) || source.has?.(name) === true) continue;
    const there = source.fields.length === 0
      ? "the engine has none"
      : `they are ${source.fields.join(", ")}`;
    throw new TypeError(
      `Cannot register hook ${hook}: its ${member} must name fields of the engine (${there}); ` +
        `got ${JSON.stringify(name)}${didYouMean(name, source.fields)}`,
    );
  }
}

/**
 * Returns `ctx.read` or `ctx.write`: an object with a getter per declared field. Any other field of the engine throws
 * an error that names the missing declaration.
 */
export function accessor(
  hook: string,
  member: "reads" | "writes",
  declared: readonly string[],
  fields: readonly string[],
  value: (field: string) => unknown,
): object {
  const object = {};
  for (const field of new Set([...fields, ...declared])) {
    const get = declared.includes(field) ? getterOf(field, member, value) : () => {
      const verb = member === "reads" ? "read" : "write";
      throw new TypeError(
        `Cannot ${verb} ${field} in hook ${hook}: it is not among its ${member}, ${
          JSON.stringify(declared)
        }. Add it: ${member}: [..., ${JSON.stringify(field)}]`,
      );
    };
    Object.defineProperty(object, field, { get, enumerable: declared.includes(field) });
  }
  return Object.freeze(object);
}

/** Returns the getter of a declared field. A view is made once, as long as the array stays the same. */
function getterOf(
  field: string,
  member: "reads" | "writes",
  value: (field: string) => unknown,
): () => unknown {
  if (member === "writes") return () => value(field);
  let from: unknown, read: unknown;
  return () => {
    const now = value(field);
    if (!ArrayBuffer.isView(now)) return asRead(now);
    if (now !== from) {
      from = now;
      read = asRead(now);
    }
    return read;
  };
}

/**
 * Returns `ctx.read` or `ctx.write` for the `when` of a hook whose fields are fetched only if it fires: each getter
 * throws.
 */
export function unfetched(
  hook: string,
  fields: readonly string[],
  verb: "read" | "write" = "read",
): object {
  const object = {};
  for (const field of new Set(fields)) {
    const get = () => {
      throw new TypeError(
        `Cannot ${verb} ${field} in the \`when\` of hook ${hook}: it is fetched only when the hook fires. ` +
          `Decide in the handler, or by frequency`,
      );
    };
    Object.defineProperty(object, field, { get });
  }
  return Object.freeze(object);
}

/** The fields of every context. */
const BASE = ["stepCount", "globalRank", "shared", "workflow", "stop", "read", "write"] as const;

/** Returns the names of the fields that a context has at a stage, of those of the engine. */
function namesAt(context: object, { fields }: StageInfo): readonly string[] {
  if (fields === undefined) return [];
  // A custom engine may omit the fields that only the built-in engine of the kind has.
  return [...[...BASE, ...fields.common].filter((name) => name in context), ...fields.own];
}

const AT_STAGES = new WeakMap<object, Map<string, object>>();

/**
 * Returns the context of a stage: exactly the fields of that stage, each as the engine has it now. It is made once, so
 * that a visit allocates nothing. It is the engine's context itself if the kind does not list fields.
 */
export function contextAt(context: object, info: StageInfo): object {
  const { role, stage, fields } = info;
  if (fields === undefined && role !== "pipe" && role !== "gate") return context;
  let known = AT_STAGES.get(context);
  if (known === undefined) AT_STAGES.set(context, known = new Map());
  let found = known.get(stage);
  if (found === undefined) known.set(stage, found = makeContext(context, info));
  return found;
}

function makeContext(context: object, info: StageInfo): object {
  const at: object = info.fields === undefined ? Object.create(context) : {};
  const live = context as Record<string, unknown>;
  for (const name of namesAt(context, info)) {
    const { enumerable = true } = Object.getOwnPropertyDescriptor(context, name) ?? {};
    const set = (value: unknown) => void (live[name] = value);
    Object.defineProperty(at, name, { get: () => live[name], set, enumerable, configurable: true });
  }
  if (info.role === "pipe") return Object.assign(at, { value: undefined });
  return info.role === "gate" ? Object.assign(at, { skipping: false }) : at;
}

/** Returns a copy of an engine's context as it is now: the fields of one stage. */
export function copyAt(context: object, info: StageInfo): object {
  const own: PropertyDescriptorMap = info.fields === undefined
    ? Object.getOwnPropertyDescriptors(context)
    : {};
  for (const name of namesAt(context, info)) {
    const descriptor = Object.getOwnPropertyDescriptor(context, name);
    if (descriptor !== undefined) own[name] = descriptor;
  }
  return Object.create(Object.getPrototypeOf(context), own);
}

/**
 * Returns `read` and `write` of the shared context, for hooks that declare no fields: each getter throws an error that
 * names the missing declaration.
 */
export function withoutFields(fields: readonly string[]): { read: object; write: object } {
  const refusing = (member: "reads" | "writes") =>
    accessor(`without ${member}`, member, [], fields, () => undefined);
  return { read: refusing("reads"), write: refusing("writes") };
}
