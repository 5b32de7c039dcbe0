/**
 * Items of commands: a recipe in a file, and structures in files and folders.
 *
 * @module
 */

import { makeItem } from "../../campaign/item/item.ts";
import { type CheckedRecipe, readRecipe } from "../../campaign/recipe/recipe.ts";
import { modelFileHash } from "../../campaign/run/model_file_hash.ts";
import type { LabeledItem } from "../../campaign/queue/submit.ts";
import { isObject } from "../../base/object.ts";
import { findHost } from "../../platform/host.ts";
import type { CommandRun } from "../frame/command.ts";
import { CONFIG_PARSERS } from "../frame/config_text.ts";
import { UsageError } from "../frame/usage_error.ts";
import { formatOptionsOf } from "../run/format_options.ts";
import { type Failure, filesOf, structuresIn } from "../screen/sources.ts";
import type { ItemSettings } from "./settings.ts";

/** A recipe and the structures that it is for. */
export interface Submission {
  readonly recipe: CheckedRecipe;
  readonly items: AsyncIterable<LabeledItem>;
  /** Files and frames that could not be read so far. */
  readonly failures: readonly Failure[];
}

/**
 * Reads a recipe. The structures are read one by one, when they are asked for.
 *
 * @param paths the recipe, then folders or files of structures
 * @throws {UsageError} if one of both is missing or cannot be read
 */
export async function openSubmission(
  paths: readonly string[],
  settings: Omit<ItemSettings, "files">,
  { terminal }: CommandRun,
): Promise<Submission> {
  const [recipePath, ...structures] = paths;
  if (recipePath === undefined || structures.length === 0) {
    throw new UsageError("Cannot submit: pass a recipe, then folders or files of structures");
  }
  const recipe = await readRecipeFile(recipePath);
  const files = await filesOf(structures);
  const formats = await formatOptionsOf(settings, (warning) => terminal.complain(warning));
  const failures: Failure[] = [];
  const items = async function* (): AsyncGenerator<LabeledItem> {
    for await (
      const { system, label } of structuresIn(files, formats, (each) => failures.push(each))
    ) {
      yield { item: await makeItem(system, recipe, settings.seed), label };
    }
  };
  return { recipe, items: items(), failures };
}

/** Reads a recipe. The hash of a model's file is added if it is missing. */
async function readRecipeFile(path: string): Promise<CheckedRecipe> {
  const parse = CONFIG_PARSERS[/\.[^./\\]*$/.exec(path)?.[0].toLowerCase() ?? ""];
  if (parse === undefined) {
    throw new UsageError(
      `Cannot read the recipe ${path}: its name must end with ${
        Object.keys(CONFIG_PARSERS).join(", ")
      }`,
    );
  }
  let text: string;
  try {
    text = await findHost()!.readTextFile(path);
  } catch (cause) {
    throw new UsageError(`Cannot read the recipe ${path}: ${messageOf(cause)}`);
  }
  const { value } = await parse(text, path);
  try {
    return await readRecipe(await withHash(value));
  } catch (cause) {
    throw new UsageError(`${path}: ${messageOf(cause)}`);
  }
}

async function withHash(recipe: unknown): Promise<unknown> {
  if (!isObject(recipe) || !isObject(recipe.model)) return recipe;
  const { onnx, sha256 } = recipe.model;
  if (typeof onnx !== "string" || sha256 !== undefined || /^\w+:\/\//.test(onnx)) return recipe;
  return { ...recipe, model: { ...recipe.model, sha256: await modelFileHash(onnx) } };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
