/**
 * Structures and recipes of the tests of queues.
 *
 * @module
 */

import { fcc, rattle } from "../../../src/batch/crystal.ts";
import { makeItem } from "../../../src/campaign/item/item.ts";
import {
  type CheckedRecipe,
  readRecipe,
  type Recipe,
} from "../../../src/campaign/recipe/recipe.ts";
import type { LabeledItem } from "../../../src/campaign/queue/options.ts";

/** A relaxation and some dynamics of argon. */
export const RELAX_AND_HEAT: Recipe = {
  model: { pair: "lennardJones", options: { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 } },
  stages: [
    { stage: "relax", fmax: 0.02, steps: 200 },
    { stage: "md", steps: 50, temperature: 30, options: { dt: 2, friction: 0.01 } },
  ],
};

/** Returns items of crystals with atoms at random places. */
export async function crystals(
  count: number,
  recipe: CheckedRecipe,
  { cells = 1, seed = 0 }: { readonly cells?: number; readonly seed?: number } = {},
): Promise<LabeledItem[]> {
  return await Promise.all(
    Array.from({ length: count }, async (_, i) => ({
      item: await makeItem(rattle(fcc({ element: "Ar", a: 5.3, cells }), 0.1, seed + i), recipe),
      label: `argon ${i}`,
    })),
  );
}

/** Returns the recipe of {@linkcode RELAX_AND_HEAT}, or of other members. */
export function recipeOf(members: Partial<Recipe> = {}): Promise<CheckedRecipe> {
  return readRecipe({ ...RELAX_AND_HEAT, ...members });
}
