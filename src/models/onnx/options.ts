/**
 * Options of ONNX models, and reading of a model's file with its manifests.
 *
 * @module
 */

import { checkOptions } from "../../base/check_options.ts";
import { isObject } from "../../base/object.ts";
import { show } from "../../base/show.ts";
import { decodeModel } from "../../onnx/codec/codec.ts";
import type { ModelProto } from "../../onnx/codec/messages.ts";
import type { SessionOptions } from "../../onnx/session/session_options.ts";
import { checkDownload } from "../../onnx/session/download.ts";
import { loadSource, type ModelSource } from "../../onnx/session/session_source.ts";
import type { WithForcesOptions } from "../../onnx/forces/with_forces.ts";
import { checkManifest, MANIFEST_MEMBERS } from "./manifest/manifest_check.ts";
import type { OnnxDerive } from "./derived_inputs.ts";
import type { OnnxManifest } from "./manifest/manifest.ts";
import {
  findReference,
  type FoundReference,
  missingReference,
} from "./reference/find_reference.ts";
import {
  contradictions,
  manifestBeside,
  mergedManifest,
  notedManifest,
  readManifest,
  type SourcedManifest,
} from "./manifest/manifest_source.ts";

/** Options of `OnnxModel.open`. Members of the manifest may be options, too; they override those in files. */
export interface OnnxModelOptions extends
  OnnxManifest,
  Pick<
    SessionOptions,
    | "threads"
    | "threadMemory"
    | "timeout"
    | "externalData"
    | "wasmFile"
    | "signal"
    | "download"
  >,
  Pick<WithForcesOptions, "rules"> {
  /**
   * Passes that simplify the graph if forces are added, before and after it is differentiated: names of {@linkcode
   * SIMPLIFYING_PASSES} and {@linkcode PROCESSOR_PASSES}, or custom passes. WebGPU runs the model without passes for the
   * processor.
   *
   * @default PROCESSOR_FORCE_PASSES
   */
  readonly passes?: WithForcesOptions["passes"];
  /**
   * Name of the model in error messages.
   *
   * @default the name of its file
   */
  readonly name?: string;
  /**
   * Path, address or bytes of a JSON file with the manifest; `false` to read no file.
   *
   * @default x.onnx.json or x.json beside x.onnx, if there is one
   */
  readonly manifest?: ModelSource | false;
  /**
   * Functions that compute inputs at each step, by name of the input.
   *
   * @default undefined
   */
  readonly derived?: Readonly<Record<string, OnnxDerive>>;
  /**
   * Distance in Å beyond the cutoff up to which pairs are listed, so that the list need not be rebuilt at each step.
   *
   * @default 0.5
   */
  readonly skin?: number;
  /**
   * Runtime that runs the graph on the processor.
   *
   * - `"native"`: the package onnxruntime-node, two to six times faster than `"web"`; in Deno it needs `--allow-ffi`.
   * - `"web"`: onnxruntime-web, which runs everywhere.
   * - `"auto"`: native if the package is installed and may be loaded, else web. `describe()` shows the choice
   *   and the reason.
   * - `"evaluator"`: plain TypeScript in double precision, slow, without onnxruntime, on any backend.
   *
   * Results of native and web differ in the last bits. The backend `reference` always uses the evaluator if
   * it knows the operators of the graph.
   *
   * @default "auto"
   */
  readonly runtime?: "auto" | "native" | "web" | "evaluator";
  /**
   * Structures with the results that the model must have for them. The model is compared with this reference when it
   * is opened, and before its first run on the backend `reference` and on each GPU.
   *
   * @default x.ref.json beside x.onnx, if there is one
   */
  readonly reference?: ModelSource;
  /**
   * False to skip the comparison with the reference.
   *
   * @default true
   */
  readonly verify?: boolean;
  /**
   * Folder in which models with added forces are cached by their content. Damaged files in it are replaced. The cache
   * is not used if `rules` or custom passes are given, because they have no names that could identify them.
   *
   * @default undefined
   */
  readonly cache?: string | URL;
  /**
   * Receives warnings: the manifest and the metadata of the file contradict each other, or the reference that
   * `hooke-export` wrote with the file is missing.
   *
   * @default console.warn
   */
  readonly onWarning?: (message: string) => void;
}

/** Names of the options that are not members of the manifest. */
const OWN: readonly string[] = [
  "name",
  "manifest",
  "derived",
  "skin",
  "threads",
  "threadMemory",
  "timeout",
  "externalData",
  "runtime",
  "wasmFile",
  "signal",
  "download",
  "passes",
  "rules",
  "cache",
  "reference",
  "verify",
  "onWarning",
];

