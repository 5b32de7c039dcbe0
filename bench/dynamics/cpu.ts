import process from "node:process";

/** Milliseconds of CPU time, all threads: what other programs do meanwhile does not count. */
export async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3;
}

/** The middle one, or the upper of the two in the middle. */
export function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

/** A quarter is less, three quarters are more: what hits only one turn is left out. */
export function lowerQuartile(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 2]!;
}
