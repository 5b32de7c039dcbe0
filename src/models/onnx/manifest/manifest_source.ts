/**
 * Origins of manifests: the options, a JSON file beside the model, and the metadata of the model's file.
 *
 * @module
 */

import { show } from "../../../base/show.ts";
import { decodeModel, encodeModel } from "../../../onnx/codec/codec.ts";
import type { ModelProto } from "../../../onnx/codec/messages.ts";
import { setMetadata } from "../../../onnx/set_metadata.ts";
import type { DownloadOptions } from "../../../onnx/session/download.ts";
import { findSource, loadSource, type ModelSource } from "../../../onnx/session/session_source.ts";
import { REFERENCE_NOTE } from "../reference/find_reference.ts";
import { checkManifest } from "./manifest_check.ts";
import type { OnnxManifest } from "./manifest.ts";

/** A manifest and its origin. */
export interface SourcedManifest {
  /** The manifest. */
  readonly manifest: OnnxManifest;
  /** Origin of the manifest, such as `"the manifest ani.json"`. */
  readonly by: string;
}

/**
 * Members of a manifest that the metadata may have as separate entries. All other members belong in the entry
 * `hooke`.
 */
const NOTES: readonly string[] = [
  "cutoff",
  "reach",
  "triplets",
  "neighbors",
  "energyUnit",
  "lengthUnit",
];

/**
 * Returns the manifest in the metadata of a model's file. The entry `hooke` contains a manifest as JSON; an entry
 * such as `cutoff` contains the value of that member. Throws the errors of `checkManifest`, and a SyntaxError if the
 * entry `hooke` is not valid JSON.
 */
export function notedManifest(name: string, { metadataProps }: ModelProto): SourcedManifest {
  const by = `the metadata of ${name}`;
  const notes = new Map(metadataProps.map(({ key, value }) => [key, value]));
  const single = NOTES.flatMap((note) => {
    const value = notes.get(note);
    return value === undefined ? [] : [[note, isNumber(value) ? Number(value) : value]];
  });
  const whole = notes.get("hooke");
  const manifest: unknown = {
    ...Object.fromEntries(single),
    ...(whole === undefined ? {} : parsed(name, by, whole) as object),
  };
  checkManifest(`open ${name}`, by, manifest);
  return { manifest, by };
}

/**
 * Returns a copy of a model's file with the manifest in its metadata. The bytes are unchanged if the metadata contain
 * the same manifest already.
 */
export function withManifest(
  name: string,
  bytes: Uint8Array,
  manifest: OnnxManifest,
): Uint8Array<ArrayBuffer> {
  const file = decodeModel(bytes, { name });
  const text = JSON.stringify(manifest);
  const { metadataProps } = file;
  const note = metadataProps.findIndex(({ key }) => key === REFERENCE_NOTE);
  if (note < 0 && text === JSON.stringify(notedManifest(name, file).manifest)) return bytes.slice();
  // The note about a reference is removed, because the reference belongs to the unchanged file.
  if (note >= 0) metadataProps.splice(note, 1);
  setMetadata(file, "hooke", text);
  return encodeModel(file);
}

function isNumber(text: string): boolean {
  return text.trim() !== "" && !Number.isNaN(Number(text));
}

/**
 * Reads a manifest from a JSON file. Throws the errors of `checkManifest`, a SyntaxError if the file is not valid
 * JSON, and an Error if it cannot be read.
 */
export async function readManifest(
  name: string,
  source: ModelSource,
  download?: DownloadOptions,
): Promise<SourcedManifest> {
  const { bytes, name: file } = await loadSource(source, { download, isModel: false });
  return manifestIn(name, `the manifest ${file}`, bytes);
}

/**
 * Reads the manifest beside a model. For `x.onnx` it is `x.onnx.json`, or `x.json` if that file does not exist.
 * Returns `undefined` if neither exists.
 */
