/**
 * What one argument of an overload must be, and how two such demands relate.
 *
 * @module
 */

/** A kind of stages as the dispatcher sees it: it matches the strings that start with `kind/`. */
export interface KindLike {
  /** The name before the slash. */
  readonly kind: string;
}

/** A value that matches only itself. */
export type Literal = string | number | boolean | bigint | symbol | null | undefined;

/** A class: matches its instances (for `Number`, `String` and the like the primitives too). */
// deno-lint-ignore no-explicit-any -- the only spelling that accepts constructors of every signature
export type Class = abstract new (...args: any) => unknown;

/** A predicate: matches what it answers `true` for. Must be pure. */
export type Guard = (x: unknown) => x is unknown;

/** Kind, literal (a stage is one), class or guard. A string `"kind/*"` stands for the kind of that name. */
export type Matcher =
  | KindLike
  | Literal
  | Class
  | BigIntConstructor
  | SymbolConstructor
  | ((x: unknown) => x is unknown);

/** The type a matcher lets through. */
export type Match<M> = M extends
  { readonly kind: infer K extends string; readonly types?: { readonly stages: infer S } }
  ? `${K}/${keyof S & string}`
  : M extends KindLike ? `${M["kind"]}/${string}`
  : M extends NumberConstructor ? number
  : M extends StringConstructor ? string
  : M extends BooleanConstructor ? boolean
  : M extends BigIntConstructor ? bigint
  : M extends SymbolConstructor ? symbol
  // deno-lint-ignore no-explicit-any -- as in Class
  : M extends abstract new (...args: any) => infer T ? T
  : M extends (x: unknown) => x is infer T ? T
  : M;

/** The argument tuple that a list of matchers lets through. */
export type MatchAll<Ms extends readonly Matcher[]> = { -readonly [i in keyof Ms]: Match<Ms[i]> };

/** Matches everything; the least specific matcher there is. */
export const any: (x: unknown) => x is unknown = (_x): _x is unknown => true;

/** A matcher in the form the dispatcher works with. */
export type Test =
  | { readonly type: "literal"; readonly value: Literal }
  | { readonly type: "guard"; readonly guard: Guard; readonly label: string }
  | { readonly type: "kind"; readonly kind: string }
  | { readonly type: "class"; readonly cls: Class }
  | { readonly type: "any" };

const PRIMITIVES = new Map<unknown, string>([
  [Number, "number"],
  [String, "string"],
  [Boolean, "boolean"],
  [BigInt, "bigint"],
  [Symbol, "symbol"],
]);

/** Reads a matcher as the user wrote it. Throws a TypeError for what is none. */
export function readMatcher(matcher: unknown): Test {
  if (matcher === any) return { type: "any" };
  if (typeof matcher === "string" && matcher.endsWith("/*")) {
    return { type: "kind", kind: matcher.slice(0, -2) };
  }
  if (typeof matcher === "function") return readFunction(matcher);
  if (typeof matcher !== "object" || matcher === null) {
    return { type: "literal", value: matcher as Literal };
  }
  const kind = (matcher as Partial<KindLike>).kind;
  if (typeof kind === "string") return { type: "kind", kind };
  throw new TypeError(
    `Cannot add an overload as a matcher must be a kind, a literal, a class or a guard: ` +
      `current value is ${describeValue(matcher)}`,
  );
}

// A class (a built-in one too) has a read-only `prototype`; a function has a writable one or none.
function readFunction(f: { readonly name: string }): Test {
  const own = Object.getOwnPropertyDescriptor(f, "prototype");
  if (own?.writable === false || PRIMITIVES.has(f)) {
    return { type: "class", cls: f as unknown as Class };
  }
  return { type: "guard", guard: f as unknown as Guard, label: f.name === "" ? "guard" : f.name };
}

/** Does the value pass the test? */
export function passes(test: Test, x: unknown): boolean {
  switch (test.type) {
    case "any":
      return true;
    case "literal":
      return sameValueZero(test.value, x);
    case "kind":
      return typeof x === "string" && isStageOfKind(x, test.kind);
    case "guard":
      return test.guard(x);
    case "class":
      return isInstance(test.cls, x);
  }
}

function isStageOfKind(stage: string, kind: string): boolean {
  return stage.length > kind.length && stage.charCodeAt(kind.length) === 47 /* "/" */ &&
    stage.startsWith(kind);
}

function isInstance(cls: Class, x: unknown): boolean {
  const primitive = PRIMITIVES.get(cls);
  if (primitive !== undefined && typeof x === primitive) return true;
  if ((cls as unknown) === Object) {
    return (typeof x === "object" && x !== null) || typeof x === "function";
  }
  return x instanceof cls;
}

function sameValueZero(a: unknown, b: unknown): boolean {
  return a === b || (a !== a && b !== b);
}

/**
 * How the values of `a` relate to those of `b`: the same, fewer (`a` is more specific), more, none in
 * common, or unknown (two guards).
 */
export type Relation = "same" | "narrower" | "wider" | "disjoint" | "unknown";

/** Compares two tests. A guard counts as narrower than a class or a kind, and wider than a literal it accepts. */
export function relate(a: Test, b: Test): Relation {
  if (isSameTest(a, b)) return "same";
  if (a.type === "any") return "wider";
  if (b.type === "any") return "narrower";
  if (a.type === "literal") return passes(b, a.value) ? "narrower" : "disjoint";
  if (b.type === "literal") return passes(a, b.value) ? "wider" : "disjoint";
  if (a.type === "guard") return b.type === "guard" ? "unknown" : "narrower";
  if (b.type === "guard") return "wider";
  if (a.type === "class" && b.type === "class") {
    if (isSubclass(a.cls, b.cls)) return "narrower";
    return isSubclass(b.cls, a.cls) ? "wider" : "disjoint";
  }
  if (a.type === "kind" && b.type === "class") {
    return (b.cls as unknown) === String ? "narrower" : "disjoint";
  }
  if (a.type === "class" && b.type === "kind") {
    return (a.cls as unknown) === String ? "wider" : "disjoint";
  }
  return "disjoint"; // two kinds of different names
}

function isSameTest(a: Test, b: Test): boolean {
  if (a.type === "literal" && b.type === "literal") return sameValueZero(a.value, b.value);
  if (a.type === "guard" && b.type === "guard") return a.guard === b.guard;
  if (a.type === "kind" && b.type === "kind") return a.kind === b.kind;
  if (a.type === "class" && b.type === "class") return a.cls === b.cls;
  return a.type === "any" && b.type === "any";
}

function isSubclass(a: Class, b: Class): boolean {
  if ((b as unknown) === Object) return !PRIMITIVES.has(a);
  return a.prototype instanceof b;
}

/** The test as a person would write it. */
export function describeTest(test: Test): string {
  switch (test.type) {
    case "any":
      return "any";
    case "literal":
      return describeValue(test.value);
    case "kind":
      return `${test.kind}/*`;
    case "guard":
      return test.label;
    case "class":
      return test.cls.name;
  }
}

/** A value in a few characters: its class for an object, itself for a primitive. */
export function describeValue(x: unknown): string {
  if (typeof x === "string") return JSON.stringify(x);
  if (typeof x === "bigint") return `${x}n`;
  if (typeof x === "function") return x.name === "" ? "function" : x.name;
  if (typeof x !== "object" || x === null) return String(x);
  const name: unknown = x.constructor?.name;
  return typeof name === "string" && name !== "" ? name : "object";
}
