/**
 * Makes and checks kinds at run time. All arguments are `unknown` here and are checked; `stage.ts` has the types.
 *
 * @module
 */

import { checkKeys } from "../../base/check_options.ts";
import { isObject, type Members } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";

const ROLES: readonly unknown[] = ["observe", "pipe", "gate", "replace"];
const OPTIONS: readonly string[] = ["counters", "events", "contexts", "aliases"];

/**
 * Makes a kind whose stages are all observe stages. Throws as {@linkcode makeKind} does, and a RangeError if a stage
 * name occurs twice.
 */
export function makeObserved(kind: unknown, names: unknown, options: unknown): object {
  const action = `make kind ${checkName(kind)}`;
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) {
    throw new TypeError(complaint(action, "its stage names must be an array of strings", names));
  }
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) {
    throw new RangeError(complaint(action, "its stage names must be unique", twice));
  }
  return makeKind(kind, Object.fromEntries(names.map((name) => [name, "observe"])), options);
}

/**
 * Makes a kind with a role for each stage. Throws a TypeError for an argument of the wrong type, and a RangeError for
 * an invalid name.
 */
export function makeKind(kind: unknown, roles: unknown, options: unknown): object {
  const action = `make kind ${checkName(kind)}`;
  checkRoles(action, roles);
  checkOptions(action, options, Object.keys(roles));
  const literals = Object.keys(roles).map((name) => [name, `${kind}/${name}`]);
  return Object.freeze({
    ...Object.fromEntries(literals),
    kind,
    roles: Object.freeze({ ...roles }),
    options: Object.freeze({ ...options }),
  });
}

function checkName(kind: unknown): string {
  const requirement = "its name must be letters, digits, - and _, and begin with a letter";
  if (typeof kind !== "string") throw new TypeError(complaint("make a kind", requirement, kind));
  if (/^[a-z][\w-]*$/i.test(kind)) return kind;
  throw new RangeError(complaint("make a kind", requirement, kind));
}

function checkRoles(action: string, roles: unknown): asserts roles is Members {
  if (!isObject(roles)) {
    throw new TypeError(complaint(action, "its stages must be an object, name → role", roles));
  }
  for (const [name, role] of Object.entries(roles)) {
    if (!/^[A-Z][A-Z0-9_]*$/.test(name)) {
      throw new RangeError(
        complaint(action, "its stage names must be in upper case, such as AFTER_STEP", name),
      );
    }
    if (ROLES.includes(role)) continue;
    const requirement = `the role of ${name} must be one of ${ROLES.join(", ")}`;
    throw new TypeError(complaint(action, requirement, role, ROLES as readonly string[]));
  }
}

function checkOptions(
  action: string,
  options: unknown,
  stages: readonly string[],
): asserts options is Members {
  if (!isObject(options)) {
    throw new TypeError(complaint(action, "its options must be an object", options));
  }
  checkKeys(action, "its options", options, OPTIONS);
  checkCounters(action, options.counters ?? {}, stages);
  checkEvents(action, options.events ?? [], stages);
  checkContexts(action, options.contexts ?? {}, stages);
  checkAliases(action, options.aliases ?? {}, stages);
}

function checkContexts(action: string, contexts: unknown, stages: readonly string[]): void {
  if (!isObject(contexts)) {
    throw new TypeError(
      complaint(action, "its contexts must be an object, stage → fields", contexts),
    );
  }
  for (const [stage, fields] of Object.entries(contexts)) {
    if (stage !== "*") checkStage(action, "contexts", stage, stages);
    if (Array.isArray(fields) && fields.every((field) => typeof field === "string")) continue;
    throw new TypeError(
      complaint(action, `the context of ${stage} must be an array of field names`, fields),
    );
  }
}

function checkCounters(action: string, counters: unknown, stages: readonly string[]): void {
  if (!isObject(counters)) {
    throw new TypeError(
      complaint(action, "its counters must be an object, stage → counter", counters),
    );
  }
  for (const [stage, counter] of Object.entries(counters)) {
    checkStage(action, "counters", stage, stages);
    if (typeof counter === "string" && counter !== "") continue;
    throw new TypeError(
      complaint(action, `the counter of ${stage} must be a non-empty string`, counter),
    );
  }
}

function checkEvents(action: string, events: unknown, stages: readonly string[]): void {
  if (!Array.isArray(events)) {
    throw new TypeError(complaint(action, "its events must be an array of stage names", events));
  }
  for (const stage of events) checkStage(action, "events", stage, stages);
}

function checkAliases(action: string, aliases: unknown, stages: readonly string[]): void {
  if (!isObject(aliases)) {
    throw new TypeError(
      complaint(action, "its aliases must be an object, method → stage", aliases),
    );
  }
  for (const [method, stage] of Object.entries(aliases)) {
    checkStage(action, "aliases", stage, stages);
    if (/^on[A-Z]/.test(method) && method !== "onError") continue; // `onError` is an option of hooks
    throw new RangeError(
      complaint(
        action,
        "the name of an alias must be of the form onTrainEnd, and not onError",
        method,
      ),
    );
  }
}

function checkStage(
  action: string,
  member: string,
  stage: unknown,
  stages: readonly string[],
): void {
  const requirement = `its ${member} must name stages of this kind (${stages.join(", ")})`;
  if (typeof stage !== "string") throw new TypeError(complaint(action, requirement, stage));
  if (!stages.includes(stage)) throw new RangeError(complaint(action, requirement, stage, stages));
}

/** Returns whether the value has the members of a kind: `kind`, `roles` and `options`. */
export function looksLikeKind(value: unknown): boolean {
  return isObject(value) && typeof value.kind === "string" && isObject(value.options) &&
    isObject(value.roles) && Object.values(value.roles).every((role) => ROLES.includes(role));
}

/**
 * Throws a TypeError if the value is not an array of kinds. The array may be empty. `action` is what failed, for the
 * message.
 */
export function checkKindList(
  kinds: unknown,
  action: string,
): asserts kinds is readonly { readonly kind: string }[] {
  if (Array.isArray(kinds) && kinds.every(looksLikeKind)) return;
  throw new TypeError(
    complaint(action, "kinds must be results of stages() or defineKind()", kinds),
  );
}

/**
 * Checks a list of at least one kind with distinct names. Throws a TypeError if the value is not an array of kinds,
 * and a RangeError if it is empty or a name occurs twice.
 */
export function checkKinds(kinds: unknown, action: string = "make an engine"): void {
  checkKindList(kinds, action);
  if (kinds.length === 0) {
    throw new RangeError(complaint(action, "at least one kind is required", kinds));
  }
  const names = kinds.map(({ kind }) => kind);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) {
    throw new RangeError(complaint(action, "the names of its kinds must be unique", twice));
  }
}
