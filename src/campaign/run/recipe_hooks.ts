/**
 * Hooks of recipes.
 *
 * @module
 */

import { addressOf } from "../../config/hooks/module_address.ts";
import { isModule, loadHook, partsOf } from "../../config/hooks/hook_module.ts";
import type { HookReference } from "../recipe/references.ts";
import type { CheckedRecipe } from "../recipe/recipe.ts";
import { hashModule } from "./module_hash.ts";

/** Permissions of a process for the hooks of recipes. */
export interface HookPermissions {
  /** Hooks by name: functions that get the options of the recipe, and return a new hook. @default {} */
  readonly hooks?: Readonly<Record<string, (options: Readonly<Record<string, unknown>>) => object>>;
  /**
   * Modules that a recipe may name. Importing a module runs it, so the default allows none. `"folder"` allows files in
   * the folder of `base` or below it, and `"any"` all files. In each case the file must have the hash in the recipe.
   *
   * @default "none"
   */
  readonly modules?: "none" | "folder" | "any";
  /** Base of relative paths of modules. @default the current directory */
  readonly base?: string | URL;
}

/**
 * Returns a function that makes the hooks of a recipe, new ones for each engine. Modules are checked and loaded before.
 *
 * @throws {TypeError} if the process does not allow a module
 * @throws {RangeError} if a name is not known
 * @throws {Error} if a module has another hash than the recipe states, or cannot be loaded
 */
export async function openHooks(
  { hooks: wanted }: Pick<CheckedRecipe, "hooks">,
  permissions: HookPermissions,
): Promise<() => Promise<object[]>> {
  const makers: (() => object | Promise<object>)[] = [];
  for (const [i, reference] of wanted.entries()) {
    makers.push(await makerOf(reference, `hooks[${i}].hook`, permissions));
  }
  return async () => {
    const made: object[] = [];
    for (const make of makers) made.push(await make());
    return made;
  };
}

async function makerOf(
  reference: HookReference,
  path: string,
  { hooks = {}, modules = "none", base }: HookPermissions,
): Promise<() => object | Promise<object>> {
  const { hook, options = {}, sha256 } = reference;
  if (!isModule(hook)) {
    if (!Object.hasOwn(hooks, hook)) {
      const known = Object.keys(hooks).join(", ") || "none";
      throw new RangeError(
        `Cannot open the recipe: ${path} must be one of the hooks that this process knows (${known}); got ${hook}`,
      );
    }
    return () => hooks[hook]!(options);
  }
  if (modules === "none") {
    throw new TypeError(
      `Cannot open the recipe: ${path} is the module ${hook}, and this process allows no modules. ` +
        "Allow them only for recipes that you trust like the program itself",
    );
  }
  const address = addressOf(hook, path, { base, policy: modules });
  const { hash: found, imports } = await hashModule(new URL(address));
  if (found !== sha256) {
    throw new Error(
      `Cannot open the recipe: the SHA-256 of ${
        partsOf(hook)[0]
      } must be ${sha256}, as the recipe states; got ${found}`,
    );
  }
  assertUnchanged(imports, partsOf(hook)[0]);
  // An address of its own: the runtime would return the module that an earlier recipe has loaded from this file.
  const own = new URL(address);
  own.searchParams.set("sha256", found);
  return () => loadHook(hook, options, { address: own.href, path });
}

/** Hashes of the files that modules of recipes have imported. The runtime keeps each as it was first. */
const imported = new Map<string, string>();

/** Throws an Error if a module imports a file that has changed since this process has loaded it. */
function assertUnchanged(imports: ReadonlyMap<string, string>, module: string): void {
  for (const [address, hash] of imports) {
    const first = imported.get(address);
    if (first !== undefined && first !== hash) {
      throw new Error(
        `Cannot open the recipe: ${address}, which ${module} imports, has changed since this process has ` +
          "loaded it. Start the process again",
      );
    }
    imported.set(address, hash);
  }
}
