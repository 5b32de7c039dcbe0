/**
 * Name of the command.
 *
 * @module
 */

/** Returns the words to type before a command, given the main module and the current folder. */
export function programName(main: string, folder: string): string {
  if (main.startsWith("https://jsr.io/")) {
    return "deno run --allow-read --allow-write=. jsr:@hooke/hooke/cli";
  }
  const base = `file://${folder}/`;
  return `deno run --allow-read --allow-write=. ${
    main.startsWith(base) ? main.slice(base.length) : main
  }`;
}
