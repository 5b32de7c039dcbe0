/** A test case of a suite. */
export interface TestCase {
  /** Statement that is true if the case passes. */
  readonly name: string;
  /** Throws an Error that describes the difference and its position. */
  run(): Promise<void>;
}
