/** Prints a line: the default `write` of hooks that print. */
export function printLine(line: string): void {
  // deno-lint-ignore no-console house/no-console -- only for hooks whose purpose is to print; `write` replaces it
  console.log(line);
}
