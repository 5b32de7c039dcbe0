/**
 * Reads what one process of `deno test` says: its closing line, and the file of `--junit-path`.
 *
 * @module
 */

/** The numbers of a closing line. Those of steps count steps inside tests. */
export interface Counts {
  readonly passed: number;
  readonly passedSteps: number;
  readonly failed: number;
  readonly failedSteps: number;
  readonly ignored: number;
  readonly ignoredSteps: number;
}

const CLOSING = new RegExp(
  ["passed", "failed", "ignored"].map((word) => `(?:\\| (\\d+) ${word}(?: \\((\\d+) steps?\\))?)`)
    .join(" ") + "?",
);

/** Reads the last closing line, as in `ok | 2 passed (3 steps) | 0 failed | 1 ignored (5ms)`. */
export function parseClosing(output: string): Counts | undefined {
  const line = output.split("\n").findLast((line) => /^(ok|FAILED) \| \d+ passed/.test(line));
  const found = line === undefined ? null : CLOSING.exec(line);
  if (found === null) return undefined;
  const [passed, passedSteps, failed, failedSteps, ignored, ignoredSteps] = found.slice(1)
    .map((digits) => Number(digits ?? 0)) as [number, number, number, number, number, number];
  return { passed, passedSteps, failed, failedSteps, ignored, ignoredSteps };
}

/** Returns what tests say they leave out on this machine, by lines as `left out: …`; each once. */
export function leftOut(outputs: readonly string[]): string[] {
  const lines = outputs.flatMap((output) => output.split("\n"));
  const prefix = "left out: ";
  const named = lines.filter((line) => line.startsWith(prefix));
  return [...new Set(named.map((line) => line.slice(prefix.length)))].sort();
}

/** Adds up the numbers of several processes. */
export function addCounts(all: readonly Counts[]): Counts {
  const sum = (name: keyof Counts) => all.reduce((sum, counts) => sum + counts[name], 0);
  return {
    passed: sum("passed"),
    passedSteps: sum("passedSteps"),
    failed: sum("failed"),
    failedSteps: sum("failedSteps"),
    ignored: sum("ignored"),
    ignoredSteps: sum("ignoredSteps"),
  };
}

/** Writes a closing line as `deno test` does. */
export function showCounts(counts: Counts, isGood: boolean, seconds: number): string {
  const steps = (count: number) => count === 0 ? "" : ` (${count} step${count === 1 ? "" : "s"})`;
  const parts = [
    isGood ? "ok" : "FAILED",
    `${counts.passed} passed${steps(counts.passedSteps)}`,
    `${counts.failed} failed${steps(counts.failedSteps)}`,
  ];
  if (counts.ignored > 0 || counts.ignoredSteps > 0) {
    parts.push(`${counts.ignored} ignored${steps(counts.ignoredSteps)}`);
  }
  const minutes = Math.floor(seconds / 60), rest = Math.round(seconds - 60 * minutes);
  return `${parts.join(" | ")} (${minutes > 0 ? `${minutes}m` : ""}${rest}s)`;
}

/** Reads the seconds that the tests of each file took, without loading it, from a JUnit report. */
export function parseSeconds(xml: string): Map<string, number> {
  const seconds = new Map<string, number>();
  for (const [, file, cases] of xml.matchAll(/<testsuite name="([^"]*)"([\s\S]*?)<\/testsuite>/g)) {
    const path = file!.replace(/^\.\//, "").replace(/#.*/, "");
    seconds.set(path, (seconds.get(path) ?? 0) + secondsOf(cases!));
  }
  return seconds;
}

function secondsOf(cases: string): number {
  const tests = new Set<string>();
  let seconds = 0;
  for (const [, attributes] of cases.matchAll(/<testcase ([^>]*)>/g)) {
    const name = attributeOf(attributes!, "name");
    // A step is reported after its test, as "test > step", and its time is part of the test's.
    const isStep = [...name.matchAll(/ &gt; /g)].some(({ index }) =>
      tests.has(name.slice(0, index))
    );
    tests.add(name);
    if (!isStep) seconds += Number(attributeOf(attributes!, "time"));
  }
  return seconds;
}

function attributeOf(attributes: string, name: string): string {
  return new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";
}
