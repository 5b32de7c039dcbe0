/**
 * Models of recipes.
 *
 * @module
 */

import type { Model } from "../../models/model.ts";
import { isAddress, type OnnxReference, type PairReference } from "../recipe/references.ts";
import type { CheckedRecipe } from "../recipe/recipe.ts";
import { hashModel, type ModelFiles } from "./model_file_hash.ts";

/** An opened model. Disposing of it closes its sessions, if it has any. */
export interface CampaignModel extends AsyncDisposable {
  readonly model: Model;
}

/**
 * Opens the model of a recipe.
 *
 * @throws {Error} if the file has another hash than the recipe states, or cannot be read
 * @throws {TypeError | RangeError} if the options do not fit the model
 */
export async function openModel({ model }: Pick<CheckedRecipe, "model">): Promise<CampaignModel> {
  return "pair" in model ? await openPair(model) : await openOnnx(model);
}

async function openPair({ pair, options }: PairReference): Promise<CampaignModel> {
  const makers = await import("../../models/pair/mod.ts");
  const make = makers[pair] as (options: unknown) => Model;
  return { model: make(options), [Symbol.asyncDispose]: () => Promise.resolve() };
}

async function openOnnx(
  { onnx, sha256, runtime = "web", options = {} }: OnnxReference,
): Promise<CampaignModel> {
  const { OnnxModel } = await import("../../models/onnx/onnx_model.ts");
  let source: string | Uint8Array = onnx;
  if (isAddress(onnx)) {
    const { loadSource } = await import("../../onnx/session/session_source.ts");
    const download = { integrity: `sha256-${base64Of(sha256)}` };
    // The bytes alone: the hash does not cover the files that a server has beside the model.
    source = (await loadSource(onnx, { download })).bytes;
  }
  const files = isAddress(onnx) ? undefined : await assertHash(onnx, sha256, options.manifest);
  // One thread: sums over several threads could differ from machine to machine. The name is that of no file, because
  // reasons of failures are results.
  const model = await OnnxModel.open(source, {
    ...options,
    name: "the model",
    runtime,
    threads: 1,
  });
  // The files were read again.
  if (files?.hasChanged()) {
    await model.dispose();
    throw new Error(
      `Cannot use the model ${onnx}: its files were changed while it was opened. Run the command again`,
    );
  }
  return { model, [Symbol.asyncDispose]: () => model.dispose() };
}

async function assertHash(path: string, wanted: string, manifest: unknown): Promise<ModelFiles> {
  const isFile = typeof manifest === "string" || manifest === false;
  const files = await hashModel(path, isFile ? manifest : undefined), found = files.hash;
  if (found === wanted) return files;
  throw new Error(
    `Cannot use the model ${path}: its SHA-256 must be ${wanted}, as the recipe states; got ${found}. ` +
      "Use the file with which the campaign was submitted, or submit a new campaign",
  );
}

function base64Of(hash: string): string {
  return btoa(hash.match(/../g)!.map((pair) => String.fromCharCode(parseInt(pair, 16))).join(""));
}
