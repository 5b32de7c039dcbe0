import type { ElementType } from "../codec/element_type.ts";
import { type Fact, factOf, type Inferring, type KnownShape } from "./fact.ts";
import { isFresh, type KnownLength, namesIn } from "./length.ts";

/** What a file says of a value; `undefined` for what it leaves open. */
export interface Said {
  readonly type: ElementType | undefined;
  readonly shape: readonly (KnownLength | undefined)[] | undefined;
}

/**
 * One fact of what follows and of what the file says. Contradicts where they differ in type, in the number of axes,
 * or in a length that is a number in both.
 */
export function agree(fact: Fact, said: Said, name: string, inferring: Inferring): Fact {
  if (fact.type !== undefined && said.type !== undefined && fact.type !== said.type) {
    differ("type", fact.type, said.type, name, inferring);
  }
  const type = fact.type ?? said.type;
  const { shape } = fact;
  if (said.shape === undefined) return type === fact.type ? fact : { ...fact, type };
  if (shape === undefined) {
    return factOf(type, said.shape.map((length) => length ?? inferring.fresh()), fact.values);
  }
  if (shape.length !== said.shape.length) {
    differ("number of axes", `${shape.length}`, `${said.shape.length}`, name, inferring);
  }
  return factOf(type, agreedShape(shape, said.shape, name, inferring), fact.values);
}

function agreedShape(
  shape: KnownShape,
  said: readonly (KnownLength | undefined)[],
  name: string,
  inferring: Inferring,
): KnownShape {
  return shape.map((length, i) => {
    const other = said[i];
    if (other === undefined || other === length) return length;
    if (typeof length === "number") {
      if (typeof other === "string") return length;
      return differ(`length along axis ${i}`, `${length}`, `${other}`, name, inferring);
    }
    return typeof other === "number" || isBetter(other, length) ? other : length;
  });
}

/** A file's length says more than a name for what nobody knows, and more than the same with a limit to it. */
function isBetter(other: string, length: string): boolean {
  if (isFresh(length)) return true;
  if (!/Max\(|Min\(/.test(length)) return false;
  const names = namesIn(length);
  return namesIn(other).every((name) => names.includes(name));
}

function differ(
  what: string,
  own: string,
  said: string,
  name: string,
  inferring: Inferring,
): never {
  const value = `${own} by its operator, ${said} by the file`;
  return inferring.contradiction(`the ${what} of ${JSON.stringify(name)} must be one`, value);
}
