/**
 * Folders of campaigns: the recipe, the items, and the results.
 *
 * `campaign.json` has the recipe. `items` has the submitted structures, in files that never change. `shards` has the
 * results, and `work` the checkpoints of unfinished items.
 *
 * @module
 */

import { codeOf, refusal } from "../../base/file_refusal.ts";
import { isObject } from "../../base/object.ts";
import { writeOnce } from "../../checkpoint/file.ts";
import { versions } from "../../config/versions.ts";
import { findHost } from "../../platform/host.ts";
import { type CheckedRecipe, readRecipe, recipeData } from "../recipe/recipe.ts";

/** Version of the format of `campaign.json`. */
const FORMAT = 1;

/**
 * Creates the folder of a campaign, or checks that it is the folder of this recipe.
 *
 * @throws {RangeError} if the folder has another recipe, or was made by another version of Hooke
 * @throws {Error} if the folder cannot be written
 *
 * @example
 * ```ts
 * import { createCampaign, readCampaign, readRecipe } from "@hooke/hooke/campaign";
 * import { assertEquals } from "@std/assert";
 *
 * const recipe = await readRecipe({
 *   model: { pair: "lennardJones", options: { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 } },
 *   stages: [{ stage: "relax" }],
 * });
 * const folder = `${await Deno.makeTempDir()}/argon`;
 * await createCampaign(folder, recipe);
 * assertEquals((await readCampaign(folder)).hash, recipe.hash);
 * ```
 */
export async function createCampaign(path: string, recipe: CheckedRecipe): Promise<void> {
  const data = {
    format: FORMAT,
    hooke: versions().hooke,
    recipeHash: recipe.hash,
    modelHash: recipe.modelHash,
    recipe: recipeData(recipe),
  };
  const bytes = new TextEncoder().encode(`${JSON.stringify(data, null, 2)}\n`);
  try {
    await writeOnce(`${path}/campaign.json`, bytes, "campaign");
  } catch (error) {
    throw refusal(`Cannot create the campaign ${path}`, (error as Error).cause ?? error);
  }
  const known = await readCampaign(path);
  if (known.hash === recipe.hash) return;
  throw new RangeError(
    `Cannot add to the campaign ${path}: the recipe must be that of its campaign.json (hash ${
      known.hash.slice(0, 12)
    }…); got one with the hash ${recipe.hash.slice(0, 12)}…. Use another folder`,
  );
}

/**
 * Returns the recipe of a campaign's folder.
 *
 * @throws {Error} if the folder cannot be read, or is not a campaign
 * @throws {SyntaxError} if `campaign.json` is damaged
 * @throws {RangeError} if another version of Hooke has made it
 */
export async function readCampaign(path: string): Promise<CheckedRecipe> {
  const file = `${path}/campaign.json`;
  let text: string;
  try {
    text = await findHost()!.readTextFile(file);
  } catch (error) {
    if ((error as Error).name !== "NotFound" && codeOf(error) !== "ENOENT") {
      throw refusal(`Cannot read ${file}`, error);
    }
    throw new Error(
      `Cannot open the campaign ${path}: it has no campaign.json. hooke submit creates one`,
      { cause: error },
    );
  }
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw new SyntaxError(`Cannot read ${file}: it is not JSON: ${(cause as Error).message}`, {
      cause,
    });
  }
  if (!isObject(data) || data.format !== FORMAT) {
    throw new RangeError(
      `Cannot read ${file}: format must be ${FORMAT}; got ${
        isObject(data) ? data.format : typeof data
      }`,
    );
  }
  const { hooke } = versions();
  if (data.hooke !== hooke) {
    throw new RangeError(
      `Cannot open the campaign ${path}: it must be one of Hooke ${hooke}; got one of ${data.hooke}. ` +
        "Another version may compute other bits: finish it with its version, or submit the structures to a new folder",
    );
  }
  const recipe = await readRecipe(data.recipe);
  if (recipe.hash === data.recipeHash) return recipe;
  throw new SyntaxError(
    `Cannot read ${file}: the recipe must have the hash ${data.recipeHash}; got ${recipe.hash}. The file was changed`,
  );
}
