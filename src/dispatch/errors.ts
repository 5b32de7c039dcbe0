/** No row of an overload set takes the arguments of a call. `nearest` are the rows that came closest. */
export class NoOverloadError extends TypeError {
  /** The rows that match most of the arguments, best first, as text. */
  readonly nearest: readonly string[];

  /** Builds the message from the call and the rows that came closest. */
  constructor(call: string, nearest: readonly string[]) {
    super(
      `Cannot dispatch ${call} as no overload takes these arguments: ` +
        (nearest.length === 0 ? "the set is empty" : `the nearest are ${nearest.join(", ")}`),
    );
    this.name = "NoOverloadError";
    this.nearest = nearest;
  }
}

/** Two rows of an overload set fit equally well. `rows` names both. */
export class AmbiguousOverloadError extends TypeError {
  /** The two rows, as text. */
  readonly rows: readonly [string, string];

  /** `where` says what could not be done: a row could not be added, or a call not be dispatched. */
  constructor(where: string, rows: readonly [string, string], cure: string) {
    super(`Cannot ${where} as ${rows[0]} and ${rows[1]} fit equally well: ${cure}`);
    this.name = "AmbiguousOverloadError";
    this.rows = rows;
  }
}
