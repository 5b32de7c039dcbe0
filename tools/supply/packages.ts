/**
 * The npm packages that Hooke, its tests and its benchmarks use, from the committed lock file.
 *
 * @module
 */

import { ROOT } from "../check/entry_points.ts";

/** One package of one version. */
export interface Package {
  readonly name: string;
  readonly version: string;
  /** As the lock file has it: `sha512-…`. */
  readonly integrity: string;
  /** Names of the packages that it needs. */
  readonly needs: readonly string[];
}

/** A lock file of Deno, as far as it is read here. */
export interface LockFile {
  readonly npm?: Readonly<
    Record<string, { readonly integrity?: string; readonly dependencies?: readonly string[] }>
  >;
  readonly jsr?: unknown;
}

/** The committed lock file: npm alone, as JSR is not reached everywhere. */
export const LOCK: URL = new URL("tools/airgap/npm.lock", ROOT);

/** Reads the committed lock file. */
export async function readLock(): Promise<LockFile> {
  return JSON.parse(await Deno.readTextFile(LOCK));
}

/** Returns the packages of a lock file. */
export function packagesOf({ npm = {} }: LockFile): Package[] {
  return Object.entries(npm).map(([id, { integrity = "", dependencies = [] }]) => {
    const [name, version] = partsOf(id);
    return { name, version, integrity, needs: dependencies.map((each) => partsOf(each)[0]) };
  });
}

/** Returns the packages that users load with Hooke: the imports outside the scopes, and all that these need. */
export function shippedOf(
  all: readonly Package[],
  imports: Readonly<Record<string, string>>,
): Package[] {
  const shipped = new Set<Package>(), byName = new Map(all.map((each) => [each.name, each]));
  const add = (name: string) => {
    const found = byName.get(name);
    if (found === undefined || shipped.has(found)) return;
    shipped.add(found);
    found.needs.forEach(add);
  };
  for (const specifier of Object.values(imports)) {
    if (specifier.startsWith("npm:")) add(partsOf(specifier.slice("npm:".length))[0]);
  }
  return [...shipped];
}

/** `@scope/name@1.2.3` → its name and version. Without a version, that is empty; what stands behind `_` are peers. */
function partsOf(id: string): [name: string, version: string] {
  const [, name = id, version = ""] = /^(@?[^@]+)(?:@([^_]+))?/.exec(id) ?? [];
  return [name, version];
}
