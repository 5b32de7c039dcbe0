/** Error thrown for a wrong command line or configuration. The message says what is allowed. */
export class UsageError extends Error {
  /** Creates the error with the name `"UsageError"`. */
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}
