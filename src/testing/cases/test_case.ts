/** One thing that a suite asks. */
export interface TestCase {
  /** What is so when it passes. */
  readonly name: string;
  /** Throws an Error that says what is not so, where, and by how much. */
  run(): Promise<void>;
}
