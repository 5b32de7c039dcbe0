/**
 * The command: `deno run -A jsr:@hooke/hooke/cli demo`.
 *
 * @module
 */

import { run } from "./mod.ts";
import { programName } from "./program.ts";
import { terminal } from "./terminal.ts";

export { run, type Terminal, UsageError } from "./mod.ts";

if (import.meta.main) {
  const stop = new AbortController();
  // The second Ctrl-C is the system's own again, should the first not be enough.
  const interrupted = () => {
    Deno.removeSignalListener("SIGINT", interrupted);
    stop.abort("interrupted");
  };
  Deno.addSignalListener("SIGINT", interrupted);
  let hasReader = true;
  const console = terminal(() => {
    hasReader = false;
    stop.abort("nobody reads on");
  });
  const code = await run(Deno.args, console, {
    signal: stop.signal,
    program: programName(import.meta.url, Deno.cwd()),
  });
  // A reader who has seen enough, `… | head`, is no failure.
  Deno.exit(code === 130 && !hasReader ? 0 : code);
}
