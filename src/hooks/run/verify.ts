/**
 * Verify mode: did an observer change what it was only to look at?
 *
 * @module
 */

import type { Place } from "../registry/entry.ts";
import type { FieldValues, StateSource } from "./reads.ts";
import { isThenable } from "../../base/sequence.ts";

/** An observer changed something. Reported, never thrown into the run. */
export class ObserverMutationError extends Error {
  /** The hook. */
  readonly hook: string;
  /** The stage at which it was caught. */
  readonly stage: string;
  /** What was different afterwards. */
  readonly changed: readonly string[];

  /** Builds the message. */
  constructor(hook: string, stage: string, changed: readonly string[]) {
    super(
      `Cannot trust hook ${hook} as an observer must change nothing at ${stage}: it changed ${
        changed.join(", ")
      } ` +
        `(a hook that means to declares it: writes: [...])`,
    );
    this.name = "ObserverMutationError";
    this.hook = hook;
    this.stage = stage;
    this.changed = changed;
  }
}

/** Context members that are no state, or that a hook may change. */
const EXEMPT: readonly string[] = [
  "shared",
  "workflow",
  "stop",
  "read",
  "write",
  "value",
  "skipping",
];

/** Calls a place between two fingerprints of its context and of the engine's state. */
export function verifying(
  source: StateSource,
  report: (place: Place, error: ObserverMutationError) => void,
): (place: Place, call: () => unknown) => unknown {
  const state = (): FieldValues => {
    const plan = source.plan(source.fields); // it may have moved
    if (!plan.live) return {}; // what must be fetched cannot be looked at in between
    return Object.fromEntries(source.fields.map((field) => [field, plan.value(field)]));
  };
  return (place, call) => {
    const before = fingerprints(place.ctx, state());
    const compare = () => {
      const after = fingerprints(place.ctx, state());
      const names = new Set([...before.keys(), ...after.keys()]);
      const changed = [...names].filter((name) => before.get(name) !== after.get(name));
      if (changed.length > 0) {
        report(place, new ObserverMutationError(place.entry.name, place.info.stage, changed));
      }
    };
    const result = call();
    if (isThenable(result)) return Promise.resolve(result).then(compare);
    compare();
    return result;
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

/** A hash of a value and all that it holds; functions count by name only. */
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
