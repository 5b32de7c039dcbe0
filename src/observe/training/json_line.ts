/**
 * Conversion of any value to a line of JSON.
 *
 * @module
 */

/** Largest depth of nested values, and largest number of elements of a list or members of an object. */
const [DEEP, MANY] = [8, 1000];

/**
 * Returns a value as JSON in one line. NaN becomes null. Infinity, functions, symbols, circular references,
 * unreadable members and values below the depth limit become text. Lists are cut after 1000 elements and end with a
 * text that has their length. Members of an object after the first 1000 are dropped. Never throws.
 */
export function jsonLine(value: unknown): string {
  return JSON.stringify(plain(value, [])) ?? "null";
}

function plain(value: unknown, above: readonly object[]): unknown {
  try {
    return typeof value === "object" && value !== null ? plainObject(value, above) : one(value);
  } catch (error) {
    return `[unreadable: ${typeof error === "object" ? (error as Error | null)?.message : error}]`;
  }
}

function one(value: unknown): unknown {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? value : Number.isNaN(value) ? null : String(value);
    case "bigint":
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    case "function":
      return `[function ${value.name}]`;
    case "symbol":
      return String(value);
    default:
      return value;
  }
}

function plainObject(value: object, above: readonly object[]): unknown {
  if (above.includes(value)) return "[circular]";
  if (above.length >= DEEP) return "[deeper]";
  const within = [...above, value];
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") return plain(toJSON.call(value), within);
  if (value instanceof Error) return plainError(value, within);
  if (ArrayBuffer.isView(value) && "length" in value) {
    return plainList(value as unknown as ArrayLike<unknown>, within);
  }
  if (Array.isArray(value) || value instanceof Set) return plainList([...value], within);
  const entries: (readonly [unknown, unknown])[] = value instanceof Map
    ? [...value]
    : Object.keys(value).map((key) => [key, member(value, key)]);
  return Object.fromEntries(
    entries.slice(0, MANY).map(([key, each]) => [String(key), plain(each, within)]),
  );
}

/**
 * Returns a member. If its getter throws, the text of the error is returned, so that the other members are written.
 */
function member(value: object, key: string): unknown {
  try {
    return (value as Readonly<Record<string, unknown>>)[key];
  } catch (error) {
    return `[unreadable: ${String(error)}]`;
  }
}

function plainList(list: ArrayLike<unknown>, within: readonly object[]): unknown {
  const shown = Array.from({ length: Math.min(list.length, MANY) }, (_, i) =>
    // JSON.stringify() writes null for elements that JSON lacks, such as undefined.
    plain(list[i], within));
  return list.length > MANY ? [...shown, `[${list.length} in all]`] : shown;
}

function plainError(error: Error, within: readonly object[]): unknown {
  const { name, message, cause } = error;
  return { name, message, ...(cause !== undefined && { cause: plain(cause, within) }) };
}
