/**
 * Items of commands: a recipe in a file, and structures in files and folders.
 *
 * @module
 */

import { makeItem } from "../../campaign/item/item.ts";
import type { CheckedRecipe } from "../../campaign/recipe/recipe.ts";
import type { LabeledItem } from "../../campaign/queue/options.ts";
import type { CommandRun } from "../frame/command.ts";
import { readRecipeFile } from "../campaign/recipe_file.ts";
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
