/**
 * Recipes: pipelines for structures, as plain data.
 *
 * @module
 */

import { canonicalText } from "../../base/canonical_json.ts";
import { checkKeys } from "../../base/check_options.ts";
import { isObject } from "../../base/object.ts";
import { show } from "../../base/show.ts";
import { sha256Hex } from "../item/sha256.ts";
import {
  type HookReference,
  type ModelReference,
  type OnnxReference,
  readHooks,
  readModel,
} from "./references.ts";
import { type FullStage, readStages, type RecipeStage } from "./stages.ts";

/** Version of the format of recipes. */
const VERSION = 1;

/** The pipeline that a campaign runs for each structure. A recipe is plain data, so that it can be sent to other machines. */
export interface Recipe {
  /** Version of the format. @default 1 */
  readonly version?: number;
  /** The model, which computes energies and forces. */
  readonly model: ModelReference;
  /** Stages, in order. Each begins with the structure that the one before has left. */
  readonly stages: readonly RecipeStage[];
  /**
   * Hooks of all engines of the recipe. With hooks, each structure is computed in a batch of its own, because a hook
   * sees all systems of a batch. @default []
   */
  readonly hooks?: readonly HookReference[];
  /**
   * Fields of the final structure that are stored besides its atoms, positions, cell and periodicity: any of
   * `"forces"`, `"stress"` and `"velocities"`. @default []
   */
  readonly outputs?: readonly ("forces" | "stress" | "velocities")[];
}

/** A recipe that was checked, with all defaults and its hash. `readRecipe` makes it. */
export interface CheckedRecipe {
  /** Version of the format. */
  readonly version: 1;
  /** The model. */
  readonly model: ModelReference;
  /** Stages, in order. */
  readonly stages: readonly FullStage[];
  /** Hooks of all engines. */
  readonly hooks: readonly HookReference[];
  /** Fields of the final structure that are stored, in addition to those of every result. */
  readonly outputs: readonly string[];
  /** SHA-256 of the recipe's canonical JSON, with all defaults and without paths of files, in hexadecimal. */
  readonly hash: string;
  /** SHA-256 of the model's file, or of the canonical JSON of a pair potential, in hexadecimal. */
  readonly modelHash: string;
}

const MEMBERS = ["version", "model", "stages", "hooks", "outputs"];
const OUTPUTS = ["forces", "stress", "velocities"];
const ACTION = "read the recipe";

/**
 * Checks a recipe, fills in its defaults, and computes its hash. Recipes that do the same have the same hash, whatever
 * the order of their members, and wherever the files of their models and hooks are. It needs no file.
 *
 * @param recipe plain data, such as the result of `JSON.parse`
 * @throws {TypeError} for an unknown member, or a value of the wrong kind; the message has its path in the recipe
 * @throws {RangeError} for a value that is out of range, or a newer version of the format
 *
 * @example
 * ```ts
 * import { readRecipe } from "@hooke/hooke/campaign";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * const model = { pair: "lennardJones", options: { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 } } as const;
 * const recipe = await readRecipe({ model, stages: [{ stage: "relax" }] });
 * const same = await readRecipe({ stages: [{ fmax: 0.05, stage: "relax" }], model });
 * assertEquals(recipe.hash, same.hash);
 * await assertRejects(() => readRecipe({ model, stages: [{ stage: "relaxx" }] }), RangeError, "relax?");
 * ```
 */
export async function readRecipe(recipe: unknown): Promise<CheckedRecipe> {
  if (!isObject(recipe)) {
    throw new TypeError(`Cannot ${ACTION}: it must be an object; got ${show(recipe)}`);
  }
  checkKeys(ACTION, "its members", recipe, MEMBERS);
  const { version = VERSION, hooks = [], outputs = [] } = recipe;
  if (version !== VERSION) {
    throw new RangeError(
      `Cannot ${ACTION}: version must be ${VERSION}; got ${
        show(version)
      }. A newer version needs a newer Hooke`,
    );
  }
  const model = readModel(ACTION, recipe.model);
  const stages = readStages(ACTION, recipe.stages);
  const read = {
    version: 1 as const,
    model,
    stages,
    hooks: readHooks(ACTION, hooks),
    outputs: readOutputs(outputs),
  };
  canonicalText(read, "recipe"); // throws for values that are not plain data, such as NaN
  return {
    ...read,
    hash: await sha256Hex(canonicalText(withoutPaths(read), "recipe")),
    modelHash: "onnx" in model ? model.sha256 : await sha256Hex(canonicalText(model, "model")),
  };
}

/**
 * Returns a recipe as it can be stored and read again: without its hashes.
 *
 * @example
 * ```ts
 * import { readRecipe, recipeData } from "@hooke/hooke/campaign";
 * import { assertEquals } from "@std/assert";
 *
 * const recipe = await readRecipe({
 *   model: { pair: "lennardJones", options: { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 } },
 *   stages: [{ stage: "relax" }],
 * });
 * const copy = await readRecipe(JSON.parse(JSON.stringify(recipeData(recipe))));
 * assertEquals(copy.hash, recipe.hash);
 * ```
 */
export function recipeData(
  { version, model, stages, hooks, outputs }: CheckedRecipe,
): Omit<CheckedRecipe, "hash" | "modelHash"> {
  return { version, model, stages, hooks, outputs };
}

/** Returns a recipe without the paths of files, whose hashes say what they are. */
function withoutPaths(recipe: Omit<CheckedRecipe, "hash" | "modelHash">): object {
  const { model, hooks } = recipe;
  return {
    ...recipe,
    model: "onnx" in model ? modelWithoutPaths(model) : model,
    hooks: hooks.map((hook) =>
      hook.sha256 === undefined ? hook : { ...hook, hook: hook.hook.replace(/^[^#]*/, "") }
    ),
  };
}

function modelWithoutPaths(model: OnnxReference): object {
  const { options = {} } = model, { manifest, ...others } = options;
  // The hash of the model covers its manifest.
  return { ...model, onnx: undefined, options: typeof manifest === "string" ? others : options };
}

function readOutputs(outputs: unknown): readonly string[] {
  if (!Array.isArray(outputs)) {
    throw new TypeError(`Cannot ${ACTION}: outputs must be a list; got ${show(outputs)}`);
  }
  const unknown: unknown = outputs.find((one) => !OUTPUTS.includes(one));
  if (unknown !== undefined) {
    throw new RangeError(
      `Cannot ${ACTION}: outputs must be among ${OUTPUTS.join(", ")}; got ${show(unknown)}`,
    );
  }
  return OUTPUTS.filter((one) => outputs.includes(one));
}
