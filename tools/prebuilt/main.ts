/**
 * Writes a package for Deno in which the modules are bundled, so that programs start faster.
 *
 * Run: `deno task prebuilt [FOLDER]`
 *
 * @module
 */

import { buildPrebuilt } from "./build.ts";

if (import.meta.main) {
  const [folder = "prebuilt"] = Deno.args;
  await buildPrebuilt(folder);
  console.log(`wrote ${folder}`);
}
