/** Details of the cause. */
export interface DivergedDetails {
  /** The first atom without a finite position, counted within the system. */
  readonly atom?: number | undefined;
  /** The name of the model that returned non-finite values. */
  readonly model?: string;
  /** The result of the model that is not finite. */
  readonly fault?: string | undefined;
  /** Why the cell of a system is too flat for the pairs of its atoms. */
  readonly flat?: string;
  /** True if the lengths of bonds could not be kept. */
  readonly hasBonds?: boolean;
}

/** A run in which atoms have gone where no number is: the step is too long, or the start too far from any minimum. */
export class DivergedError extends Error {
  /** By which it is known across realms. */
  override readonly name = "DivergedError";
  /** The step in which it happened. */
  readonly step: number;
  /** The places of the systems. */
  readonly systems: readonly number[];

  /** Says where it happened, and what to try. */
  constructor(
    engine: string,
    step: number,
    systems: readonly number[],
    { atom, model, fault, hasBonds, flat }: DivergedDetails = {},
  ) {
    const where = systems.map((system) => `system ${system}`).join(", ");
    const when = step < 0 ? "before the first step" : `after step ${step}`;
    super(
      hasBonds
        ? `Cannot go on with ${engine} as bonds must get back to their lengths within maxIterations: ${when} those of ` +
          `${where} do not; try a shorter dt, and look for bonds that cannot all have theirs`
        : flat !== undefined
        ? `Cannot go on with ${engine} as the faces of a cell must not be closer to each other than 1/64 of the reach of ` +
          `pairs: ${when} that of ${where} is too flat, as ${flat}; use a shorter cutoff or a repeated cell, or a ` +
          `shorter dt if the run has changed the cell`
        : model === undefined
        ? `Cannot go on with ${engine} as positions must be finite and within reach: ${when} those of ${where}` +
          `${
            atom === undefined ? "" : ` (atom ${atom} first)`
          } are not; try a shorter dt, and look for atoms that ` +
          `start too close to each other`
        : `Cannot go on with ${engine} as what ${model} gives must be finite: ${when} the energy or forces of ` +
          `${where} are not${
            fault === undefined ? "" : ` (${fault})`
          }; look for atoms that are too close to each other, or unlike what it was made for`,
    );
    this.step = step;
    this.systems = systems;
  }
}
