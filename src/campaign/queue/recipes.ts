/**
 * Recipes in a queue, which workers read before they compute the first item of each.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { type CheckedRecipe, readRecipe, recipeData } from "../recipe/recipe.ts";
import { reasonOf } from "./connection.ts";
import type { Queue } from "./queue.ts";
import { getState, putState } from "./states.ts";

/** Stores a recipe in a queue. */
export async function putRecipe(queue: Queue, recipe: CheckedRecipe): Promise<void> {
  const body = new TextEncoder().encode(JSON.stringify(recipeData(recipe)));
  await putState(queue, "recipe", recipe.hash, { recipe: recipe.hash }, body);
}

/**
 * Returns a recipe of a queue; undefined if the queue does not have it.
 *
 * @throws {TypeError} if it is not a valid recipe, or not the one with this hash
 */
export async function getRecipe(queue: Queue, hash: string): Promise<CheckedRecipe | undefined> {
  const state = await getState(queue, "recipe", hash);
  if (state === undefined) return undefined;
  const recipe = await readBody(state.body);
  if (recipe.hash === hash) return recipe;
  throw new TypeError(
    `Cannot use the recipe ${hash.slice(0, 12)}: its hash is ${recipe.hash.slice(0, 12)}`,
  );
}

async function readBody(body: Uint8Array): Promise<CheckedRecipe> {
  try {
    const data: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    if (!isObject(data)) throw new TypeError("Cannot read it: it is not an object");
    return await readRecipe(data);
  } catch (cause) {
    throw new TypeError(`Cannot use the recipe: ${reasonOf(cause)}`, { cause });
  }
}
