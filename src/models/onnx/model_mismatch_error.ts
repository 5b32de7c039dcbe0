/** What else of a model could be meant. */
export type WouldMap = Readonly<Record<string, readonly string[]>>;

/** What does not fit. */
export interface Mismatch {
  /** What must be. */
  readonly expected: string;
  /** What is there. */
  readonly found: string;
  /** Name of a tensor → what it could mean, by its type and shape. */
  readonly wouldMap: WouldMap;
  /** What to do, where naming a tensor is not enough. */
  readonly remedy?: string;
}

/** A model file and what is known of it do not fit together. */
export class ModelMismatchError extends Error implements Mismatch {
  /** By which it is known across realms. */
  override readonly name = "ModelMismatchError";
  /** What the model is called. */
  readonly model: string;
  /** What must be. */
  readonly expected: string;
  /** What is there. */
  readonly found: string;
  /** Name of a tensor → what it could mean, by its type and shape. */
  readonly wouldMap: WouldMap;

  /** Says what was expected, what is there, and what would do. */
  constructor(model: string, { expected, found, wouldMap, remedy }: Mismatch) {
    const could = Object.entries(wouldMap).filter(([, meanings]) => meanings.length > 0)
      .map(([tensor, meanings]) => `${tensor} as ${meanings.join(" or ")}`).join(", ");
    const way = [remedy, could === "" ? undefined : `what would map is ${could}`];
    super(
      [`Cannot use ${model}: ${expected}: ${found}`, ...way.filter((text) => text !== undefined)]
        .join("; "),
    );
    this.model = model;
    this.expected = expected;
    this.found = found;
    this.wouldMap = wouldMap;
  }
}