export async function manifestBeside(
  name: string,
  model: URL | undefined,
  download?: DownloadOptions,
): Promise<SourcedManifest | undefined> {
  if (model === undefined || !/^(file|https?):$/.test(model.protocol)) return undefined;
  const paths = [`${model.pathname}.json`];
  if (model.pathname.endsWith(".onnx")) paths.push(model.pathname.replace(/\.onnx$/, ".json"));
  for (const path of paths) {
    const url = new URL(model);
    url.pathname = path;
    const found = await findSource(url, { download, isModel: false });
    // Many servers answer with an HTML page if a file does not exist.
    if (found === undefined || startsAsPage(found.bytes)) continue;
    return manifestIn(name, `the manifest ${found.name}`, found.bytes);
  }
  return undefined;
}

function startsAsPage(bytes: Uint8Array): boolean {
  return new TextDecoder().decode(bytes.subarray(0, 100)).trimStart().startsWith("<");
}

function manifestIn(name: string, by: string, bytes: Uint8Array): SourcedManifest {
  const manifest = parsed(name, by, new TextDecoder().decode(bytes));
  checkManifest(`open ${name}`, by, manifest);
  return { manifest, by };
}

function parsed(name: string, by: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SyntaxError(
      `Cannot open ${name}: ${by} must be JSON. ${(cause as Error).message}`,
      { cause },
    );
  }
}

/**
 * Merges manifests. If several manifests state the same member, the first one wins. The members `inputs`, `outputs`
 * and `constants` are merged entry by entry. `by` returns the origin of a member of the result.
 */
export function mergedManifest(manifests: readonly SourcedManifest[]): {
  readonly manifest: OnnxManifest;
  readonly by: (member: keyof OnnxManifest) => string;
} {
  let manifest: OnnxManifest = {};
  for (const one of manifests.toReversed()) {
    manifest = { ...manifest, ...present(one.manifest), ...deeper(manifest, one.manifest) };
  }
  const states = (member: keyof OnnxManifest, one: SourcedManifest) =>
    one.manifest[member] !== undefined &&
    (DEEP.includes(member) || isSame(one.manifest[member], manifest[member]));
  const by = (member: keyof OnnxManifest) =>
    manifests.filter((one) => states(member, one)).map((one) => one.by).join(" and ");
  return { manifest, by };
}

/** Returns one line for each member that two manifests state differently. The value in the first manifest is used. */
export function contradictions(one: SourcedManifest, other: SourcedManifest): string[] {
  return Object.entries(one.manifest).flatMap(([member, value]) => {
    const theirs = other.manifest[member as keyof OnnxManifest];
    if (value === undefined || theirs === undefined || isSame(value, theirs)) return [];
    if (DEEP.includes(member) || TEXTS.includes(member)) return [];
    return [
      `${one.by} has ${member} ${show(value)}, and ${other.by} has ${
        show(theirs)
      }; ${one.by} is used`,
    ];
  });
}

/** Members that are merged entry by entry. */
const DEEP: readonly string[] = ["inputs", "outputs", "constants"];
/** Members that do not affect the results. */
const TEXTS: readonly string[] = ["license", "source"];

/** Returns whether two JSON values are equal, regardless of the order of members. */
function isSame(a: unknown, b: unknown): boolean {
  return sorted(a) === sorted(b);
}

function sorted(value: unknown): string {
  return JSON.stringify(
    value,
    (_, part) =>
      typeof part === "object" && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => a < b ? -1 : 1))
        : part,
  );
}

/**
 * Merges the members that name tensors entry by entry, because two origins may state different tensors. If both
 * manifests state an entry, that of `above` wins.
 */
function deeper(below: OnnxManifest, above: OnnxManifest): OnnxManifest {
  const merged = (DEEP as readonly ("inputs" | "outputs" | "constants")[]).flatMap((member) =>
    below[member] === undefined || above[member] === undefined
      ? []
      : [[member, { ...below[member], ...above[member] }]]
  );
  return Object.fromEntries(merged);
}

function present(manifest: OnnxManifest): OnnxManifest {
  return Object.fromEntries(Object.entries(manifest).filter(([, value]) => value !== undefined));
}
