/**
 * References of recipes to models and hooks, as plain data with hashes of the files.
 *
 * @module
 */

import { checkKeys } from "../../base/check_options.ts";
import { isObject, type Members } from "../../base/object.ts";
import { show } from "../../base/show.ts";
import { isModule } from "../../config/hooks/hook_module.ts";

/** A built-in pair potential with its parameters. */
export interface PairReference {
  /** Name of the potential. */
  readonly pair: "lennardJones" | "morse" | "buckingham" | "yukawa";
  /** Options of the potential, such as `{ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }`. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** An ONNX model in a file. */
export interface OnnxReference {
  /** Path or address of the file. It is not part of the recipe's hash: the same file may be elsewhere on another machine. */
  readonly onnx: string;
  /** SHA-256 of the file in hexadecimal; with a manifest or weights in other files that of the hashes of all files. */
  readonly sha256: string;
  /** Runtime of the model. @default "web", which computes the same bits on every machine with the same processor type */
  readonly runtime?: "web" | "native" | "evaluator";
  /**
   * Further options of `OnnxModel.open` as plain data: members of the manifest, or `manifest` with the path of a file.
   * Options with other files, addresses or folders are refused: the hash does not cover them, and a recipe may come from
   * a stranger. A model with an address has no files beside it: its manifest must be in the file or in these options.
   *
   * @default {}
   */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** A model of a recipe. */
export type ModelReference = PairReference | OnnxReference;

/** A hook of a recipe. */
export interface HookReference {
  /**
   * Name in the registry that the process passes, or a module as `"./my_hook.ts#NAME"`. A module runs only if the
   * process allows modules, and only if the file has the given hash.
   */
  readonly hook: string;
  /**
   * SHA-256 of the module's file in hexadecimal; if it imports files by relative paths, that of the hashes of all files.
   * Required for a module.
   */
  readonly sha256?: string;
  /** Options of the hook as plain data. @default {} */
  readonly options?: Readonly<Record<string, unknown>>;
}

const PAIRS = ["lennardJones", "morse", "buckingham", "yukawa"];
const RUNTIMES = ["web", "native", "evaluator"];
/** Options of `OnnxModel.open` that the process sets, not a recipe. */
const OF_PROCESS = [
  "runtime",
  "threads",
  "threadMemory",
  "timeout",
  "wasmFile",
  "signal",
  "download",
  "cache",
  "name",
  "onWarning",
];
/** Options of `OnnxModel.open` with files that the hash of the model does not cover. */
const UNHASHED = ["externalData", "reference"];
const SHA256 = /^[0-9a-f]{64}$/;

/** Checks the model of a recipe, and fills in its defaults. */
export function readModel(action: string, model: unknown): ModelReference {
  if (isObject(model) && Object.hasOwn(model, "pair")) {
    checkKeys(action, "model", model, ["pair", "options"]);
    const { pair, options } = model;
    if (!PAIRS.includes(pair as string)) {
      throw new RangeError(
        `Cannot ${action}: model.pair must be one of ${PAIRS.join(", ")}; got ${show(pair)}`,
      );
    }
    checkMembers(action, "model.options", options);
    return { pair, options } as PairReference;
  }
  if (!isObject(model) || !Object.hasOwn(model, "onnx")) {
    throw new TypeError(
      `Cannot ${action}: model must be { "pair": NAME, "options": … } or { "onnx": FILE, "sha256": HASH }; got ${
        show(model)
      }`,
    );
  }
  checkKeys(action, "model", model, ["onnx", "sha256", "runtime", "options"]);
  const { onnx, sha256, runtime = "web", options = {} } = model;
  if (typeof onnx !== "string" || onnx === "") {
    throw new TypeError(`Cannot ${action}: model.onnx must be a path; got ${show(onnx)}`);
  }
  checkHash(action, "model.sha256", sha256);
  if (!RUNTIMES.includes(runtime as string)) {
    throw new RangeError(
      `Cannot ${action}: model.runtime must be one of ${RUNTIMES.join(", ")}; got ${show(runtime)}`,
    );
  }
  checkMembers(action, "model.options", options);
  checkModelOptions(action, onnx, options);
  return { onnx, sha256, runtime, options } as OnnxReference;
}

function checkModelOptions(action: string, onnx: string, options: Members): void {
  const has = (names: readonly string[]) => names.find((name) => Object.hasOwn(options, name));
  const own = has(OF_PROCESS), unhashed = has(UNHASHED), { manifest } = options;
  if (own !== undefined) {
    throw new TypeError(
      `Cannot ${action}: model.options must not have ${own}: the process sets this option`,
    );
  }
  if (unhashed !== undefined) {
    throw new TypeError(
      `Cannot ${action}: model.options must not have ${unhashed}: the hash of the model does not cover its files`,
    );
  }
  if (typeof manifest !== "string" || !isAddress(onnx) && !isAddress(manifest)) return;
  throw new TypeError(
    `Cannot ${action}: model.options.manifest must be the path of a file, and the model a file, too; got ${
      show(manifest)
    }. Put the members of the manifest into model.options`,
  );
}

/** Returns whether the model of a recipe is an address, such as `https://…`, and not the path of a file. */
export function isAddress(source: string): boolean {
  // A URL ignores spaces and control characters, and a drive of Windows has one letter.
  return /^[a-z][a-z\d+.-]+:/i.test(source.replaceAll(/[^!-~]/g, ""));
}

/** Checks the hooks of a recipe. */
export function readHooks(action: string, hooks: unknown): readonly HookReference[] {
  if (!Array.isArray(hooks)) {
    throw new TypeError(`Cannot ${action}: hooks must be a list; got ${show(hooks)}`);
  }
  return hooks.map((hook: unknown, i) => {
    const path = `hooks[${i}]`;
    checkMembers(action, path, hook);
    checkKeys(action, path, hook, ["hook", "sha256", "options"]);
    const { hook: name, sha256, options = {} } = hook;
    if (typeof name !== "string" || name === "") {
      throw new TypeError(`Cannot ${action}: ${path}.hook must be a name; got ${show(name)}`);
    }
    checkMembers(action, `${path}.options`, options);
    if (!isModule(name)) {
      if (sha256 === undefined) return { hook: name, options };
      throw new TypeError(
        `Cannot ${action}: ${path}.sha256 is only for modules; ${name} is a name`,
      );
    }
    checkHash(action, `${path}.sha256`, sha256);
    return { hook: name, sha256: sha256 as string, options };
  });
}

function checkMembers(action: string, path: string, value: unknown): asserts value is Members {
  if (isObject(value)) return;
  throw new TypeError(`Cannot ${action}: ${path} must be an object; got ${show(value)}`);
}

function checkHash(action: string, path: string, hash: unknown): void {
  if (typeof hash === "string" && SHA256.test(hash)) return;
  throw new TypeError(
    `Cannot ${action}: ${path} must be the SHA-256 of the file, 64 hexadecimal digits in lower case; got ${
      show(hash)
    }`,
  );
}
