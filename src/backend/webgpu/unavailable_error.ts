/** A backend cannot be had here, or is no more: another one may do. */
export class BackendUnavailableError extends Error {
  override readonly name = "BackendUnavailableError";
  /** Which backend. */
  readonly backend: string;

  /** `message` says what would have to be there. */
  constructor(backend: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.backend = backend;
  }
}