/** A model's file that was read, with its manifest. */
export interface LoadedOnnx {
  /** Name of the model in error messages. */
  readonly name: string;
  /** Bytes of the file. */
  readonly bytes: Uint8Array;
  /** Address of the file; undefined if the model was given as bytes. */
  readonly url: URL | undefined;
  /** Decoded content of the file. */
  readonly file: ModelProto;
  /** Merged manifest. */
  readonly manifest: OnnxManifest;
  /** Returns the origin of a member of the manifest, such as `"the options"`. */
  readonly by: (member: keyof OnnxManifest) => string;
  /** The reference of the model; undefined if it has no reference. */
  readonly found?: FoundReference | undefined;
}

/** Reads a model, its manifests and its reference. Throws the errors of `OnnxModel.open`. */
export async function loadOnnx(
  source: ModelSource,
  options: OnnxModelOptions,
): Promise<LoadedOnnx> {
  checkModelOptions(options);
  const { signal, download, onWarning: warn = print } = options;
  const { bytes, url, name } = await loadSource(source, {
    signal,
    download,
    ...(options.name === undefined ? {} : { name: options.name }),
  });
  const file = decodeModel(bytes, { name });
  const beside = options.manifest === false
    ? undefined
    : options.manifest === undefined
    ? await manifestBeside(name, url, download)
    : await readManifest(name, options.manifest, download);
  const given = { manifest: manifestOf(options), by: "the options" };
  const noted = notedManifest(name, file);
  const manifests: SourcedManifest[] = [given, ...(beside === undefined ? [] : [beside]), noted];
  for (const text of beside === undefined ? [] : contradictions(beside, noted)) {
    warn(`${name}: ${text}`);
  }
  const found = await findReference({ name, bytes, url }, options);
  const missing = found === undefined ? missingReference(name, file, url, options) : undefined;
  if (missing !== undefined) warn(missing);
  return { name, bytes, url, file, ...mergedManifest(manifests), found };
}

function checkModelOptions(options: OnnxModelOptions): void {
  const action = `open ${options?.name ?? "an ONNX model"}`;
  if (typeof options === "object" && options !== null && "device" in options) {
    throw new TypeError(
      `Cannot ${action}: device is an option of the engine, as in new FIRE({ model, device }); ` +
        `got ${show(options.device)} for the model`,
    );
  }
  checkManifestSource(action, options?.manifest);
  checkOptions(action, options, [...OWN, ...MANIFEST_MEMBERS]);
  checkManifest(action, "its options", options, OWN);
  const { derived = {}, skin = 0.5, cache, passes, verify = true } = options;
  const refuse = (Wrong: typeof TypeError, member: string, requirement: string, value: unknown) => {
    throw new Wrong(
      `Cannot ${action}: the option ${member} must be ${requirement}; got ${show(value)}`,
    );
  };
  for (const [name, derive] of Object.entries(derived)) {
    if (typeof derive !== "function") refuse(TypeError, `derived.${name}`, "a function", derive);
  }
  checkRuntime(action, options.runtime);
  checkDownload(action, options.download);
  if (options.onWarning !== undefined && typeof options.onWarning !== "function") {
    refuse(TypeError, "onWarning", "a function", options.onWarning);
  }
  if (cache !== undefined && typeof cache !== "string" && !(cache instanceof URL)) {
    refuse(TypeError, "cache", "a folder, its path or address", cache);
  }
  if (typeof verify !== "boolean") refuse(TypeError, "verify", "true or false", verify);
  if (passes !== undefined && !Array.isArray(passes)) refuse(TypeError, "passes", "a list", passes);
  const isLength = typeof skin === "number" && skin > 0 && skin < Infinity;
  if (!isLength) refuse(RangeError, "skin", "above 0 and finite", skin);
}

function checkManifestSource(action: string, manifest: unknown): void {
  const isSource = manifest === undefined || manifest === false || typeof manifest === "string" ||
    manifest instanceof URL || manifest instanceof ArrayBuffer || manifest instanceof Uint8Array;
  if (isSource) return;
  throw new TypeError(
    `Cannot ${action}: the option manifest must be a path, an address, bytes or false; got ${
      show(manifest)
    }${isObject(manifest) ? ". Pass the members of a manifest as options themselves" : ""}`,
  );
}

const RUNTIMES: readonly unknown[] = ["auto", "native", "web", "evaluator"];

function checkRuntime(action: string, runtime: OnnxModelOptions["runtime"]): void {
  if (runtime === undefined || RUNTIMES.includes(runtime)) return;
  throw new RangeError(
    `Cannot ${action}: the option runtime must be ${RUNTIMES.map(show).join(", ")}; got ${
      show(runtime)
    }`,
  );
}

function manifestOf(options: OnnxModelOptions): OnnxManifest {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !OWN.includes(name)));
}

function print(message: string): void {
  // deno-lint-ignore no-console house/no-console -- the default of `onWarning`: a hidden warning would be worse
  console.warn(message);
}
