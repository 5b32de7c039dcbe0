import type { Compiled } from "./compile.ts";

/** The files that differ, as sentences. Both are by path. */
export function compareBytes(committed: Compiled, compiled: Compiled): string[] {
  const found: string[] = [];
  for (const [path, bytes] of compiled) {
    const before = committed.get(path);
    if (before === undefined) found.push(`${path} is not committed`);
    else if (before.toHex() !== bytes.toHex()) {
      found.push(`${path}: ${before.length} bytes are committed, ${bytes.length} were compiled`);
    }
  }
  return found;
}

/** Compares the declarations, imports and exports of the kernels, which must be equal for two toolchains. */
export async function compareInterfaces(
  committed: Compiled,
  compiled: Compiled,
): Promise<string[]> {
  const [before, after] = [await interfaces(committed), await interfaces(compiled)];
  return compareBytes(before, after);
}

async function interfaces(files: Compiled): Promise<Compiled> {
  const found = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const [path, bytes] of files) {
    if (path.endsWith(".d.ts")) found.set(path, bytes);
    if (path.endsWith(".wasm")) found.set(path, await outline(bytes));
  }
  return found;
}

/** The imports and exports of a module, in an order of their own. */
async function outline(wasm: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const module = await WebAssembly.compile(wasm);
  const lines = [
    ...WebAssembly.Module.imports(module).map((one) => `${one.kind} ${one.module} ${one.name}`),
    ...WebAssembly.Module.exports(module).map((one) => `${one.kind} ${one.name}`),
  ];
  return new TextEncoder().encode(lines.sort().join("\n"));
}
