/** Result of one structure, as the ledger and `--json` have it. */
export interface ScreenResult {
  readonly type: "screened";
  readonly file: string;
  /** Index of the frame in the file; null if the whole file cannot be read. */
  readonly frame: number | null;
  readonly atoms: number | null;
  readonly status: "converged" | "not converged" | "failed";
  readonly steps: number | null;
  /** Potential energy, eV. */
  readonly energy: number | null;
  /** Largest force on an atom, eV/Å. */
  readonly fmax: number | null;
  /** Reason of a failure; empty otherwise. */
  readonly reason: string;
}
