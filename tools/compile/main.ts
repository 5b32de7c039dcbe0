/**
 * Makes one executable of the command, which needs no runtime: `deno compile`, with the permissions of the command.
 *
 * Run: `deno task compile [PATH] [flags of deno compile]`
 *
 * @module
 */

import { compile } from "./compile.ts";

if (import.meta.main) {
  const [path = "hooke", ...flags] = Deno.args;
  await compile(path, flags);
  const { size } = await Deno.stat(path);
  console.log(`${path}: ${(size / 1e6).toFixed(0)} MB`);
}
