/**
 * Compiles the kernels afresh, by the route that CI can repeat, and compares every byte with what is committed.
 *
 * Run: `deno task wasm:check`
 *
 * @module
 */

import { compile } from "./compile.ts";
import { readRecord, ROOT } from "./files.ts";
import { openToolchain } from "./toolchain.ts";

async function differences(target: string): Promise<string[]> {
  const toolchain = await openToolchain("debian");
  const { toolchain: recorded } = await readRecord();
  if (recorded !== toolchain.name) {
    return [`built by "${recorded}", and this machine has "${toolchain.name}"`];
  }
  const found: string[] = [];
  for (const [path, bytes] of await compile(toolchain, target)) {
    const committed = await Deno.readFile(new URL(path, ROOT)).catch(() => new Uint8Array());
    if (committed.toHex() !== bytes.toHex()) {
      found.push(`${path}: ${committed.length} bytes are committed, ${bytes.length} were compiled`);
    }
  }
  return found;
}

if (import.meta.main) {
  // Nothing of an earlier build may take part.
  const target = await Deno.makeTempDir();
  const found = await differences(target).finally(() => Deno.remove(target, { recursive: true }));
  console.log(
    found.length === 0
      ? "the committed kernels are what their sources compile to"
      : `the committed kernels differ (deno task wasm:build debian):\n  ${found.join("\n  ")}`,
  );
  Deno.exit(found.length === 0 ? 0 : 1);
}
