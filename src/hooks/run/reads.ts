/**
 * Access of hooks to the state of the engine, limited to the fields that they declare.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import type { StageInfo } from "../protocol/stage.ts";
import { asRead } from "./read_view.ts";

/** Values of fields by name: numbers or typed arrays. */
export type FieldValues = Readonly<Record<string, unknown>>;

/**
 * The source of the state that hooks read and write; a backend implements it. State in host memory is always current.
 * State on a device is fetched by one copy per due stage, which is delivered later.
 */
export interface StateSource {
  /** The names of all fields. Sources with `has` may accept further names. */
  readonly fields: readonly string[];
  /**
   * Returns whether a field exists, for names that cannot be listed, such as `"gradients:fc*"`.
   *
   * @default true if `fields` has it
   */
  has?(field: string): boolean;
  /**
   * Returns a plan for reading some fields at one stage. Called when hooks are registered or switched, never within a
   * step.
   */
  plan(fields: readonly string[]): ReadPlan;
  /** Returns the array of a field, to be changed in place. */
  writable(field: string): unknown;
}

/** A plan for reading some fields, whose values are either current or must be fetched. */
export type ReadPlan = LivePlan | FetchPlan;

/** A plan for fields whose values are always current, so that hooks are called at once. */
export interface LivePlan {
  /** True: the values need not be fetched. */
  readonly live: true;
  /** Returns the current value of a field. */
  value(field: string): unknown;
}

/** A plan for fields whose values must be fetched. Observers are called after the values have arrived. */
export interface FetchPlan {
  /** False: the values must be fetched. */
  readonly live: false;
  /**
   * Starts a copy of all fields of the plan in their current state. `isAwaited` is true if the engine waits for the
   * copy. Resolves to `undefined` if the step does not count after all, for example because a system diverged. No
   * hook is called then.
   */
  fetch(isAwaited: boolean): PromiseLike<FieldValues | undefined>;
  /**
   * Writes values that a hook has changed back to the state. The engine waits for this.
   *
   * @default undefined: state that must be fetched cannot be written
   */
  writeBack?(values: FieldValues): void;
}

/**
 * Returns a source of state in host memory. Each getter returns the current value of a field, so that nothing is
 * copied or deferred.
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

/** A source without fields, the default of an engine. */
export const NO_STATE: StateSource = hostState({});

/** Throws a TypeError if `reads` or `writes` of a hook names a field that the source does not have. */
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
 * Returns the object for `ctx.read` or `ctx.write`, with a getter for each declared field. The getters of all other
 * fields of the engine throw a TypeError that names the missing declaration.
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
        `Cannot ${verb} ${field} in hook ${hook}: the field is not among its ${member}, ${
          JSON.stringify(declared)
        }. Add it: ${member}: [..., ${JSON.stringify(field)}]`,
      );
    };
    Object.defineProperty(object, field, { get, enumerable: declared.includes(field) });
  }
  return Object.freeze(object);
}

/** Returns the getter of a declared field. It makes a new view only if the array has been replaced. */
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
 * Returns the object for `ctx.read` or `ctx.write` in the `when` of a hook whose fields are fetched only if it fires.
 * Each getter throws a TypeError.
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
        `Cannot ${verb} ${field} in the \`when\` of hook ${hook}: the field is fetched only when the hook fires. ` +
          `Test the field in the handler, or use frequency instead`,
      );
    };
    Object.defineProperty(object, field, { get });
  }
  return Object.freeze(object);
}

/** Names of the fields that every context has. */
const BASE = ["stepCount", "globalRank", "shared", "workflow", "stop", "read", "write"] as const;

/** Returns the names of the engine's context fields that exist at a stage. */
function namesAt(context: object, { fields }: StageInfo): readonly string[] {
  if (fields === undefined) return [];
  // A custom engine may omit fields that only the built-in engine of the kind sets.
  return [...[...BASE, ...fields.common].filter((name) => name in context), ...fields.own];
}

const AT_STAGES = new WeakMap<object, Map<string, object>>();

/**
 * Returns the context of a stage, with getters for exactly the fields of that stage. It is cached, so that a visit
 * allocates nothing. If the kind does not list fields, returns the engine's context itself, except for pipes and
 * gates.
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

/** Returns a copy of the engine's context with its current values, restricted to the fields of one stage. */
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
 * Returns `read` and `write` for hooks that declare no fields. Each getter throws a TypeError that names the missing
 * declaration.
 */
export function withoutFields(fields: readonly string[]): { read: object; write: object } {
  const refusing = (member: "reads" | "writes") =>
    accessor(`without ${member}`, member, [], fields, () => undefined);
  return { read: refusing("reads"), write: refusing("writes") };
}
