/**
 * State of a run log in checkpoints.
 *
 * @module
 */

/** State of a run log in a checkpoint. */
export interface RunLogState {
  /** Id of the run. */
  readonly id: string;
  /** Number of segments that have begun. */
  readonly segments: number;
}

/** Checks a saved state, and returns it. Throws a TypeError if it is not the state of a run log. */
export function readState(state: unknown, name: string): RunLogState {
  const { id, segments } = (state ?? {}) as { readonly id?: unknown; readonly segments?: unknown };
  if (typeof id === "string" && Number.isSafeInteger(segments) && Number(segments) >= 0) {
    return { id, segments: Number(segments) };
  }
  throw new TypeError(
    `Cannot restore run log ${name}: its state must be { id, segments }; got ${
      JSON.stringify(state)
    }`,
  );
}
