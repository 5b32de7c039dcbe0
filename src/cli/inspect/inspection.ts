/** A description, as lines of text and as data. */
export interface Inspection {
  readonly lines: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
}
