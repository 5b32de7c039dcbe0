/** The members of a source map that are used here. */
export interface SourceMap {
  /** Files that the bundle was made of. */
  readonly sources: readonly string[];
  /** Positions, in the format of source maps, revision 3. */
  readonly mappings: string;
}

/** A piece of a bundle that came from one file. */
export interface Segment {
  /** The file, from the root of the project if it is one of src; empty for the text of the bundler. */
  readonly source: string;
  /** The text of the piece. */
  readonly text: string;
}

/** Returns the pieces of a bundle in order. Lines without positions belong to the piece before them. */
export function segmentsOf(bundle: string, { sources, mappings }: SourceMap): Segment[] {
  const segments: Segment[] = [], lines = mappings.split(";");
  let index = 0, source = "";
  for (const [i, text] of bundle.split("\n").entries()) {
    let column = 0, from = 0;
    for (const mapping of lines[i]?.split(",") ?? []) {
      const [columns, change] = numbersOf(mapping);
      if (columns === undefined) continue;
      column += columns;
      segments.push({ source, text: text.slice(from, column) });
      from = column;
      index += change ?? 0;
      source = change === undefined ? "" : shortened(sources[index]!);
    }
    segments.push({ source, text: `${text.slice(from)}\n` });
  }
  return segments;
}

function shortened(source: string): string {
  return source.replace(/^.*?\b(?=(?:src|wasm\/pkg)\/)/, "");
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Returns the numbers of a mapping. A digit has five bits and a flag if more follow; the lowest bit is the sign. */
function numbersOf(mapping: string): number[] {
  const numbers: number[] = [];
  let value = 0, shift = 0;
  for (const letter of mapping) {
    const digit = DIGITS.indexOf(letter);
    value |= (digit & 31) << shift;
    shift += 5;
    if ((digit & 32) !== 0) continue;
    numbers.push((value & 1) === 1 ? -(value >> 1) : value >> 1);
    value = shift = 0;
  }
  return numbers;
}
