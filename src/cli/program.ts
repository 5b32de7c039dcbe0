/**
 * What the command is called where it runs.
 *
 * @module
 */

/** The words to type before a command, for a main module and the folder one is in. */
export function programName(main: string, folder: string): string {
  if (main.startsWith("https://jsr.io/")) return "deno run -A jsr:@hooke/hooke/cli";
  const base = `file://${folder}/`;
  return `deno run -A ${main.startsWith(base) ? main.slice(base.length) : main}`;
}
