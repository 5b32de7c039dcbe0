/** Work that other code submits to the device between two runs, for example a session of a model. */
export class ExternalWork {
  /**
   * Submits the work. The promise settles when the work is submitted. The function is called again if work before it
   * had to be repeated.
   */
  readonly work: () => Promise<void>;

  constructor(work: () => Promise<void>) {
    this.work = work;
  }
}
