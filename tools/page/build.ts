/**
 * Builds the page that `hooke serve` serves: bundles its scripts, and packs all its files into modules of
 * `src/page/assets`. Files whose sources have not changed since the last time are left alone.
 *
 * Run: `deno task page`
 *
 * @module
 */

import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { moduleOf } from "../../src/page/assets.ts";
import { ROOT } from "../check/entry_points.ts";
import { contentOf, type PageFile, presentFiles, sourcesOf } from "./bundles.ts";

/** Folder of the packed files. */
const ASSETS = new URL("src/page/assets/", ROOT);

/** Builds those files of the page that changed, and returns a line for each of its files. */
export async function buildPage(): Promise<readonly string[]> {
  await Deno.mkdir(ASSETS, { recursive: true });
  return await Promise.all(presentFiles().map(buildFile));
}

/**
 * Builds the page, and writes its packed files as JavaScript into the folder `assets` of a bundled package, where the
 * script of the bundle looks for them.
 */
export async function writePage(dist: string): Promise<void> {
  await buildPage();
  await Deno.mkdir(`${dist}/assets`, { recursive: true });
  for (const { name } of presentFiles()) {
    const module = `${moduleOf(name)}.gen`;
    const { ASSET } = await import(new URL(`${module}.ts`, ASSETS).href);
    const text = `export const ASSET = ${JSON.stringify(ASSET)};\n`;
    await Deno.writeTextFile(`${dist}/assets/${module}.js`, text);
  }
}

async function buildFile(file: PageFile): Promise<string> {
  const target = new URL(`${moduleOf(file.name)}.gen.ts`, ASSETS);
  const mark = `// sources: ${await hashOfSources(file)}`;
  const before = await textOf(target);
  if (before?.includes(mark)) {
    const now = new Date();
    await Deno.utime(target, now, now); // newer than its sources, for commands that compare times
    return `${file.name}: unchanged`;
  }
  const { content, zipped } = await packFile(file, mark);
  return `${file.name}: ${kilobytes(content.length)}, ${kilobytes(zipped.length)} gz`;
}

/**
 * Builds all files of the page, changed or not. It needs no permission to run programs, by which `buildPage` finds
 * the sources of a script.
 */
async function replacePage(): Promise<void> {
  await Deno.mkdir(ASSETS, { recursive: true });
  await Promise.all(
    presentFiles().map((file) => packFile(file, "// sources: those before the time of this file")),
  );
}

/**
 * Builds the page if a file of it is missing, or older than a source. A page that is older, but cannot be written, is
 * kept. Calls `onBuild` before it builds.
 *
 * @throws {Error} if the bundler fails
 */
export async function updatePage(onBuild: () => void): Promise<void> {
  if (!mayBuild() || await isCurrent()) return;
  onBuild();
  await replacePage();
}

/** Returns whether this process can bundle, and may write the files of the page, without a permission prompt. */
function mayBuild(): boolean {
  const deno = (globalThis as { readonly Deno?: Partial<typeof Deno> }).Deno;
  return deno?.bundle !== undefined && isGranted({ name: "read", path: ROOT }) &&
    isGranted({ name: "write", path: ASSETS });
}

function isGranted(permission: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(permission).state === "granted";
}

async function isCurrent(): Promise<boolean> {
  const packed = presentFiles().map(({ name }) => new URL(`${moduleOf(name)}.gen.ts`, ASSETS));
  const times = await Promise.all(packed.map(timeOf));
  const oldest = Math.min(...times);
  return oldest > 0 && oldest >= await newestOf(new URL("src/", ROOT)) &&
    oldest >= await timeOf(new URL("deno.json", ROOT));
}

/** Returns the time of the newest source in a folder. */
async function newestOf(folder: URL): Promise<number> {
  const times: Promise<number>[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) times.push(newestOf(new URL(`${name}/`, folder)));
    else if (!name.includes(".gen.")) times.push(timeOf(new URL(name, folder)));
  }
  return Math.max(0, ...await Promise.all(times));
}

/** Returns the time of the last change of a file, ms since 1970; 0 if there is no such file. */
async function timeOf(file: URL): Promise<number> {
  try {
    return (await Deno.stat(file)).mtime?.getTime() ?? 0;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}

/** Builds a file of the page, and replaces its module at once, because another process may read it. */
async function packFile(file: PageFile, mark: string) {
  const content = await contentOf(file), zipped = gzipSync(content, { level: 9 });
  const target = new URL(`${moduleOf(file.name)}.gen.ts`, ASSETS);
  const part = new URL(`${target.href}.${crypto.randomUUID()}.part`);
  await Deno.writeTextFile(part, moduleText(file, mark, { content, zipped }));
  await Deno.rename(part, target);
  return { content, zipped };
}

function moduleText(
  { name, type, source }: PageFile,
  mark: string,
  { content, zipped }: { readonly content: Uint8Array; readonly zipped: Uint8Array },
): string {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 16);
  return `// Generated by tools/page/build.ts from ${source}; do not edit.
${mark}
// deno-fmt-ignore-file

/** The file ${name} of the page. */
export const ASSET: { readonly type: string; readonly hash: string; readonly text: string } = {
  type: ${JSON.stringify(type)},
  hash: "${hash}",
  text: "${zipped.toBase64()}",
};
`;
}

async function hashOfSources(file: PageFile): Promise<string> {
  const hash = createHash("sha256").update(await Deno.readFile(new URL(import.meta.url)));
  for (const path of await sourcesOf(file)) {
    hash.update(path).update(await Deno.readFile(new URL(path, ROOT)));
  }
  return hash.digest("hex").slice(0, 16);
}

async function textOf(file: URL): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

if (import.meta.main) { for (const line of await buildPage()) console.log(line); }
