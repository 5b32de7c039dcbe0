import type { ElementType } from "../codec/element_type.ts";
import { type Fact, factOf, type Inferring, type KnownShape } from "./fact.ts";
import { isFresh, type KnownLength, namesIn } from "./length.ts";

/** Declaration of a value in a file. Undeclared properties and lengths are `undefined`. */
export interface Declared {
  readonly type: ElementType | undefined;
  readonly shape: readonly (KnownLength | undefined)[] | undefined;
}

/**
 * Merges an inferred fact with the declaration of the file. Reports a contradiction if they differ in the type, in
 * the number of axes, or in a length that is a number in both.
 */
export function mergeDeclared(
  fact: Fact,
  declared: Declared,
  name: string,
  inferring: Inferring,
): Fact {
  if (fact.type !== undefined && declared.type !== undefined && fact.type !== declared.type) {
    differ("type", fact.type, declared.type, name, inferring);
  }
  const type = fact.type ?? declared.type;
  const { shape } = fact;
  if (declared.shape === undefined) return type === fact.type ? fact : { ...fact, type };
  if (shape === undefined) {
    return factOf(type, declared.shape.map((length) => length ?? inferring.fresh()), fact.values);
  }
  if (shape.length !== declared.shape.length) {
    differ("number of axes", `${shape.length}`, `${declared.shape.length}`, name, inferring);
  }
  return factOf(type, mergedShape(shape, declared.shape, name, inferring), fact.values);
}

function mergedShape(
  shape: KnownShape,
  declared: readonly (KnownLength | undefined)[],
  name: string,
  inferring: Inferring,
): KnownShape {
  return shape.map((length, i) => {
    const other = declared[i];
    if (other === undefined || other === length) return length;
    if (typeof length === "number") {
      if (typeof other === "string") return length;
      return differ(`length along axis ${i}`, `${length}`, `${other}`, name, inferring);
    }
    return typeof other === "number" || isBetter(other, length) ? other : length;
  });
}

/**
 * Returns whether the declared length `other` is more informative than the inferred `length`. This is the case if
 * `length` contains a fresh name, or is a Max or Min that includes all names of `other`.
 */
function isBetter(other: string, length: string): boolean {
  if (isFresh(length)) return true;
  if (!/Max\(|Min\(/.test(length)) return false;
  const names = namesIn(length);
  return namesIn(other).every((name) => names.includes(name));
}

function differ(
  what: string,
  own: string,
  declared: string,
  name: string,
  inferring: Inferring,
): never {
  const value = `${own} from its operator and ${declared} in the file`;
  return inferring.contradiction(
    `the ${what} of ${JSON.stringify(name)} must be unambiguous`,
    value,
  );
}
