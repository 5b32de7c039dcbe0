/**
 * Files of ONNX models: a path, a folder with one model, or an address with its hash.
 *
 * @module
 */

import { modelFileHash } from "../../campaign/run/model_file_hash.ts";
import { findHost } from "../../platform/host.ts";
import { builtin } from "../../platform/process.ts";
import { UsageError } from "../frame/usage_error.ts";
import { isBuiltInName } from "./noble_gases.ts";

/** The file of a model. */
export interface ModelFile {
  /** Path or address of the file. */
  readonly source: string;
  /**
   * SHA-256 of the file in hexadecimal. If the model has a manifest or weights in other files, it is the hash of the
   * hashes of all files.
   */
  readonly sha256: string;
  /** Options of `OnnxModel.open` that check a downloaded file. */
  readonly download: { readonly download?: { readonly integrity: string } };
}

/** Text that tells the user what a model may be. */
const CHOICES =
  "Pass an .onnx file, a folder with one .onnx file, URL#sha256=HASH, or a built-in potential such as lj:argon";

/**
 * Finds the file that `--model` names. `manifest` is the option of the model, whose file is hashed with it.
 *
 * @throws {UsageError} if there is no such file, a folder does not have exactly one model, or an address has no hash
 */
export async function findModelFile(
  spec: string,
  { manifest }: { readonly manifest?: unknown } = {},
): Promise<ModelFile> {
  if (/^https?:/i.test(spec)) return fromAddress(spec);
  const kind = kindOfModel(spec);
  const source = kind === "folder" ? await modelIn(spec) : spec;
  if (!/\.onnx$/i.test(source)) {
    throw new UsageError(`Cannot use --model ${spec}: its name must end with .onnx. ${CHOICES}`);
  }
  const chosen = typeof manifest === "string" || manifest === false ? manifest : undefined;
  return { source, sha256: await modelFileHash(source, chosen), download: {} };
}

/**
 * Checks that the file or folder of a model exists, before a command complains of anything else. Built-in potentials
 * and addresses pass.
 *
 * @throws {UsageError} if there is no such file
 */
export function checkModelExists(spec: string | undefined): void {
  if (spec === undefined || isBuiltInName(spec) || /^https?:/i.test(spec)) return;
  kindOfModel(spec);
}

function kindOfModel(spec: string): "file" | "folder" {
  try {
    return findHost()!.statSync(spec).isDirectory ? "folder" : "file";
  } catch (cause) {
    const { code } = cause as { readonly code?: string };
    if (code !== undefined && code !== "ENOENT" && code !== "ENOTDIR") throw cause;
    throw new UsageError(`Cannot use --model ${spec}: no such file. ${CHOICES}`);
  }
}

async function modelIn(folder: string): Promise<string> {
  const { readdir } = builtin("node:fs/promises");
  const models = (await readdir(folder)).filter((name) => /\.onnx$/i.test(name)).sort();
  if (models.length === 1) return `${folder.replace(/[/\\]+$/, "")}/${models[0]}`;
  throw new UsageError(
    `Cannot use --model ${folder}: the folder must have one .onnx file; got ${
      models.join(", ") || "none"
    }`,
  );
}

function fromAddress(spec: string): ModelFile {
  const [, address, hash] = /^([^#]+)#sha256=([0-9a-f]{64})$/i.exec(spec) ?? [];
  if (address === undefined || hash === undefined) {
    throw new UsageError(
      `Cannot use --model ${spec}: an address must end with #sha256= and 64 hexadecimal digits, ` +
        "so that a changed file is noticed",
    );
  }
  const bytes = hash.match(/../g)!.map((pair) => String.fromCharCode(parseInt(pair, 16))).join("");
  const download = { integrity: `sha256-${btoa(bytes)}` };
  return { source: address, sha256: hash.toLowerCase(), download: { download } };
}
