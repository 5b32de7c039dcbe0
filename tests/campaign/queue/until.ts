/** Waits until a condition holds. The deadline is long: it only keeps a broken test from running forever. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  seconds: number = 180,
): Promise<void> {
  const end = performance.now() + 1000 * seconds;
  while (!await holds()) {
    if (performance.now() > end) throw new Error(`after ${seconds} s there is still no: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
