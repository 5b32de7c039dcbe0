import { assertEquals } from "@std/assert";

/** Output of a program: its two streams as a process. */
export interface Printed {
  readonly output: string;
  readonly complaints: string;
}

const OUTPUT = ["log", "info"] as const, COMPLAINTS = ["warn", "error"] as const;

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
  const { output, complaints } = await printed(load);
  assertEquals([steady(output), complaints], [steady(shown), ""]);
}

/** Returns what a module prints to the console while it is loaded. */
export async function printed(load: () => Promise<unknown>): Promise<Printed> {
  const output: string[] = [], complaints: string[] = [];
  const restore = [redirect(OUTPUT, output), redirect(COMPLAINTS, complaints)];
  try {
    await load();
  } finally {
    for (const one of restore) one();
  }
  return { output: output.join(""), complaints: complaints.join("") };
}

/** Redirects what is printed by these methods of the console; returns a function that ends it. */
function redirect(levels: readonly ("log" | "info" | "warn" | "error")[], to: string[]) {
  const originals = levels.map((level) => console[level]);
  for (const level of levels) console[level] = (...values) => void to.push(lineOf(values));
  return () => {
    for (const [i, level] of levels.entries()) console[level] = originals[i]!;
  };
}

/** Formats values as `console.log` does. */
function lineOf(values: readonly unknown[]): string {
  const words = values.map((value) => typeof value === "string" ? value : Deno.inspect(value));
  return `${words.join(" ")}\n`;
}

/** Output without what differs from run to run: milliseconds, and the widths of their columns. */
function steady(output: string): string {
  return output.replaceAll(/\d+\.\d{4}/g, "#").replaceAll(/ +/g, " ");
}
