/**
 * The pairs whose comparison is under way. Meeting one again means a cycle, and a cycle alone is no
 * difference. A pair leaves when its comparison ends: what was said under way need not hold elsewhere.
 */
type Pairs = Map<object, Set<object>>;

/**
 * Returns true if two values are deeply equal. NaN equals itself, and 0 equals -0. Own enumerable properties count,
 * including symbols, and a property that is `undefined` differs from a missing one. Prototypes must agree; a missing
 * prototype counts as `Object.prototype`. Maps and sets are compared deeply and in any order.
 */
export function equal(a: unknown, b: unknown): boolean {
  return compare(a, b, new Map());
}

function compare(a: unknown, b: unknown, pairs: Pairs): boolean {
  if (a === b || Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (prototypeOf(a) !== prototypeOf(b)) return false;
  if (a instanceof WeakMap || a instanceof WeakSet) {
    throw new TypeError("Cannot compare weak collections: their entries cannot be listed");
  }
  const partners = pairs.get(a) ?? new Set();
  if (partners.has(b)) return true;
  pairs.set(a, partners.add(b));
  const same = equalContent(a, b, pairs) && equalProperties(a, b, pairs);
  partners.delete(b);
  return same;
}

function prototypeOf(value: object): object {
  return Object.getPrototypeOf(value) ?? Object.prototype;
}

/** Compares what does not show as properties. Both have the same prototype. */
function equalContent(a: object, b: object, pairs: Pairs): boolean {
  if (a instanceof Date && b instanceof Date) return Object.is(a.getTime(), b.getTime());
  if (a instanceof RegExp || a instanceof URL) return String(a) === String(b);
  if (a instanceof Error && b instanceof Error) return a.name === b.name && a.message === b.message;
  if (a instanceof WeakRef && b instanceof WeakRef) return compare(a.deref(), b.deref(), pairs);
  if (isBoxed(a)) return Object.is(a.valueOf(), b.valueOf());
  if (a instanceof Set && b instanceof Set) return equalSets(a, b, pairs);
  if (a instanceof Map && b instanceof Map) return equalMaps(a, b, pairs);
  if (a instanceof ArrayBuffer && b instanceof ArrayBuffer) {
    return compare(new Uint8Array(a), new Uint8Array(b), pairs);
  }
  if (a instanceof DataView && b instanceof DataView) return compare(bytes(a), bytes(b), pairs);
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length;
  return true;
}

function isBoxed(value: object): boolean {
  return value instanceof Number || value instanceof String || value instanceof Boolean;
}

function bytes(view: DataView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function equalProperties(a: object, b: object, pairs: Pairs): boolean {
  const keys = enumerableKeys(a);
  if (keys.length !== enumerableKeys(b).length) return false;
  return keys.every((key) =>
    Object.prototype.propertyIsEnumerable.call(b, key) &&
    compare(Reflect.get(a, key), Reflect.get(b, key), pairs)
  );
}

function enumerableKeys(value: object): PropertyKey[] {
  return Reflect.ownKeys(value).filter((key) =>
    Object.prototype.propertyIsEnumerable.call(value, key)
  );
}

function equalSets(a: Set<unknown>, b: Set<unknown>, pairs: Pairs): boolean {
  if (a.size !== b.size) return false;
  const left = new Set(b);
  for (const value of a) {
    const partner = left.has(value)
      ? { value }
      : find(left, (other) => compare(value, other, pairs));
    if (partner === undefined) return false;
    left.delete(partner.value);
  }
  return true;
}

function equalMaps(a: Map<unknown, unknown>, b: Map<unknown, unknown>, pairs: Pairs): boolean {
  if (a.size !== b.size) return false;
  const left = new Map(b);
  for (const entry of a) {
    const partner = left.has(entry[0])
      ? { value: [entry[0], left.get(entry[0])] as const }
      : find(left, (other) =>
        compare(entry[0], other[0], pairs) && compare(entry[1], other[1], pairs));
    if (partner === undefined || !compare(entry[1], partner.value[1], pairs)) return false;
    left.delete(partner.value[0]);
  }
  return true;
}

/** The first match in a box of its own: `undefined` may be a member. */
function find<T>(values: Iterable<T>, matches: (value: T) => boolean): { value: T } | undefined {
  for (const value of values) if (matches(value)) return { value };
  return undefined;
}
