/**
 * Hashes of model files.
 *
 * @module
 */

import { findHost } from "../../platform/host.ts";
import { builtin } from "../../platform/process.ts";
import { sha256Hex } from "../item/sha256.ts";

/**
 * Returns the SHA-256 of a model's file in hexadecimal. If the model has a manifest or weights in other files, it is
 * the hash of the hashes of all files.
 *
 * @param manifest path of the manifest, or false if none is read @default the one beside the model, if it exists
 * @throws {Error} if the file cannot be read
 *
 * @example
 * ```ts
 * import { modelFileHash } from "@hooke/hooke/campaign";
 * import { lennardJonesModel } from "@hooke/hooke/onnx";
 * import { assertNotEquals } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/argon.onnx`;
 * await Deno.writeFile(path, lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }));
 * const hash = await modelFileHash(path);
 * await Deno.writeTextFile(`${path}.json`, '{ "cutoff": 8.5 }');
 * assertNotEquals(await modelFileHash(path), hash);
 * ```
 */
export async function modelFileHash(path: string, manifest?: string | false): Promise<string> {
  return (await hashModel(path, manifest)).hash;
}

/** Hash of a model, and a check of whether its files have changed since. */
export interface ModelFiles {
  /** As `modelFileHash` returns it. */
  readonly hash: string;
  /** Returns true if a file was replaced, written or removed after it was hashed. */
  hasChanged(): boolean;
}

/** Hashes the files of a model as {@linkcode modelFileHash} does. */
export async function hashModel(path: string, manifest?: string | false): Promise<ModelFiles> {
  // A manifest that appears is a change, too.
  const watched = [path, ...manifest === undefined ? besides(path) : []];
  const before = new Map(watched.map((file) => [file, stampOf(file)])),
    bytes = await readFile(path);
  const hashes = [await sha256Hex(bytes)];
  for (const other of [...manifestsOf(path, manifest), ...await weightsOf(path, bytes)]) {
    before.set(other, stampOf(other));
    // A file with weights that is missing is reported when the model is opened.
    if (exists(other)) hashes.push(await sha256Hex(await readFile(other)));
  }
  return {
    hash: hashes.length === 1 ? hashes[0]! : await sha256Hex(hashes.join("\n")),
    hasChanged: () => [...before].some(([file, stamp]) => stampOf(file) !== stamp),
  };
}

/** Reads a file. Devices and pipes, such as /dev/zero, may have no end. */
async function readFile(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const { isFile, isDirectory } = findHost()!.statSync(path);
  if (isFile || isDirectory) return await findHost()!.readFile(path); // a folder is refused there
  throw new Error(`Cannot read the model ${path}: it is a device or a pipe, and must be a file`);
}

/** Returns what changes when a file is replaced or written. */
function stampOf(path: string): string {
  if (!exists(path)) return "";
  const { size, mtime, dev, ino } = findHost()!.statSync(path);
  return [size, mtime?.getTime(), dev, ino].join();
}

/** Returns the path of the manifest of a model, if there is one. */
function manifestsOf(path: string, manifest: string | false | undefined): string[] {
  if (manifest !== undefined) return manifest === false ? [] : [manifest];
  const found = besides(path).find(exists);
  return found === undefined ? [] : [found];
}

/** Returns the paths at which the manifest of a model is looked for. */
function besides(path: string): string[] {
  return [`${path}.json`, path.replace(/\.onnx$/, ".json")];
}

/** Returns the paths of the files with weights of a model. */
async function weightsOf(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<string[]> {
  const { decodeModel } = await import("../../onnx/codec/codec.ts");
  const { externalFiles } = await import("../../onnx/codec/external_data.ts");
  const { dirname, join } = builtin("node:path");
  let files: string[];
  try {
    files = externalFiles(decodeModel(bytes));
  } catch {
    return []; // a damaged model is reported when it is opened
  }
  return files.sort().map((file) => join(dirname(path), file));
}

function exists(path: string): boolean {
  try {
    findHost()!.statSync(path);
    return true;
  } catch {
    return false;
  }
}
