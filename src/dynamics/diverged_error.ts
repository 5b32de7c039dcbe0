/** A run in which atoms have gone where no number is: the step is too long, or the start too far from any minimum. */
export class DivergedError extends Error {
  /** By which it is known across realms. */
  override readonly name = "DivergedError";
  /** The step in which it happened. */
  readonly step: number;
  /** The places of the systems. */
  readonly systems: readonly number[];

  /** Says where it happened, and what to try. */
  constructor(engine: string, step: number, systems: readonly number[], atom: number | undefined) {
    const where = systems.map((system) => `system ${system}`).join(", ");
    super(
      `Cannot go on with ${engine} as positions must be finite and within reach: ` +
        `${step < 0 ? "before the first step" : `after step ${step}`} those of ${where}` +
        `${
          atom === undefined ? "" : ` (atom ${atom} first)`
        } are not; try a shorter dt, and look for atoms that start too close to each other`,
    );
    this.step = step;
    this.systems = systems;
  }
}
