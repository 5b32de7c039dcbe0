/** Limits of a room. */
export interface Ceiling {
  /** Largest share of doc comments that open with a clause, in percent. @default 3 */
  readonly clauses?: number;
  /** Largest number of occurrences of all words to avoid together. @default 0 */
  readonly words?: number;
  /** Largest number of headings that readers do not search for. @default 0 */
  readonly headings?: number;
}

/** Limits of rooms that exceed the defaults of {@linkcode Ceiling}. At present every room keeps the defaults; do not add rooms. */
export const CEILINGS: Readonly<Record<string, Ceiling>> = {};
