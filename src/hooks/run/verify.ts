/**
 * Verify mode, which finds observers that change the context or the state.
 *
 * @module
 */

import type { StageHandler } from "../registry/stage_handler.ts";
import type { FieldValues, StateSource } from "./reads.ts";
import { after } from "../../base/sequence.ts";

/**
 * Error about an observer that changed the context or the state. It is reported as a warning, and the run continues.
 *
 * @example
 * ```ts
 * import { type BaseContext, Loop, ObserverMutationError, stages } from "@hooke/hooke/hooks";
 * import { assert } from "@std/assert";
 *
 * interface Walk extends BaseContext { readonly path: number[] }
 * const WalkStage = stages<Walk>()("walk", ["AFTER_STEP"]);
 * const errors: unknown[] = [];
 * const loop = new Loop({
 *   kinds: WalkStage,
 *   context: { path: [0] },
 *   step: (loop) => loop.fire(WalkStage.AFTER_STEP),
 * }, { verify: true, onWarning: ({ error }) => void errors.push(error) });
 * loop.hooks.add({ stage: WalkStage.AFTER_STEP, frequency: 1, call: (ctx) => void ctx.path.push(1) });
 * await loop.run(1);
 * assert(errors[0] instanceof ObserverMutationError);
 * ```
 */
export class ObserverMutationError extends Error {
  /** Name of the hook. */
  readonly hook: string;
  /** Stage at which the change was found. */
  readonly stage: string;
  /** Names of the fields that changed; context fields begin with `ctx.`. */
  readonly changed: readonly string[];

  /** Creates the error for the fields `changed` by `hook` at `stage`. */
  constructor(hook: string, stage: string, changed: readonly string[]) {
    super(
      `Cannot trust hook ${hook}: it changed ${
        changed.join(", ")
      } at ${stage} without declaring the change. Add writes: ${
        JSON.stringify(changed)
      } to the hook`,
    );
    this.name = "ObserverMutationError";
    this.hook = hook;
    this.stage = stage;
    this.changed = changed;
  }
}

/** Context members that are not compared, because they are not state or a hook may change them. */
const EXEMPT: readonly string[] = [
  "shared",
  "workflow",
  "stop",
  "read",
  "write",
  "value",
  "skipping",
];

/**
 * Returns a function that calls a handler and compares fingerprints of its context and of the engine's state before
 * and after the call. Calls `report` if they differ.
 */
export function verifying(
  source: StateSource,
  report: (handler: StageHandler, error: ObserverMutationError) => void,
): (handler: StageHandler, call: () => unknown) => unknown {
  const state = (): FieldValues => {
    const plan = source.plan(source.fields); // planned for each call, because the state may have moved
    if (!plan.live) return {}; // fields that must be fetched cannot be compared
    return Object.fromEntries(source.fields.map((field) => [field, plan.value(field)]));
  };
  return (handler, call) => {
    const { entry: { name }, info: { stage }, binding: { ctx } } = handler;
    const before = fingerprints(ctx, state());
    return after(call(), () => {
      const now = fingerprints(ctx, state());
      const names = new Set([...before.keys(), ...now.keys()]);
      const changed = [...names].filter((field) => before.get(field) !== now.get(field));
      if (changed.length > 0) report(handler, new ObserverMutationError(name, stage, changed));
    });
  };
}

function fingerprints(ctx: object, state: FieldValues): Map<string, number> {
  const prints = new Map<string, number>();
  for (const key in ctx) {
    if (!EXEMPT.includes(key)) {
      prints.set(`ctx.${key}`, fingerprint((ctx as Record<string, unknown>)[key]));
    }
  }
  for (const [field, value] of Object.entries(state)) prints.set(field, fingerprint(value));
  return prints;
}

/** Returns a hash of a value and of everything it contains. Functions contribute only their name. */
export function fingerprint(value: unknown): number {
  const print = new Print();
  print.add(value);
  return print.hash;
}

class Print {
  hash = 0x811c9dc5;
  readonly #seen = new Map<object, number>();
  readonly #number = new Float64Array(1);
  readonly #numberBytes: Uint8Array = new Uint8Array(this.#number.buffer);

  add(value: unknown): void {
    if (typeof value === "number") {
      this.#number[0] = value;
      this.#bytes(this.#numberBytes);
    } else if (typeof value === "object" && value !== null) this.#object(value);
    else this.#text(`${typeof value}:${typeof value === "function" ? value.name : String(value)}`);
  }

  #object(value: object): void {
    const seen = this.#seen.get(value);
    if (seen !== undefined) return this.#text(`seen:${seen}`);
    this.#seen.set(value, this.#seen.size);
    this.#text(value.constructor?.name ?? "null");
    if (ArrayBuffer.isView(value)) {
      this.#bytes(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    } else if (value instanceof ArrayBuffer) this.#bytes(new Uint8Array(value));
    else if (value instanceof Date) this.add(value.getTime());
    else if (value instanceof Map || value instanceof Set) {
      for (const item of value) this.add(item);
    } else {
      for (const key of Object.keys(value)) {
        this.#text(key);
        this.add((value as Record<string, unknown>)[key]);
      }
    }
  }

  #text(text: string): void {
    for (let i = 0; i < text.length; i++) this.#mix(text.charCodeAt(i));
    this.#mix(0x1f);
  }

  #bytes(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; i++) this.#mix(bytes[i]!);
    this.#mix(bytes.length);
  }

  // FNV-1a, 32 bits.
  #mix(x: number): void {
    this.hash = Math.imul(this.hash ^ x, 0x01000193);
  }
}
