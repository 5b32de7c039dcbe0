/**
 * Search for the reference of a model: at the address that the options name, or beside the model's file.
 *
 * @module
 */

import type { ModelProto } from "../../../onnx/codec/messages.ts";
import { hashOf } from "../../../onnx/codec/file_cache.ts";
import { findSource, loadSource, type ModelSource } from "../../../onnx/session/session_source.ts";
import type { DownloadOptions } from "../../../onnx/session/download.ts";
import { ModelMismatchError } from "../model_mismatch_error.ts";
import { checkReference } from "./reference_check.ts";
import type { OnnxReference } from "./reference.ts";

/** Key in the metadata of a file. Its presence shows that a reference was written with the file. */
export const REFERENCE_NOTE = "hooke.reference";

/** A reference that was found, and its origin. */
export interface FoundReference {
  /** The reference. */
  readonly reference: OnnxReference;
  /** Name of the reference in errors, such as `"the reference ani.ref.json"`. */
  readonly by: string;
  /** SHA-256 of the reference file, in hexadecimal digits. */
  readonly hash: string;
}

/** Options for the search of a reference. */
export interface ReferenceOptions {
  /** Path, address or bytes of the reference; undefined to look beside the model's file. */
  readonly reference?: ModelSource | undefined;
  /** False to skip the search. */
  readonly verify?: boolean | undefined;
  /** Limits of downloads, and hashes of files. */
  readonly download?: DownloadOptions | undefined;
}

/**
 * Finds, reads and checks the reference of a model. Returns `undefined` if the model has no reference, or if `verify`
 * is false.
 *
 * @throws {SyntaxError} if the file is not valid JSON
 * @throws {TypeError} if a member is missing or of the wrong type
 * @throws {RangeError} if a length or a value is invalid
 * @throws {ModelMismatchError} if the reference belongs to another model file
 */
export async function findReference(
  { name, bytes, url }: {
    readonly name: string;
    readonly bytes: Uint8Array;
    readonly url: URL | undefined;
  },
  { reference: source, verify, download }: ReferenceOptions,
): Promise<FoundReference | undefined> {
  if (verify === false) return undefined;
  const file = source === undefined
    ? await besideModel(url, download)
    : await loadSource(source, { download, isModel: false });
  if (file === undefined) return undefined;
  const by = source instanceof Uint8Array || source instanceof ArrayBuffer
    ? `the reference of ${name}`
    : `the reference ${file.name}`;
  const reference = checkReference(by, parsed(name, by, file.bytes));
  const own = await hashOf(bytes);
  if (own !== reference.model) throw wrongFileError(name, by, own, reference.model);
  return { reference, by, hash: await hashOf(file.bytes) };
}

/**
 * Returns the URL of the file `x.ref.json` beside `x.onnx`; `undefined` if the model was not read from a file or an
 * address.
 */
function addressOf(model: URL | undefined): URL | undefined {
  if (model === undefined || !/^(file|https?):$/.test(model.protocol)) return undefined;
  const url = new URL(model);
  url.pathname = `${model.pathname.replace(/\.onnx$/, "")}.ref.json`;
  return url;
}

/** Returns the reason why a model has no reference. */
export function missingReferenceReason(
  model: URL | undefined,
  { verify }: ReferenceOptions,
): string {
  if (verify === false) return "verify is false";
  const url = addressOf(model);
  if (url === undefined) return "the option reference is missing";
  return `${decodeURIComponent(url.pathname.split("/").at(-1)!)} does not exist`;
}

/**
 * Returns a warning if `hooke-export` wrote a reference with a file and the reference is missing; otherwise
 * `undefined`.
 */
export function missingReference(
  name: string,
  file: ModelProto,
  model: URL | undefined,
  options: ReferenceOptions,
): string | undefined {
  const by = file.metadataProps.find(({ key }) => key === REFERENCE_NOTE)?.value;
  if (by === undefined || options.verify === false || addressOf(model) === undefined) {
    return undefined;
  }
  return `The results of ${name} are not checked: ${by} wrote a reference for this file, but ${
    missingReferenceReason(model, options)
  }. ` +
    "Copy the reference beside the model, or pass verify: false";
}

/** Reads `x.ref.json` beside `x.onnx`. Returns `undefined` if it does not exist. */
async function besideModel(model: URL | undefined, download: DownloadOptions | undefined) {
  const url = addressOf(model);
  if (url === undefined) return undefined;
  const found = await findSource(url, { download, isModel: false });
  const start = found && new TextDecoder().decode(found.bytes.subarray(0, 100)).trimStart();
  return start?.startsWith("<") ? undefined : found; // servers may answer with an HTML page if a file is missing
}

function parsed(name: string, by: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    const why = (cause as Error).message;
    throw new SyntaxError(`Cannot open ${name}: ${by} must be JSON. ${why}`, { cause });
  }
}

function wrongFileError(name: string, by: string, own: string, wanted: string): ModelMismatchError {
  return new ModelMismatchError(name, {
    expected: `${by} must belong to this file`,
    found: `the SHA-256 in it is ${wanted}, and that of ${name} is ${own}`,
    wouldMap: {},
    remedy: "export model and reference again, or pass verify: false",
  });
}
