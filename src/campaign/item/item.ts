/**
 * Items of a campaign: a structure, a recipe and a seed, named by a hash.
 *
 * @module
 */

import { checkNumber, isCount, wholeFrom } from "../../base/check_number.ts";
import { isObject } from "../../base/object.ts";
import type { System } from "../../batch/system.ts";
import { versions } from "../../config/versions.ts";
import type { CheckedRecipe } from "../recipe/recipe.ts";
import { sha256Hex } from "./sha256.ts";
import { inputOf, structureOf, structureText } from "./structure_text.ts";

/** An item of a campaign. It is plain data. */
export interface CampaignItem {
  /** SHA-256 of input, recipe, seed, model and version of Hooke in hexadecimal. Equal items have equal ids and results. */
  readonly id: string;
  /** Canonical text of the structure. */
  readonly input: string;
  /** Seed of the item, a whole number 0 … 2³² − 1. */
  readonly seed: number;
  /**
   * Number that selects the random numbers of the item, 0 … 2³¹ − 1. It depends on the structure and the seed, so that
   * equal structures with different seeds have different random numbers.
   */
  readonly noise: number;
}

/** The largest seed of an item is 1 less. */
const SEEDS = 2 ** 32;

/**
 * Makes the item of a structure. Its results and the progress of earlier runs, its edges and its `info` are not part of
 * the item.
 *
 * @param seed a whole number 0 … 2³² − 1
 * @throws {RangeError} if the seed is invalid
 *
 * @example
 * ```ts
 * import { fcc } from "@hooke/hooke/batch";
 * import { makeItem, readRecipe } from "@hooke/hooke/campaign";
 * import { assertEquals, assertNotEquals } from "@std/assert";
 *
 * const recipe = await readRecipe({
 *   model: { pair: "lennardJones", options: { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 } },
 *   stages: [{ stage: "relax" }],
 * });
 * const crystal = fcc({ element: "Ar", a: 5.3 });
 * const { id } = await makeItem(crystal, recipe);
 * assertEquals((await makeItem(crystal, recipe)).id, id);
 * assertNotEquals((await makeItem(crystal, recipe, 1)).id, id);
 * ```
 */
export async function makeItem(
  system: System,
  recipe: Pick<CheckedRecipe, "hash" | "modelHash">,
  seed: number = 0,
): Promise<CampaignItem> {
  checkNumber("make an item", "seed", seed, wholeFrom(0));
  if (seed >= SEEDS) {
    throw new RangeError(`Cannot make an item: seed must be below 2³²; got ${seed}`);
  }
  return await makeItemOfText(structureText(inputOf(system)), recipe, seed);
}

/** Makes an item from the canonical text of its structure. */
export async function makeItemOfText(
  input: string,
  { hash, modelHash }: Pick<CheckedRecipe, "hash" | "modelHash">,
  seed: number,
): Promise<CampaignItem> {
  const inputHash = await sha256Hex(input);
  const id = await sha256Hex(
    ["hooke item 1", inputHash, hash, seed, modelHash, versions().hooke].join("\n"),
  );
  const noise = (parseInt(inputHash.slice(0, 8), 16) + Math.imul(seed, 0x9e3779b1)) & 0x7fffffff;
  return { id, input, seed, noise };
}

/**
 * Returns whether plain data is an item of a recipe: its id belongs to its structure and seed. Data from another process,
 * such as a message of a queue, should be checked.
 *
 * @example
 * ```ts
 * import { fcc } from "@hooke/hooke/batch";
 * import { isItem, makeItem, readRecipe } from "@hooke/hooke/campaign";
 * import { assert } from "@std/assert";
 *
 * const recipe = await readRecipe({
 *   model: { pair: "lennardJones", options: { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 } },
 *   stages: [{ stage: "relax" }],
 * });
 * const item = await makeItem(fcc({ element: "Ar", a: 5.3 }), recipe);
 * assert(await isItem(item, recipe));
 * assert(!await isItem({ ...item, seed: 7 }, recipe));
 * ```
 */
export async function isItem(
  data: unknown,
  recipe: Pick<CheckedRecipe, "hash" | "modelHash">,
): Promise<boolean> {
  if (!isObject(data)) return false;
  const { id, input, seed, noise } = data;
  if (typeof input !== "string" || !isCount(seed) || seed >= SEEDS) return false;
  const made = await makeItemOfText(input, recipe, seed);
  if (made.id !== id || made.noise !== noise) return false;
  try {
    return structureText(structureOf(input)) === input;
  } catch {
    return false;
  }
}
