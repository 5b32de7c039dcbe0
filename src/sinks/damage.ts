/** A part of a file that is not as it was written. */
export interface SinkDamage {
  /** Where it is: a line, a row, or a file of a store. */
  readonly place: string;
  /** What is wrong with it. */
  readonly reason: string;
}

/** The check of one part of a file. */
export interface CheckedPart {
  /** Where it is: a line, a row, or a file of a store. */
  readonly place: string;
  /** What is wrong with it, `undefined` if it is as it was written or nothing is known of it. */
  readonly reason?: string;
  /** Whether it has a check sum. */
  readonly isSummed: boolean;
  /** How many systems it is: 1, or 0 for other parts. */
  readonly systems: number;
}

/** What is said of a part whose check sum is another. */
export const CHANGED = "it is not what was written: its check sum is another";
