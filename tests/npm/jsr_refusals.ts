/**
 * Checks of an uploaded package that JSR's server makes and the dry run of `deno publish` does not.
 *
 * The server checks more than is possible here. It recognizes the text of the license, builds the graph of modules from
 * the uploaded files alone, derives declarations and documentation of every entry point, and looks up a published
 * version of every `jsr:` dependency that has the imported entry. `deno publish --dry-run`, `deno doc --lint` and the
 * programs of the test, which load the published files, come close to these.
 *
 * @module
 */

import type { Files } from "./untar.ts";

/** The fields of a deno.json that the server reads. */
export interface PackageConfig {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string>>;
}

/** The largest size of all files of a version, in bytes. */
const MAX_SIZE = 20 * 1024 * 1024;

/** Characters of paths, the longest path, and the longest name of a file. */
const PATH = /^\/[\w$()+\-.@[\]{}~/]{1,154}$/, NAME = /\/[^/]{1,95}$/;

/** Names that are devices on Windows, and parts of paths that are not names. */
const RESERVED = /\/(com\d|con|lpt\d|nul|prn|aux|\.{1,2}|[^/]*\.|\.git|)(\.[^/]*)?(?=\/|$)/i;

/** Syntax that the server refuses, and its reason. */
const SYNTAX: readonly (readonly [RegExp, string])[] = [
  [/^(?:import|export|\})[^;\n]*["'] assert \{/m, "import assertions are not allowed"],
  [/\bwith:? \{ type: "(?!json")/, "only JSON files can be imported as data"],
  [/^declare (?:global|module ["'])/m, "modifying global types is not allowed"],
  [/^export as namespace |^export = /m, "modifying global types is not allowed"],
  [/^import \w+ = require\(/m, "CommonJS is not allowed"],
  [
    /^\/\/\/\s*<reference\s+(?:lib|no-default-lib)\b/m,
    "directives that modify globals are not allowed",
  ],
];

/** Specifiers of imports and exports; lines of comments begin with a star or slashes. */
const SPECIFIER = /^(?!\s*(?:\*|\/\/))[^"'\n]*(?:\bfrom |\bimport |\bimport\()["']([^"'\n]+)["']/gm;

/** Returns the reasons to refuse an uploaded version; empty if it can be published. */
export function findRefusals(files: Files, expected: Omit<PackageConfig, "exports">): string[] {
  const config = configOf(files);
  const { name, version, exports } = config;
  const found = name === expected.name && version === expected.version
    ? []
    : [`deno.json is of ${name}@${version}, not of ${expected.name}@${expected.version}`];
  for (const [entry, path] of Object.entries(exports)) {
    if (!files.has(path.slice(1))) found.push(`the entry ${entry} has no file ${path}`);
  }
  const size = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  if (size > MAX_SIZE) found.push(`${size} bytes are too many: at most ${MAX_SIZE}`);
  if (!files.has("/LICENSE")) found.push("no license");
  return [...found, ...pathRefusals([...files.keys()]), ...moduleRefusals(files)];
}

/** Returns the configuration in the uploaded files. Throws a TypeError if it is missing. */
export function configOf(files: Files): PackageConfig {
  const bytes = files.get("/deno.json");
  if (bytes === undefined) throw new TypeError("the package must contain deno.json");
  return JSON.parse(new TextDecoder().decode(bytes));
}

function pathRefusals(paths: readonly string[]): string[] {
  const found: string[] = [], seen = new Set<string>();
  for (const path of paths) {
    const plain = path.toLowerCase();
    if (!PATH.test(path) || !NAME.test(path) || RESERVED.test(path)) {
      found.push(`invalid path ${path}`);
    }
    if (plain.startsWith("/_dist/")) found.push(`reserved path ${path}`);
    if (seen.has(plain)) found.push(`${path} differs from another path only by case`);
    seen.add(plain);
  }
  return found;
}

function moduleRefusals(files: Files): string[] {
  const found: string[] = [];
  for (const [path, bytes] of files) {
    if (!/\.(ts|js)$/.test(path)) continue;
    const text = new TextDecoder().decode(bytes);
    for (const [pattern, reason] of SYNTAX) {
      if (pattern.test(text)) found.push(`${path}: ${reason}`);
    }
    for (const [, specifier] of text.matchAll(SPECIFIER)) {
      const reason = refuseSpecifier(specifier!, path, files);
      if (reason !== undefined) found.push(`${path}: ${specifier} ${reason}`);
    }
  }
  return found;
}

/** Bare names must have become addresses with a version, and relative paths must be among the files. */
function refuseSpecifier(specifier: string, from: string, files: Files): string | undefined {
  if (/^\.{1,2}\//.test(specifier)) {
    const { pathname } = new URL(specifier, `file://${from}`);
    return files.has(pathname) ? undefined : "is not part of the package";
  }
  if (/^(?:jsr|npm):/.test(specifier)) {
    const hasVersion = /^\w+:\/?(?:@[\w.-]+\/)?[\w.-]+@[\d^~]/.test(specifier);
    return hasVersion ? undefined : "has no version";
  }
  return /^(?:node|data|bun):/.test(specifier)
    ? undefined
    : "is neither jsr:, npm:, node:, data: nor relative";
}
