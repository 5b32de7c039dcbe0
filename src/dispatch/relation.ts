/**
 * Compares two matchers of one argument: which of them is narrower.
 *
 * @module
 */

import { type Class, passes, PRIMITIVES, sameValueZero, type Test } from "./matcher.ts";

/**
 * Relation of the values that `a` matches to those that `b` matches: the same, fewer (`a` is more
 * specific), more, disjoint, or unknown. Two guards have an unknown relation, and so has a class
 * with its own `Symbol.hasInstance`.
 */
export type Relation = "same" | "narrower" | "wider" | "disjoint" | "unknown";

/**
 * Compares two tests. A guard is narrower than a class or a kind, and wider than a literal that it
 * accepts. Nothing is known about a class with its own `Symbol.hasInstance`.
 */
export function relate(a: Test, b: Test): Relation {
  if (isSameTest(a, b)) return "same";
  if (a.type === "any") return "wider";
  if (b.type === "any") return "narrower";
  if (a.type === "literal") return passes(b, a.value) ? "narrower" : "disjoint";
  if (b.type === "literal") return passes(a, b.value) ? "wider" : "disjoint";
  if (a.type === "guard") {
    return b.type === "guard" || a.cls !== undefined ? "unknown" : "narrower";
  }
  if (b.type === "guard") return b.cls === undefined ? "wider" : "unknown";
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
  if (a.type === "guard" && b.type === "guard") {
    return a.guard === b.guard || (a.cls !== undefined && a.cls === b.cls);
  }
  if (a.type === "kind" && b.type === "kind") return a.kind === b.kind;
  if (a.type === "class" && b.type === "class") return a.cls === b.cls;
  return a.type === "any" && b.type === "any";
}

function isSubclass(a: Class, b: Class): boolean {
  if ((b as unknown) === Object) return !PRIMITIVES.has(a);
  return a.prototype instanceof b;
}
