/**
 * Hashes of the modules of hooks.
 *
 * @module
 */

import { findHost } from "../../platform/host.ts";
import { sha256Hex } from "../item/sha256.ts";

/**
 * Specifiers of imports and exports that begin with `./`, `../` or `file:`. A match in a comment only makes the hash
 * cover more.
 */
const IMPORTS = /(?:\bfrom|\bimport)\s*\(?\s*["']((?:\.{1,2}\/|file:)[^"'\n]+)["']/g;

/** Files of a module, and its hash. */
export interface ModuleFiles {
  /** SHA-256 of the file in hexadecimal; if it imports other files, that of the hashes of all files. */
  readonly hash: string;
  /** Hashes of the files that it imports, by their addresses. */
  readonly imports: ReadonlyMap<string, string>;
}

/**
 * Hashes a module and all files that it imports by relative paths. Packages and imports whose path is computed are not
 * covered.
 *
 * @throws {Error} if the module cannot be read
 */
export async function hashModule(address: URL): Promise<ModuleFiles> {
  const bytes = await findHost()!.readFile(address);
  const own = await sha256Hex(bytes), imports = new Map<string, string>();
  const waiting = importsIn(bytes, address);
  for (let next; (next = waiting.shift()) !== undefined;) {
    if (next.href === address.href || imports.has(next.href)) continue;
    const file = await findHost()!.readFile(next).catch(() => undefined);
    if (file === undefined) continue; // the import reports it
    imports.set(next.href, await sha256Hex(file));
    waiting.push(...importsIn(file, next));
  }
  const all = [own, ...imports.values()];
  return { hash: all.length === 1 ? own : await sha256Hex(all.join("\n")), imports };
}

function importsIn(bytes: Uint8Array, base: URL): URL[] {
  const found = new TextDecoder().decode(bytes).matchAll(IMPORTS);
  return Array.from(found, ([, specifier]) => new URL(specifier!, base))
    .filter(({ protocol }) => protocol === "file:");
}
