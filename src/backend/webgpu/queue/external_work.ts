/** Work that others submit to the device between two runs, such as a session of a model. */
export class ExternalWork {
  /** Submits it, and settles when the device has it. Called again if work before it has to be repeated. */
  readonly work: () => Promise<void>;

  constructor(work: () => Promise<void>) {
    this.work = work;
  }
}
