/**
 * The objects whose method `call` a stage runs for each of its hooks.
 *
 * @module
 */

import { after } from "../../base/sequence.ts";
import type { Part } from "./part.ts";

/**
 * An object whose method `call` runs a handler. V8 inlines a method of objects with few hidden classes, but not a
 * closure that changes.
 */
export interface Target {
  /** Runs the handler. */
  call(ctx: unknown, stage: string): unknown;
}

const LIFTED = new WeakMap<object, Target>();

/**
 * Returns an object of a new class whose only method `call` is the function; the same object for the same function.
 * The hidden class of the object then has one constant method, which V8 inlines. A wrapper closure shared by all
 * functions would become megamorphic instead.
 */
export function lift(handler: unknown): Target {
  const f = handler as Target["call"];
  let target = LIFTED.get(f);
  if (target === undefined) {
    const Lifted = class {};
    Object.defineProperty(Lifted.prototype, "call", { value: f });
    LIFTED.set(f, target = new Lifted() as Target);
  }
  return target;
}

/** Calls a method of a hook, with the context as its only argument. */
export class MethodTarget implements Target {
  readonly #hook: Readonly<Record<string, (ctx: unknown) => unknown>>;
  readonly #method: string;

  constructor(hook: object, method: string) {
    this.#hook = hook as Readonly<Record<string, (ctx: unknown) => unknown>>;
    this.#method = method;
  }

  call(ctx: unknown): unknown {
    return this.#hook[this.#method]!(ctx);
  }
}

/** Calls a handler that changes the share of a part, and copies the changes back to the whole. */
export class PartTarget implements Target {
  readonly #target: Target;
  readonly #part: Part;

  /** Creates a target that runs `target` for the hook of `part`. */
  constructor(target: Target, part: Part) {
    this.#target = target;
    this.#part = part;
  }

  /** Calls the handler, then copies the changed share back to the whole. */
  call(ctx: never, stage: never): unknown {
    return after(this.#target.call(ctx, stage), () => this.#part.giveBack());
  }
}

/** The handler of a hook for one stage. */
export interface Bound {
  /** The object whose method `call` runs the handler. */
  readonly target: Target;
  /** Text that names the matched overload, for listings. */
  readonly matched: string;
}
