/**
 * Main module of the command: `deno run --allow-read --allow-write=. jsr:@hooke/hooke/cli demo`.
 *
 * @module
 */

import { run } from "./mod.ts";
import { programName } from "./program.ts";
import { terminal } from "./terminal.ts";

export { run, type Terminal, UsageError } from "./mod.ts";

if (import.meta.main) {
  const stop = new AbortController();
  // Restore the default handler, so that a second Ctrl-C ends the process if the first one is not enough.
  const interrupted = () => {
    Deno.removeSignalListener("SIGINT", interrupted);
    stop.abort("interrupted");
  };
  Deno.addSignalListener("SIGINT", interrupted);
  let hasReader = true;
  const console = terminal(() => {
    hasReader = false;
    stop.abort("the reader has closed the pipe");
  });
  const code = await run(Deno.args, console, {
    signal: stop.signal,
    program: programName(import.meta.url, Deno.cwd()),
  });
  // A closed pipe, as in `… | head`, is not a failure.
  Deno.exit(code === 130 && !hasReader ? 0 : code);
}
