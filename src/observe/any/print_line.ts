/** Prints a line: what a hook writes by that was made to talk to people, and told nothing better. */
export function printLine(line: string): void {
  // deno-lint-ignore no-console house/no-console -- only for hooks that somebody has asked to print; `write` replaces it
  console.log(line);
}
