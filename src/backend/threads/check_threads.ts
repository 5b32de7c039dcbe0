/** Throws a TypeError or RangeError unless `threads` is a whole number from 1 on. */
export function checkThreads(action: string, threads: unknown): asserts threads is number {
  if (Number.isInteger(threads) && (threads as number) >= 1) return;
  const Wrong = typeof threads === "number" ? RangeError : TypeError;
  throw new Wrong(
    `Cannot ${action} as threads must be a whole number from 1 on: current value is ${
      typeof threads === "string" ? JSON.stringify(threads) : String(threads)
    }`,
  );
}
