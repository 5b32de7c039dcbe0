/** Thrown by every assertion that does not hold. */
export class AssertionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AssertionError";
  }
}

/** The message of a failed assertion, with the caller's own words behind it. */
export function withNote(message: string, note: string | undefined): string {
  return note ? `${message}: ${note}` : `${message}.`;
}
