/**
 * Symmetry operations of crystals.
 *
 * @module
 */

/** An operation on fractional coordinates: x′ = rotation · x + translation. */
export interface Operation {
  /** Nine numbers, row by row. */
  readonly rotation: readonly number[];
  readonly translation: readonly number[];
}

/** One term of a coordinate: a sign, and a letter, a fraction or a number, or a number times a letter. */
const TERM = /([+-]?)(?:(\d+(?:\.\d*)?|\.\d+)(?:\/(\d+))?)?\*?([xyz]?)/iy;

/**
 * Returns the operation that a text such as `-x+1/2, y, z+1/2` describes; `undefined` if the text is not valid.
 */
export function readOperation(text: string): Operation | undefined {
  const coordinates = text.replace(/\s/g, "").split(",");
  if (coordinates.length !== 3) return undefined;
  const rotation: number[] = [], translation: number[] = [];
  for (const coordinate of coordinates) {
    const row = readCoordinate(coordinate);
    if (row === undefined) return undefined;
    rotation.push(...row.slice(0, 3));
    translation.push(row[3]!);
  }
  return { rotation, translation };
}

function readCoordinate(text: string): number[] | undefined {
  const row = [0, 0, 0, 0];
  if (text === "") return undefined;
  TERM.lastIndex = 0;
  while (TERM.lastIndex < text.length) {
    const match = TERM.exec(text);
    if (match === null || match[0] === "") return undefined;
    const [, sign, number, divisor, letter] = match;
    if (number === undefined && letter === "") return undefined;
    const value = Number(number ?? 1) / Number(divisor ?? 1) * (sign === "-" ? -1 : 1);
    const column = letter === "" ? 3 : "xyz".indexOf(letter!.toLowerCase());
    row[column]! += value;
  }
  return row.every(Number.isFinite) ? row : undefined;
}

/** Returns the image of a fractional position, with coordinates from 0 to 1. */
export function imageOf({ rotation, translation }: Operation, x: readonly number[]): number[] {
  return [0, 1, 2].map((i) => {
    const moved = rotation[3 * i]! * x[0]! + rotation[3 * i + 1]! * x[1]! +
      rotation[3 * i + 2]! * x[2]! +
      translation[i]!;
    return wrapped(moved);
  });
}

/** Returns a fractional coordinate in [0, 1). Values just below 1 become 0, as rounding errors cause them. */
export function wrapped(x: number): number {
  const y = x - Math.floor(x);
  return y > 1 - 1e-9 ? 0 : y;
}
