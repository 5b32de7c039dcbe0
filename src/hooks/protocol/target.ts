/**
 * The objects that the unrolled runners call.
 *
 * @module
 */

import { after } from "../../base/sequence.ts";
import type { Part } from "./part.ts";

/** The object that a stage calls. V8 inlines a method of an object of few shapes, but not a closure that changes. */
export interface Target {
  /** Runs the handler. */
  call(ctx: unknown, stage: string): unknown;
}

const LIFTED = new WeakMap<object, Target>();

/**
 * Returns an object whose class has the function as its one method. Its hidden class then has one constant method, which
 * V8 inlines. A wrapper closure shared by all functions would become megamorphic instead.
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

/** A method of an object, which gets the context alone. */
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

/** A handler that changes the share of a part. */
export class PartTarget implements Target {
  readonly #target: Target;
  readonly #part: Part;

  /** `target` changes only the share of the part. */
  constructor(target: Target, part: Part) {
    this.#target = target;
    this.#part = part;
  }

  /** Calls the handler, then writes the changed share back to the whole. */
  call(ctx: never, stage: never): unknown {
    return after(this.#target.call(ctx, stage), () => this.#part.giveBack());
  }
}

/** The handler a hook has for one stage. */
export interface Bound {
  /** The object to call. */
  readonly target: Target;
  /** The overload that was matched, as text. */
  readonly matched: string;
}
