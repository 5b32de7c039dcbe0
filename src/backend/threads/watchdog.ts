/** Looks per timeout. One look alone may come late, with the messages of a thread still in the queue. */
const LOOKS = 4;

/** The threads that a {@linkcode Watchdog} watches. */
export interface WatchedThreads {
  /** Longest silence of a thread that owes a reply, ms. */
  readonly timeout: number;
  /** Returns whether a thread owes a reply. */
  owes(thread: number): boolean;
  /** Called if a thread owed a reply and was silent for that long. */
  onSilent(thread: number): void;
}

/**
 * Watches that threads which owe a reply give a sign of life. A worker that has ended by itself, or that hangs, sends no
 * event. Costs a counter per message; a timer runs only while something is owed.
 */
export class Watchdog {
  readonly #threads: WatchedThreads;
  /** Looks since the last sign of life of each thread. */
  readonly #silentLooks: number[];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Watches the first `count` threads. */
  constructor(count: number, threads: WatchedThreads) {
    this.#threads = threads;
    this.#silentLooks = new Array(count).fill(0);
  }

  /** Takes in a sign of life. */
  hear(thread: number): void {
    this.#silentLooks[thread] = 0;
  }

  /** Watches from now on, until nothing is owed. */
  watch(): void {
    this.#timer ??= setTimeout(() => this.#look(), this.#threads.timeout / LOOKS);
  }

  /** Watches no more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    this.#timer = undefined;
    let isOwed = false;
    for (const [thread, looks] of this.#silentLooks.entries()) {
      const owes = this.#threads.owes(thread);
      isOwed ||= owes;
      this.#silentLooks[thread] = owes ? looks + 1 : 0;
      if (owes && looks + 1 > LOOKS) return this.#threads.onSilent(thread);
    }
    if (isOwed) this.watch();
  }
}
