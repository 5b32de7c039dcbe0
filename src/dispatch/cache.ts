/**
 * The callable of an overload set. It caches the handler for each combination of argument types.
 *
 * @module
 */

import { type Handler, hasGuard, type Row } from "./rows.ts";

/** Returns the handler of a call. It searches the rows, and throws if no row matches. */
export type Resolve = (args: readonly unknown[]) => Handler;

type Callable = (...args: unknown[]) => unknown;
type Call = (a: unknown, b: unknown) => unknown;

const EMPTY: Key = {};
// Key of objects without a constructor. Two such objects may match different rows, so their calls are never cached.
const CLASSLESS: Key = {};
const STRING: Key = {}, NUMBER: Key = {}, BOOLEAN: Key = {}, BIGINT: Key = {}, SYMBOL: Key = {};

/**
 * Returns the function that users call.
 *
 * A hook calls it with two arguments at every stage. The function first compares their types with the four latest
 * combinations, which costs about as much as a `switch`, and then searches the cache. The combinations are local
 * variables and not an array, because V8 keeps local variables in registers or in one context object.
 */
export function callable(rows: readonly Row[], resolve: Resolve): Callable {
  if (rows.some(hasGuard)) {
    // A guard may return different results for two objects of one class, so its calls cannot be cached.
    return (...args) => (resolve(args) as Callable)(...args);
  }
  const memory = new Memory(), exact0 = namesPrimitives(rows, 0), exact1 = namesPrimitives(rows, 1);
  const callAny = makeCallAny(rows, resolve, memory);
  let a0: Key = EMPTY, b0: Key = EMPTY, a1: Key = EMPTY, b1: Key = EMPTY;
  let a2: Key = EMPTY, b2: Key = EMPTY, a3: Key = EMPTY, b3: Key = EMPTY;
  let f0: Call, f1: Call, f2: Call, f3: Call;
  let turn = 0, lookups = 0;
  const keep = (ka: Key, kb: Key, f: Call): void => {
    turn = (turn + 1) & 3;
    if (turn === 0) a0 = ka, b0 = kb, f0 = f;
    else if (turn === 1) a1 = ka, b1 = kb, f1 = f;
    else if (turn === 2) a2 = ka, b2 = kb, f2 = f;
    else a3 = ka, b3 = kb, f3 = f;
  };
  const lookUp = (a: unknown, b: unknown, ka: Key, kb: Key): unknown => {
    const known = memory.pair(ka, kb) as Call | undefined;
    const f = known ?? resolve([a, b]) as Call;
    if (ka === CLASSLESS || kb === CLASSLESS) return f(a, b);
    if (known === undefined) memory.remember([2, ka, kb], f);
    // A call site may cycle through more than four combinations. Replacing an entry at each miss would then evict
    // every entry before its next use, so only one of 64 lookups replaces an entry.
    lookups = (lookups + 1) & 63;
    if (known === undefined || lookups === 0) keep(ka, kb, f);
    return f(a, b);
  };
  return function (a?: unknown, b?: unknown): unknown {
    // `apply` with `arguments` is the one forwarding form that V8 optimizes without allocating.
    // Rest parameters, and any other use of `arguments`, allocate an object at every call.
    if (arguments.length !== 2) return callAny.apply(undefined, arguments as unknown as unknown[]);
    const ka = keyOf(a, exact0), kb = keyOf(b, exact1);
    if (ka === a0 && kb === b0) return f0(a, b);
    if (ka === a1 && kb === b1) return f1(a, b);
    if (ka === a2 && kb === b2) return f2(a, b);
    if (ka === a3 && kb === b3) return f3(a, b);
    return lookUp(a, b, ka, kb);
  };
}

function makeCallAny(rows: readonly Row[], resolve: Resolve, memory: Memory): Callable {
  const most = Math.max(0, ...rows.map((row) => row.tests.length));
  const exact = Array.from({ length: most }, (_, i) => namesPrimitives(rows, i));
  return (...args) => {
    if (args.length > most) return (resolve(args) as Callable)(...args);
    const path: Key[] = [args.length];
    for (let i = 0; i < args.length; i++) path.push(keyOf(args[i], exact[i]!));
    const known = memory.find(path), f = known ?? resolve(args);
    if (known === undefined && !path.includes(CLASSLESS)) memory.remember(path, f);
    return (f as Callable)(...args);
  };
}

function namesPrimitives(rows: readonly Row[], i: number): boolean {
  return rows.some(({ tests }) => tests[i]?.type === "literal" || tests[i]?.type === "kind");
}

/**
 * Returns the cache key of `x`. An object or a function is identified by its `constructor` property, even if that is
 * not its class. A primitive and its wrapper object have different keys, and so do a class and its instances. `exact`
 * is true if a row names primitives, which then are their own keys.
 */
function keyOf(x: unknown, exact: boolean): Key {
  if (typeof x === "string") return exact ? x : STRING;
  if (typeof x === "object") {
    const cls: unknown = x === null ? null : x.constructor;
    return x === null || typeof cls === "function" ? cls : CLASSLESS;
  }
  return rareKeyOf(x, exact);
}

function rareKeyOf(x: unknown, exact: boolean): Key {
  if (typeof x === "function") {
    return typeof x.constructor === "function" ? x.constructor : CLASSLESS;
  }
  if (exact) return x;
  if (typeof x === "number") return NUMBER;
  if (typeof x === "boolean") return BOOLEAN;
  if (typeof x === "bigint") return BIGINT;
  return typeof x === "symbol" ? SYMBOL : undefined;
}

/**
 * Cache key of an argument: its class, or the argument itself if it is a primitive that a row
 * names.
 */
export type Key = unknown;

// Limit of the cache. A larger tree means that call sites keep passing new strings, so the cache is cleared.
const MOST_NODES = 1024;

/**
 * Cache of handlers, as a tree of maps. The path to a handler is the number of arguments, followed by the key of each
 * argument.
 */
export class Memory {
  #root: Map<Key, unknown> = new Map();
  #pairs: Map<Key, unknown> = new Map();
  #nodes = 0;

  /** Number of maps and handlers in the cache. */
  get nodes(): number {
    return this.#nodes;
  }

  /** Returns the handler for the keys of two arguments, or `undefined`. Allocates nothing. */
  pair(a: Key, b: Key): Handler | undefined {
    return (this.#pairs.get(a) as Map<Key, Handler> | undefined)?.get(b);
  }

  /** Returns the handler at a path, or `undefined`. */
  find(path: readonly Key[]): Handler | undefined {
    let node: unknown = this.#root;
    for (const key of path) {
      if (node === undefined) return undefined;
      node = (node as Map<Key, unknown>).get(key);
    }
    return node as Handler | undefined;
  }

  /** Adds a handler at a path. Clears the cache first if it is full. */
  remember(path: readonly Key[], handler: Handler): void {
    if (this.#nodes + path.length > MOST_NODES) this.#forget();
    let node = this.#root;
    for (const key of path.slice(0, -1)) node = this.#branch(node, key);
    node.set(path.at(-1), handler);
    this.#nodes++;
    if (path.length === 3) this.#pairs = this.#root.get(2) as Map<Key, unknown>;
  }

  #branch(node: Map<Key, unknown>, key: Key): Map<Key, unknown> {
    let next = node.get(key) as Map<Key, unknown> | undefined;
    if (next === undefined) {
      node.set(key, next = new Map());
      this.#nodes++;
    }
    return next;
  }

  #forget(): void {
    [this.#root, this.#pairs, this.#nodes] = [new Map(), new Map(), 0];
  }
}
