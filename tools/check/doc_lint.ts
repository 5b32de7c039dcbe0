/**
 * Runs `deno doc --lint` for every entry point. The command takes files instead of exports, so this script passes the
 * files.
 *
 * @module
 */

import { entryPoints, ROOT } from "./entry_points.ts";

if (import.meta.main) {
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--lint", ...Object.values(await entryPoints())],
    cwd: ROOT,
  }).spawn().status;
  Deno.exit(code);
}
