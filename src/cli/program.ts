/**
 * Command line of the program, for help texts.
 *
 * @module
 */

/** Addresses of the files of a version, on JSR or on the registry that `JSR_URL` names. */
const ON_JSR = /^https?:\/\/[^/]+\/@hooke\/hooke\//;

/**
 * Returns the command line that starts this program, to be shown before the name of a command. `main` is the URL of
 * the main module, `folder` the current directory, `isExecutable` true if `deno compile` made the program, and `deno`
 * the words that start Deno.
 */
export function programName(
  main: string,
  folder: string,
  isExecutable = false,
  deno = "deno",
): string {
  if (isExecutable) return "hooke";
  if (ON_JSR.test(main)) return `${deno} run --allow-read --allow-write=. jsr:@hooke/hooke/cli`;
  if (!main.endsWith(".ts")) return "npx hooke"; // compiled for npm
  // A URL has escapes, such as %20 for a space. The path of the folder has none.
  const base = `file://${folder}/`;
  if (decodeURIComponent(main) === `${base}src/cli/main.ts`) return `${deno} task hooke`; // started in a clone
  return `${deno} run --allow-read --allow-write=. ${
    main.startsWith(base) ? main.slice(base.length) : main
  }`;
}
