/**
 * Number of checks per timeout. A single check could come late, while messages of the thread are
 * still in the queue.
 */
const LOOKS = 4;

/** The threads that a {@linkcode Watchdog} watches. */
export interface WatchedThreads {
  /** Longest silence of a thread that owes a reply, ms. */
  readonly timeout: number;
  /** Returns whether a thread owes a reply. */
  owes(thread: number): boolean;
  /** Called if a thread with a pending reply was silent for that time. */
  onSilent(thread: number): void;
}

/**
 * Watches for signs of life from threads with pending replies. A watchdog is necessary because a
 * worker that has ended or hangs sends no event. It costs one counter per message, and its timer
 * runs only while replies are pending.
 */
export class Watchdog {
  readonly #threads: WatchedThreads;
  /** Number of checks since the last sign of life of each thread. */
  readonly #silentLooks: number[];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Watches the first `count` threads. */
  constructor(count: number, threads: WatchedThreads) {
    this.#threads = threads;
    this.#silentLooks = new Array(count).fill(0);
  }

  /** Records a sign of life. */
  hear(thread: number): void {
    this.#silentLooks[thread] = 0;
  }

  /** Watches until no reply is pending. */
  watch(): void {
    this.#timer ??= setTimeout(() => this.#look(), this.#threads.timeout / LOOKS);
  }

  /** Stops watching. */
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
