/** Number of checks per timeout. A single check could run late, while messages of the thread are still in the queue. */
const LOOKS = 4;

/** The threads that a {@linkcode Watchdog} watches. */
export interface WatchedThreads {
  /** Longest time without a message from a thread that has to reply, in ms. */
  readonly timeout: number;
  /** Returns whether a thread has not yet replied to a request. */
  owes(thread: number): boolean;
  /** Called if a thread that has to reply was silent for longer than `timeout`. */
  onSilent(thread: number): void;
}

/**
 * Detects threads that have to reply but no longer send messages. It is necessary because a worker that has ended or
 * hangs sends no event. It costs one counter per message, and its timer runs only while replies are pending.
 */
export class Watchdog {
  readonly #threads: WatchedThreads;
  /** Number of checks since the last message of each thread. */
  readonly #silentLooks: number[];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Creates a watchdog for the first `count` threads. */
  constructor(count: number, threads: WatchedThreads) {
    this.#threads = threads;
    this.#silentLooks = new Array(count).fill(0);
  }

  /** Records a message of a thread. */
  hear(thread: number): void {
    this.#silentLooks[thread] = 0;
  }

  /** Starts the timer, which runs until no reply is pending. */
  watch(): void {
    this.#timer ??= setTimeout(() => this.#look(), this.#threads.timeout / LOOKS);
  }

  /** Stops the timer. */
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
