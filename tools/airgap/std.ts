/**
 * Decides where `@std/*` comes from, so that every other command works with or without JSR.
 *
 * deno.json asks for `jsr:@std/assert@^1` and `jsr:@std/cli@^1`, and names the folders beside this file as
 * workspace members. A workspace member that has a deno.json and a matching name and version wins over the
 * registry; one without is no member at all. So writing these small files switches the stand-ins on, and
 * deleting them gives back the real packages. They are git-ignored: each machine decides for itself.
 *
 * The lock file follows the same switch. `npm.lock` is committed and has the hashes of all npm packages, whatever
 * they need included. Deno uses a copy, `used.lock`, which is git-ignored: where JSR answers, Deno adds its entries
 * to the copy, and a file that both sides share would be rewritten by each. No `--frozen`, for the same reason; a
 * package that differs from its hash is refused all the same.
 *
 * Deno downloads all packages of the lock file with the first program that imports one of them. So the tasks that run
 * the command have a lock file of their own, `run.lock`: that part of the committed file which the imports of deno.json
 * need, without the packages of tests, benchmarks and tools.
 *
 * `STD=jsr` or `STD=local` skips the question to the registry.
 *
 * @module
 */

/** Source of the files of a package. */
export type StdSource = "jsr" | "local";

/** The stand-ins: folder, the package it stands in for, and its entry points. */
export const STAND_INS: ReadonlyArray<
  { folder: string; name: string; exports: Record<string, string> }
> = [
  { folder: "std_assert", name: "@std/assert", exports: { ".": "./mod.ts" } },
  {
    folder: "std_cli",
    name: "@std/cli",
    exports: { ".": "./mod.ts", "./parse-args": "./parse_args.ts" },
  },
];

/** A refused or unresolved host answers at once; only a network that swallows packets takes this long. */
const PROBE_TIMEOUT_MS = 3000;

/** Asks the registry for `@std/assert`; anything but an answer with its manifest means "local". */
export async function probe(registry: string): Promise<StdSource> {
  const url = new URL("@std/assert/meta.json", registry.endsWith("/") ? registry : `${registry}/`);
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    if (!response.ok) {
      await response.body?.cancel();
      return "local";
    }
    // A captive portal answers 200 with a page, so the status alone proves nothing.
    const manifest: unknown = await response.json();
    return typeof manifest === "object" && manifest !== null && "versions" in manifest
      ? "jsr"
      : "local";
  } catch {
    return "local";
  }
}

/** Reads `STD`; `undefined` means that the registry decides. */
export function forcedSource(value: string | undefined): StdSource | undefined {
  if (value === undefined || value === "") return undefined;
  if (value === "jsr" || value === "local") return value;
  throw new RangeError(
    `Cannot choose the source of @std: STD must be "jsr" or "local"; got "${value}"`,
  );
}

/** Switches the stand-ins under `root` on or off. Unchanged files are left alone. */
export async function use(source: StdSource, root: URL): Promise<void> {
  for (const { folder, name, exports } of STAND_INS) {
    const file = new URL(`${folder}/deno.json`, root);
    if (source === "jsr") await removeIfThere(file);
    else await writeIfChanged(file, manifest(name, exports));
  }
}

/**
 * Puts the committed lock file into use. With the stand-ins on, the copy is exactly the committed file. With JSR, what
 * Deno has added is kept as long as the npm packages are those of the committed file.
 */
export async function useLock(source: StdSource, root: URL): Promise<void> {
  const text = await Deno.readTextFile(new URL("npm.lock", root));
  await putLock(text, new URL("used.lock", root), source);
}

/** Puts the part of the committed lock file into use that the imports of a deno.json need. */
export async function useRunLock(source: StdSource, root: URL, config: URL): Promise<void> {
  const text = await Deno.readTextFile(new URL("npm.lock", root));
  const { imports } = JSON.parse(await Deno.readTextFile(config));
  await putLock(partOf(text, Object.values(imports)), new URL("run.lock", root), source);
}

async function putLock(text: string, used: URL, source: StdSource): Promise<void> {
  const current = await Deno.readTextFile(used).catch(() => "{}");
  if (source === "jsr" && npmOf(current) === npmOf(text)) return;
  await writeIfChanged(used, text);
}

/** The members of a lock file that list npm packages. */
interface Lock {
  readonly specifiers: Readonly<Record<string, string>>;
  readonly npm: Readonly<Record<string, { readonly dependencies?: readonly string[] }>>;
}

/** Returns a lock file with the packages of some specifiers only, and with whatever these packages need. */
export function partOf(text: string, wanted: readonly string[]): string {
  const lock: Lock = JSON.parse(text);
  const specifiers = Object.entries(lock.specifiers).filter(([one]) => wanted.includes(one));
  const kept = new Set<string>();
  const keep = (name: string) => {
    // A dependency has its version only if the file has several of them.
    const found = Object.hasOwn(lock.npm, name)
      ? name
      : Object.keys(lock.npm).find((each) => each.startsWith(`${name}@`));
    if (found === undefined) throw new Error(`Cannot use npm.lock: it lacks ${name}`);
    if (kept.has(found)) return;
    kept.add(found);
    for (const one of lock.npm[found]!.dependencies ?? []) keep(one);
  };
  for (const [one, version] of specifiers) {
    if (one.startsWith("npm:")) {
      keep(`${one.slice("npm:".length, one.lastIndexOf("@"))}@${version}`);
    }
  }
  const npm = Object.fromEntries(Object.entries(lock.npm).filter(([name]) => kept.has(name)));
  const part = { ...lock, specifiers: Object.fromEntries(specifiers), npm };
  return `${JSON.stringify(part, null, 2)}\n`;
}

function npmOf(lock: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(lock).npm);
  } catch {
    return undefined; // cut off by a kill
  }
}

/** Any version of major 1 satisfies `^1`; this one cannot be mistaken for a real release. */
function manifest(name: string, exports: Record<string, string>): string {
  return `${JSON.stringify({ name, version: "1.999.0", exports, publish: false }, null, 2)}\n`;
}

async function removeIfThere(file: URL): Promise<void> {
  try {
    await Deno.remove(file);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function writeIfChanged(file: URL, text: string): Promise<void> {
  const current = await Deno.readTextFile(file).catch(() => undefined);
  if (current !== text) await Deno.writeTextFile(file, text);
}

if (import.meta.main) {
  const source = forcedSource(Deno.env.get("STD")) ??
    await probe(Deno.env.get("JSR_URL") || "https://jsr.io/");
  await use(source, new URL("./", import.meta.url));
  const root = new URL("./", import.meta.url);
  await useLock(source, root);
  await useRunLock(source, root, new URL("../../deno.json", import.meta.url));
}
