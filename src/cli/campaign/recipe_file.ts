/**
 * Recipe files of campaigns.
 *
 * @module
 */

import { refusal } from "../../base/file_refusal.ts";
import { isObject, type Members } from "../../base/object.ts";
import { reasonOf } from "../../base/show.ts";
import { type CheckedRecipe, readRecipe } from "../../campaign/recipe/recipe.ts";
import { hashModule } from "../../campaign/run/module_hash.ts";
import { isModule, partsOf } from "../../config/hooks/hook_module.ts";
import { findHost } from "../../platform/host.ts";
import { builtin } from "../../platform/process.ts";
import { CONFIG_PARSERS } from "../frame/config_text.ts";
import { UsageError } from "../frame/usage_error.ts";
import { findModelFile } from "../run/model_file.ts";
import { builtinPotential } from "../run/noble_gases.ts";

/**
 * Reads a recipe file (.json, .yaml or .toml), and adds what a file may leave out: the model may be a text, such as
 * `lj:argon` or a path, and hashes of files may be missing. Paths are relative to the recipe file.
 *
 * @throws {UsageError} if the file cannot be read, or is not a recipe
 */
export async function readRecipeFile(path: string): Promise<CheckedRecipe> {
  const ending = /\.[^./\\]*$/.exec(path)?.[0].toLowerCase() ?? "";
  const parse = CONFIG_PARSERS[ending];
  if (parse === undefined) {
    throw new UsageError(
      `Cannot read the recipe ${path}: its name must end with ${
        Object.keys(CONFIG_PARSERS).join(", ")
      }. The first file is the recipe, and structures follow`,
    );
  }
  const text = await findHost()!.readTextFile(path).catch((cause) => {
    throw new UsageError(refusal(`Cannot read the recipe ${path}`, cause).message);
  });
  try {
    const { value } = await parse(text, `the recipe ${path}`);
    if (!isObject(value)) return await readRecipe(value);
    return await readRecipe({
      ...value,
      ..."model" in value && { model: await fullModel(value.model, path) },
      ...Array.isArray(value.hooks) && {
        hooks: await Promise.all(value.hooks.map((hook: unknown) => fullHook(hook, path))),
      },
    });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path}: ${reasonOf(error)}`);
  }
}

async function fullModel(model: unknown, path: string): Promise<unknown> {
  if (typeof model === "string" && /^lj(:|$)/i.test(model)) {
    return {
      pair: "lennardJones",
      options: builtinPotential(model, model.includes(":") ? [] : ["Ar"]),
    };
  }
  const given = typeof model === "string" ? { onnx: model } : model;
  if (!isObject(given) || typeof given.onnx !== "string") return given;
  const options = isObject(given.options) ? { ...given.options } : {};
  if (typeof options.manifest === "string") options.manifest = beside(path, options.manifest);
  const { source, sha256 } = await findModelFile(
    /^https?:/i.test(given.onnx) ? given.onnx : beside(path, given.onnx),
    options,
  );
  return {
    sha256,
    ...given,
    ..."options" in given && { options },
    onnx: /^https?:/i.test(source) ? source : absolute(source),
  };
}

async function fullHook(hook: unknown, path: string): Promise<unknown> {
  const given: Members = typeof hook === "string" ? { hook } : isObject(hook) ? hook : {};
  if (typeof given.hook !== "string") return hook;
  const [from, name] = partsOf(given.hook);
  if (!isModule(given.hook) || /^\w+:/.test(from)) return given;
  const file = absolute(beside(path, from)), { pathToFileURL } = builtin("node:url");
  const address = pathToFileURL(file);
  const { hash: sha256 } = await hashModule(address).catch((error) => {
    throw new UsageError(`Cannot read ${file}, a hook of the recipe ${path}: ${reasonOf(error)}`);
  });
  return { sha256, ...given, hook: `${address.href}#${name}` };
}

function beside(path: string, file: string): string {
  const { dirname, resolve } = builtin("node:path");
  return resolve(dirname(path), file);
}

function absolute(path: string): string {
  return builtin("node:path").resolve(path);
}
