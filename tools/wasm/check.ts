/**
 * Compiles the kernels afresh, by the route that CI can repeat, and compares every byte with what is committed; then
 * once more with other comments and names, which must not change a byte of the kernels.
 *
 * Where Debian has moved on to another compiler, the bytes cannot be equal though nothing in the tree is wrong.
 * Then the recorded source, the declarations and the exported names are compared, and it says so.
 *
 * Run: `deno task wasm:check`
 *
 * @module
 */

import { compareBytes, compareInterfaces } from "./compare.ts";
import { compile, type Compiled } from "./compile.ts";
import { copyDisguised } from "./disguise.ts";
import { hashSource, readRecord, ROOT } from "./files.ts";
import type { Toolchain } from "./route.ts";
import { openToolchain } from "./toolchain.ts";

async function differences(target: string): Promise<string[]> {
  const toolchain = await openToolchain("debian");
  const compiled = await compile(toolchain, target);
  const committed = await readCommitted(compiled.keys());
  const record = await readRecord();
  const unstable = await instability(compiled, toolchain, target);
  if (record.toolchain === toolchain.name) {
    return [...compareBytes(committed, compiled), ...unstable];
  }
  console.warn(
    `Not compared to the byte: committed are kernels by ${record.toolchain}, here is ${toolchain.name}`,
  );
  const stale = await hashSource(record.toolchain) === record.hash
    ? []
    : ["the sources are not those that were compiled"];
  return [...stale, ...unstable, ...await compareInterfaces(committed, compiled)];
}

/** Returns the changes of the compiled kernels if comments and names of the sources change. There must not be any. */
async function instability(
  compiled: Compiled,
  toolchain: Toolchain,
  target: string,
): Promise<string[]> {
  const crate = await Deno.makeTempDir();
  try {
    await copyDisguised(crate);
    const again = await compile(toolchain, target, crate);
    const kernels = (files: Compiled) =>
      new Map([...files].filter(([path]) => path.endsWith(".wasm")));
    return compareBytes(kernels(compiled), kernels(again))
      .map((line) => `with other comments and names: ${line}`);
  } finally {
    await Deno.remove(crate, { recursive: true });
  }
}

async function readCommitted(paths: Iterable<string>): Promise<Compiled> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const path of paths) {
    const bytes = await Deno.readFile(new URL(path, ROOT)).catch(() => undefined);
    if (bytes !== undefined) files.set(path, bytes);
  }
  return files;
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
