/**
 * `deno doc --lint` over every entry point: it takes files, not exports, so somebody has to tell it.
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
