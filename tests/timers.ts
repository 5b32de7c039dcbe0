/**
 * Tests of things that take time, without a dependence on how fast the machine is.
 *
 * @module
 */

/** Time after which a condition that does not come true fails a test, ms. A stalled or loaded machine stays below it. */
const PATIENCE = 60_000;

const { setTimeout: realTimeout } = globalThis;
const realNow = performance.now.bind(performance);

/** Waits until something is true. Throws after a minute. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const begun = realNow();
  while (!await isSo()) {
    if (realNow() - begun > PATIENCE) throw new Error(`Not so after ${PATIENCE} ms: ${isSo}`);
    await new Promise((resolve) => realTimeout(resolve, 1));
  }
}

/**
 * Runs a test in which a timeout of exactly `delay` ms expires as soon as `isDue` returns true, however long that takes.
 * All other timers are left as they are.
 *
 * A timeout of 100 ms can expire before a slow machine has begun what it limits. Choose a delay that no other timer of
 * the test has, and that is never reached.
 */
export async function withTimeouts<T>(
  delay: number,
  isDue: () => boolean,
  test: () => Promise<T>,
): Promise<T> {
  globalThis.setTimeout = ((call: () => void, ms = 0) => {
    if (ms !== delay) return realTimeout(call, ms);
    const timer = setInterval(() => {
      if (!isDue()) return;
      clearInterval(timer);
      call();
    }, 1);
    return timer;
  }) as typeof setTimeout;
  try {
    return await test();
  } finally {
    globalThis.setTimeout = realTimeout;
  }
}

interface VirtualTimer {
  readonly call: () => void;
  /** Interval in ms; `undefined` for a timer that goes off once. */
  readonly every: number | undefined;
  at: number;
}

/**
 * Runs a test in which time passes only when nothing else is left to do, and then jumps to the next timer. Timers,
 * `performance.now` and `Date.now` keep this time. It is for tests that wait for nothing but timers and promises.
 */
export async function inVirtualTime<T>(test: () => Promise<T>): Promise<T> {
  const names = ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] as const;
  const real = names.map((name) => [name, globalThis[name]] as const);
  const { now: realDate } = Date;
  const timers = new Map<number, VirtualTimer>();
  let time = 0, count = 0, isOver = false;
  const start = (isRepeated: boolean) => (call: () => void, ms = 0) => {
    timers.set(++count, { call, every: isRepeated ? Math.max(ms, 1) : undefined, at: time + ms });
    return count;
  };
  const stop = (id: number) => void timers.delete(id);
  const virtual = [start(false), stop, start(true), stop];
  for (const [i, name] of names.entries()) Object.assign(globalThis, { [name]: virtual[i] });
  const begun = realDate();
  Object.assign(performance, { now: () => time });
  Date.now = () => begun + time;
  try {
    const result = test().finally(() => isOver = true);
    result.catch(() => {});
    while (!isOver) {
      await new Promise((resolve) => realTimeout(resolve)); // microtasks, and tasks of the event loop
      const [id, next] = [...timers].sort(([, a], [, b]) => a.at - b.at)[0] ?? [];
      if (isOver || id === undefined || next === undefined) continue;
      time = Math.max(time, next.at);
      if (next.every === undefined) timers.delete(id);
      else next.at += next.every;
      next.call();
    }
    return await result;
  } finally {
    Object.assign(globalThis, Object.fromEntries(real));
    delete (performance as { now?: unknown }).now;
    Date.now = realDate;
  }
}
