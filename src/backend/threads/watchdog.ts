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
  /** Number of checks since any thread made progress. */
  #stuckLooks = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Creates a watchdog for the first `count` threads. */
  constructor(count: number, threads: WatchedThreads) {
    this.#threads = threads;
    this.#silentLooks = new Array(count).fill(0);
  }

  /** Records a message of a thread. If the thread only waits for other threads, the message is not progress. */
  hear(thread: number, isWaiting: boolean): void {
    this.#silentLooks[thread] = 0;
    if (!isWaiting) this.#stuckLooks = 0;
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
    const looks = this.#silentLooks;
    // The thread that is silent for the longest time, among those that have to reply.
    let silent: number | undefined;
    for (let thread = 0; thread < looks.length; thread++) {
      const owes = this.#threads.owes(thread);
      looks[thread] = owes ? looks[thread]! + 1 : 0;
      if (owes && (silent === undefined || looks[thread]! > looks[silent]!)) silent = thread;
    }
    this.#stuckLooks = silent === undefined ? 0 : this.#stuckLooks + 1;
    if (silent === undefined) return;
    // Threads that wait for each other are never silent, so the time without progress counts too.
    if (Math.max(looks[silent]!, this.#stuckLooks) > LOOKS) this.#threads.onSilent(silent);
    else this.watch();
  }
}
