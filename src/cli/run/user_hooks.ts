/**
 * Hooks from modules of the user.
 *
 * @module
 */

import { loadHook, partsOf } from "../../config/hooks/hook_module.ts";
import { builtin } from "../../platform/process.ts";

/**
 * Loads the hooks that `--hooks` names. `FILE.ts` is the default export of a module and `FILE.ts#NAME` another one:
 * a hook, a class of hooks, or a function that returns a hook.
 */
export async function userHooks(specs: readonly string[]): Promise<readonly object[]> {
  const { pathToFileURL } = builtin("node:url"), { resolve } = builtin("node:path");
  const hooks: object[] = [];
  for (const spec of specs) {
    const [path] = partsOf(spec);
    const address = pathToFileURL(resolve(path)).href;
    hooks.push(await loadHook(spec, {}, { address, path: "--hooks" }));
  }
  return hooks;
}
