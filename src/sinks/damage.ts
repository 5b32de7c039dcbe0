/** A damaged part of a file. */
export interface SinkDamage {
  /** Location of the part: a line, a row, or a file of a store. */
  readonly place: string;
  /** Description of the damage. */
  readonly reason: string;
}

/** Result of the check of one part of a file. */
export interface CheckedPart {
  /** Location of the part: a line, a row, or a file of a store. */
  readonly place: string;
  /** Description of the damage; `undefined` if no damage was found. */
  readonly reason?: string;
  /** True if the part has a checksum. If false, only its format is checked. */
  readonly isSummed: boolean;
  /** Number of systems in the part: 1, or 0 for parts that are not systems. */
  readonly systems: number;
}

/** Description of the damage of a part that does not match its checksum. */
export const CHANGED = "it was changed: it does not match its checksum";

/** Description of the damage of a part that was written with a checksum and has none. */
export const MISSING = "its checksum is missing";
