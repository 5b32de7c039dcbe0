/**
 * The command: `deno run -A jsr:@hooke/hooke/cli demo`.
 *
 * @module
 */

import { run } from "./mod.ts";
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
  const code = await run(Deno.args, terminal(), stop.signal);
  Deno.exit(code);
}
