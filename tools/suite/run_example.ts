import { assertEquals } from "@std/assert";

const LEVELS = ["log", "info", "warn", "error"] as const;

/**
 * Runs an example and compares what it prints with what its page says.
 *
 * @param load imports its module
 * @param shown the output on the page; `undefined` if the page shows none, and then nothing is compared
 */
export async function runExample(
  load: () => Promise<unknown>,
  shown: string | undefined,
): Promise<void> {
  if (shown === undefined) return void await load();
  const lines: string[] = [];
  const originals = LEVELS.map((level) => console[level]);
  for (const level of LEVELS) console[level] = (...values) => void lines.push(lineOf(values));
  try {
    await load();
  } finally {
    for (const [i, level] of LEVELS.entries()) console[level] = originals[i]!;
  }
  assertEquals(steady(lines.map((line) => `${line}\n`).join("")), steady(shown));
}

/** Formats values as `console.log` does. */
function lineOf(values: readonly unknown[]): string {
  return values.map((value) => typeof value === "string" ? value : Deno.inspect(value)).join(" ");
}

/** Output without what differs from run to run: milliseconds, and the widths of their columns. */
function steady(output: string): string {
  return output.replaceAll(/\d+\.\d{4}/g, "#").replaceAll(/ +/g, " ");
}
