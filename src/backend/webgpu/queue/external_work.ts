/** Work that other code submits to the device between two runs, such as a session of a model. */
export class ExternalWork {
  /**
   * Submits the work. Settles when the device has it. It is called again if work before it has to
   * be repeated.
   */
  readonly work: () => Promise<void>;

  constructor(work: () => Promise<void>) {
    this.work = work;
  }
}
