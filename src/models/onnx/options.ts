/**
 * How an ONNX model is opened, and what is read before it is.
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
  type SaidManifest,
} from "./manifest/manifest_source.ts";

/** How an `OnnxModel` is opened. What its manifest says may be said here, too, and goes before what files say. */
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
  Pick<WithForcesOptions, "passes" | "rules"> {
  /**
   * What errors call it.
   *
   * @default the name of its file
   */
  readonly name?: string;
  /**
   * Where its manifest is, a file of JSON; `false` looks for none.
   *
   * @default beside the model: x.onnx.json or x.json for x.onnx, if there is one
   */
  readonly manifest?: ModelSource | false;
  /**
   * Name of an input → the function that makes it at each step.
   *
   * @default none
   */
  readonly derived?: Readonly<Record<string, OnnxDerive>>;
  /**
   * How much further pairs are kept than the cutoff, so that they need not be found anew at each step. Å.
   *
   * @default 0.5
   */
  readonly skin?: number;
  /**
   * Implementation that runs the graph on the processor.
   *
   * - `"native"`: the package onnxruntime-node, two to six times faster than `"web"`; in Deno it needs `--allow-ffi`.
   * - `"web"`: onnxruntime-web, which runs everywhere.
   * - `"auto"`: native if the program has the package and may load it, else web. `describe()` says which and why.
   * - `"evaluator"`: plain TypeScript in double precision, slow, without onnxruntime, on any backend.
   *
   * Results of native and web differ in the last bits. The backend `reference` uses the evaluator in any case, if it
   * knows the operators of the graph.
   *
   * @default "auto"
   */
  readonly runtime?: "auto" | "native" | "web" | "evaluator";
  /**
   * Its reference: structures, and the results that it must give for them. It is compared when it is opened, and on the
   * reference backend and each GPU before it first runs there.
   *
   * @default beside the model: x.ref.json for x.onnx, if there is one
   */
  readonly reference?: ModelSource;
  /**
   * False if it is not compared with its reference.
   *
   * @default true
   */
  readonly verify?: boolean;
  /**
   * A folder where models with forces that were made are kept, by what they were made of; what is damaged there is made
   * anew. Not used with `rules` or passes of one's own, which have no names.
   *
   * @default none
   */
  readonly cache?: string | URL;
  /**
   * Receives warnings: that the manifest and the metadata of the file contradict each other, and that the reference
   * which `hooke-export` wrote with the file is not beside it.
   *
   * @default console.warn
   */
  readonly onWarning?: (message: string) => void;
}

/** The options that are not the manifest's. */
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

/** A model's file, and all that is said of it. */
export interface LoadedOnnx {
  /** What errors call it. */
  readonly name: string;
  /** The file. */
  readonly bytes: Uint8Array;
  /** Where it is from. */
  readonly url: URL | undefined;
  /** What is in it. */
  readonly file: ModelProto;
  /** What is said of it. */
  readonly manifest: OnnxManifest;
  /** Who says a member of it. */
  readonly by: (member: keyof OnnxManifest) => string;
  /** What it must give, if that is known. */
  readonly found?: FoundReference | undefined;
}

/** Reads a model and its manifests. Throws as `OnnxModel.open` does. */
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
  const said: SaidManifest[] = [given, ...(beside === undefined ? [] : [beside]), noted];
  for (const text of beside === undefined ? [] : contradictions(beside, noted)) {
    warn(`${name}: ${text}`);
  }
  const found = await findReference({ name, bytes, url }, options);
  const missing = found === undefined ? missingReference(name, file, url, options) : undefined;
  if (missing !== undefined) warn(missing);
  return { name, bytes, url, file, ...mergedManifest(said), found };
}

function checkModelOptions(options: OnnxModelOptions): void {
  const action = `open ${options?.name ?? "an ONNX model"}`;
  if (typeof options === "object" && options !== null && "device" in options) {
    throw new TypeError(
      `Cannot ${action}: where it runs is for the engine to say, as in new FIRE({ model, device }): ` +
        `current value of device is ${show(options.device)}`,
    );
  }
  checkManifestSource(action, options?.manifest);
  checkOptions(action, options, [...OWN, ...MANIFEST_MEMBERS]);
  checkManifest(action, "its options", options, OWN);
  const { derived = {}, skin = 0.5, cache, passes, verify = true } = options;
  const refuse = (Wrong: typeof TypeError, member: string, requirement: string, value: unknown) => {
    throw new Wrong(
      `Cannot ${action}: ${member} of its options must be ${requirement}; got ${show(value)}`,
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
    `Cannot ${action}: manifest of its options must be a path, an address, bytes or false; got ${
      show(manifest)
    }${isObject(manifest) ? "; write the members of a manifest into the options themselves" : ""}`,
  );
}

const RUNTIMES: readonly unknown[] = ["auto", "native", "web", "evaluator"];

function checkRuntime(action: string, runtime: OnnxModelOptions["runtime"]): void {
  if (runtime === undefined || RUNTIMES.includes(runtime)) return;
  throw new RangeError(
    `Cannot ${action}: runtime of its options must be ${RUNTIMES.map(show).join(", ")}; got ${
      show(runtime)
    }`,
  );
}

function manifestOf(options: OnnxModelOptions): OnnxManifest {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !OWN.includes(name)));
}

function print(message: string): void {
  // deno-lint-ignore no-console house/no-console -- an unseen warning would be worse; `onWarning` replaces this
  console.warn(message);
}
