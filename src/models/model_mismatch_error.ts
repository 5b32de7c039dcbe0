/** A model file and what is known of it do not fit together. */
export class ModelMismatchError extends Error {
  /** By which it is known across realms. */
  override readonly name = "ModelMismatchError";
  /** What must be. */
  readonly expected: string;
  /** What is there. */
  readonly found: string;

  /** Says what was expected, what is there, and what would do. */
  constructor(model: string, expected: string, found: string, remedy: string) {
    super(`Cannot use ${model} as ${expected}: ${found}; what would do is ${remedy}`);
    this.expected = expected;
    this.found = found;
  }
}
