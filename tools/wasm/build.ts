/**
 * Compiles the kernels of `wasm/` and writes `wasm/pkg` and src/backend/wasm/module.gen.ts.
 *
 * Run: `deno task wasm:build [rustup|debian]`
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { compile } from "./compile.ts";
import { ROOT } from "./files.ts";
import { openToolchain } from "./toolchain.ts";
import { routeOf } from "./route.ts";

if (import.meta.main) {
  const toolchain = await openToolchain(routeOf(Deno.args[0]));
  const target = fileURLToPath(new URL(`wasm/target/${toolchain.route}/`, ROOT));
  await Deno.mkdir(target, { recursive: true });
  // Two builds at once would write each other's halves.
  using lock = await Deno.open(`${target}hooke.lock`, { create: true, write: true });
  await lock.lock(true);
  for (const [path, bytes] of await compile(toolchain, target)) {
    const file = new URL(path, ROOT);
    await Deno.mkdir(new URL("./", file), { recursive: true });
    await Deno.writeFile(file, bytes);
    console.log(`wrote ${path}, ${bytes.length} bytes`);
  }
  console.log(`by ${toolchain.name}`);
}
