/** What others do on the device, such as a session of a model, between two runs. */
export class ExternalWork {
  /** Does it; again, where what came before it had to be done again. Settled when the device has its work. */
  readonly work: () => Promise<void>;

  constructor(work: () => Promise<void>) {
    this.work = work;
  }
}
