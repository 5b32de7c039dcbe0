/**
 * The callable of an overload set: remembers which handler a combination of arguments gets.
 *
 * @module
 */

import { type Handler, hasGuard, type Row } from "./rows.ts";

/** Finds the handler of a call the slow way, or throws. */
export type Resolve = (args: readonly unknown[]) => Handler;

/** What an argument is remembered by: its class, or for primitives that some row names, itself. */
type Key = unknown;

// More combinations than this are a sign of ever new strings; the memory is then emptied and begins anew.
const MOST_REMEMBERED = 1024;
const EMPTY: Key = {};
// What an object without a class is known by; such objects may differ, so nothing is remembered for them.
const CLASSLESS: Key = {};

/**
 * The function that users call. Two arguments, the case of every hook, are compared with the last four
 * combinations before anything is looked up: about the cost of a `switch`.
 */
export function callable(rows: readonly Row[], resolve: Resolve): (...args: unknown[]) => unknown {
  if (rows.some(hasGuard)) {
    // A guard may answer differently for two objects of one class: nothing can be remembered.
    return (...args) => (resolve(args) as (...args: unknown[]) => unknown)(...args);
  }
  const exact0 = namesPrimitives(rows, 0), exact1 = namesPrimitives(rows, 1);
  const memory = new Memory(rows, resolve);
  let a0: Key = EMPTY, b0: Key = EMPTY, a1: Key = EMPTY, b1: Key = EMPTY;
  let a2: Key = EMPTY, b2: Key = EMPTY, a3: Key = EMPTY, b3: Key = EMPTY;
  let f0: Call, f1: Call, f2: Call, f3: Call;
  let turn = 0;
  const missed = (a: unknown, b: unknown, ka: Key, kb: Key): unknown => {
    const f = memory.find([a, b]) as Call;
    if (ka === CLASSLESS || kb === CLASSLESS) return f(a, b);
    turn = (turn + 1) & 3;
    if (turn === 0) [a0, b0, f0] = [ka, kb, f];
    else if (turn === 1) [a1, b1, f1] = [ka, kb, f];
    else if (turn === 2) [a2, b2, f2] = [ka, kb, f];
    else [a3, b3, f3] = [ka, kb, f];
    return f(a, b);
  };
  return function (a?: unknown, b?: unknown): unknown {
    // Not rest parameters: they would allocate an array at every call.
    if (arguments.length !== 2) return callAny(memory, arguments);
    const ka = keyOf(a, exact0), kb = keyOf(b, exact1);
    if (ka === a0 && kb === b0) return f0(a, b);
    if (ka === a1 && kb === b1) return f1(a, b);
    if (ka === a2 && kb === b2) return f2(a, b);
    if (ka === a3 && kb === b3) return f3(a, b);
    return missed(a, b, ka, kb);
  };
}

type Call = (a: unknown, b: unknown) => unknown;

function callAny(memory: Memory, args: ArrayLike<unknown>): unknown {
  const list = Array.from(args);
  return (memory.find(list) as (...args: unknown[]) => unknown)(...list);
}

// An object whose own `constructor` is another class is taken for what it claims; everything else is exact.
function keyOf(x: unknown, exact: boolean): Key {
  if (typeof x === "string") return exact ? x : String;
  if (typeof x === "object") {
    const cls: unknown = x === null ? null : x.constructor;
    return x === null || typeof cls === "function" ? cls : CLASSLESS;
  }
  if (typeof x === "function" || exact) return x;
  return x === undefined ? undefined : (x as Literal).constructor;
}

type Literal = number | boolean | bigint | symbol;

function namesPrimitives(rows: readonly Row[], i: number): boolean {
  return rows.some(({ tests }) => tests[i]?.type === "literal" || tests[i]?.type === "kind");
}

/** A tree of maps over the keys of the arguments. */
class Memory {
  readonly #resolve: Resolve;
  readonly #exact: readonly boolean[];
  #root = new Map<Key, unknown>();
  #size = 0;

  constructor(rows: readonly Row[], resolve: Resolve) {
    const arity = Math.max(0, ...rows.map((row) => row.tests.length));
    this.#exact = Array.from({ length: arity }, (_, i) => namesPrimitives(rows, i));
    this.#resolve = resolve;
  }

  find(args: readonly unknown[]): Handler {
    const keys = args.map((x, i) => keyOf(x, this.#exact[i] ?? false));
    if (keys.includes(CLASSLESS)) return this.#resolve(args);
    let node = this.#branch(this.#root, args.length);
    for (const key of keys) node = this.#branch(node, key);
    const known = node.get(EMPTY) as Handler | undefined;
    if (known !== undefined) return known;
    const handler = this.#resolve(args);
    node.set(EMPTY, handler);
    if (++this.#size > MOST_REMEMBERED) [this.#root, this.#size] = [new Map(), 0];
    return handler;
  }

  #branch(node: Map<Key, unknown>, key: Key): Map<Key, unknown> {
    let next = node.get(key) as Map<Key, unknown> | undefined;
    if (next === undefined) node.set(key, next = new Map());
    return next;
  }
}
