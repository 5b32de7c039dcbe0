/**
 * Patterns of tensor names. Dots and slashes are ordinary characters, because exporters use them freely in names.
 *
 * @module
 */

/** Element of a pattern: `"*"` for any number of characters, or a function that tests one character. */
type Token = "*" | ((char: string) => boolean);

/** A parsed pattern. */
export interface Glob {
  /** Text of the pattern. */
  readonly text: string;
  readonly tokens: readonly Token[];
}

/**
 * Parses a pattern. `*` matches any number of characters, including dots and slashes; `?` matches one character;
 * `[abc]` and `[a-z]` match one character of a set, and `[!a-z]` one character outside of it. All other characters
 * match themselves, as does a `[` that is never closed.
 */
export function parseGlob(text: string): Glob {
  const tokens: Token[] = [];
  const chars = [...text];
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i];
    const end = char === "[" ? endOfSet(chars, i) : -1;
    if (char === "*") {
      if (tokens.at(-1) !== "*") tokens.push("*");
    } else if (char === "?") tokens.push(() => true);
    else if (end !== -1) {
      tokens.push(oneOf(chars.slice(i + 1, end)));
      i = end;
    } else tokens.push((other) => other === char);
  }
  return { text, tokens };
}

/**
 * Returns the index of the bracket that closes a set; −1 if there is none. A `]` at the very beginning of a set is a
 * member of the set.
 */
function endOfSet(chars: readonly string[], start: number): number {
  return chars.indexOf("]", start + (chars[start + 1] === "!" ? 3 : 2));
}

function oneOf(set: readonly string[]): (char: string) => boolean {
  const isNegated = set[0] === "!";
  const ranges: [string, string][] = [];
  for (let i = isNegated ? 1 : 0; i < set.length; i++) {
    const first = set[i] ?? "";
    const isRange = set[i + 1] === "-" && i + 2 < set.length;
    ranges.push([first, isRange ? set[i + 2] ?? "" : first]);
    if (isRange) i += 2;
  }
  return (char) => ranges.some(([first, last]) => first <= char && char <= last) !== isNegated;
}

/** Returns whether a pattern matches a complete name. */
export function fits({ tokens }: Glob, name: string): boolean {
  const chars = [...name];
  let [t, c, star, retry] = [0, 0, -1, 0];
  while (c < chars.length) {
    const token = tokens[t];
    if (token === "*") [star, retry] = [t++, c];
    else if (token?.(chars[c] ?? "") === true) t++, c++;
    else if (star === -1) return false;
    else [t, c] = [star + 1, ++retry]; // Backtrack: the last star matches one more character.
  }
  while (tokens[t] === "*") t++;
  return t === tokens.length;
}

/**
 * Returns up to three names that are closest to a pattern, the best first. Names that differ too much are omitted.
 */
export function nearestNames(glob: Glob, names: Iterable<string>): string[] {
  const most = Math.max(2, glob.tokens.length / 2);
  const found: [number, string][] = [];
  for (const name of names) {
    const far = distance(glob, name);
    if (far <= most) found.push([far, name]);
  }
  return found.sort(([a], [b]) => a - b).slice(0, 3).map(([, name]) => name);
}

/** Returns the Levenshtein distance between a pattern and a name, ignoring case. */
function distance({ text }: Glob, name: string): number {
  const { tokens } = parseGlob(text.toLowerCase());
  const chars = [...name.toLowerCase()];
  let row = Array.from({ length: chars.length + 1 }, (_, j) => j);
  for (const token of tokens) {
    const above = row;
    row = [token === "*" ? at(above, 0) : at(above, 0) + 1];
    for (const [i, char] of chars.entries()) {
      if (token === "*") row.push(Math.min(at(above, i + 1), at(row, i)));
      else {
        const replaced = at(above, i) + (token(char) ? 0 : 1);
        row.push(Math.min(replaced, at(above, i + 1) + 1, at(row, i) + 1));
      }
    }
  }
  return at(row, chars.length);
}

function at(list: readonly number[], index: number): number {
  return list[index] ?? Infinity;
}
