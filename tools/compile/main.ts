/**
 * Makes one executable of the command, which needs no runtime: `deno compile`, with the permissions of the command.
 *
 * Run: `deno task compile [PATH] [flags of deno compile]`
 *
 * @module
 */

import { compile, startTime } from "./compile.ts";

if (import.meta.main) {
  const [path = "hooke", ...flags] = Deno.args;
  await compile(path, flags);
  const { size } = await Deno.stat(path);
  const isForeign = flags.some((flag) => flag.startsWith("--target"));
  const start = isForeign
    ? ""
    : `, --help takes ${(await startTime(await Deno.realPath(path))).toFixed(0)} ms`;
  console.log(`${path}: ${(size / 1e6).toFixed(0)} MB${start}`);
}
