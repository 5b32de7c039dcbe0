/**
 * Command line of the program, for help texts.
 *
 * @module
 */

/**
 * Returns the command line that starts this program, to be shown before the name of a command. `main` is the URL of
 * the main module, `folder` the current directory.
 */
export function programName(main: string, folder: string): string {
  if (main.startsWith("https://jsr.io/")) {
    return "deno run --allow-read --allow-write=. jsr:@hooke/hooke/cli";
  }
  if (!main.endsWith(".ts")) return "npx hooke"; // compiled for npm
  const base = `file://${folder}/`;
  return `deno run --allow-read --allow-write=. ${
    main.startsWith(base) ? main.slice(base.length) : main
  }`;
}
