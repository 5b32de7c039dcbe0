/**
 * What a run log leaves in a checkpoint.
 *
 * @module
 */

/** What a checkpoint keeps of a run log. */
export interface RunLogState {
  /** The run's id. */
  readonly id: string;
  /** How many segments it has begun. */
  readonly segments: number;
}

/** Checks what was kept. */
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
