/**
 * Hooks in modules of users.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import { isObject, type Members } from "../../base/object.ts";
import { isClass, show } from "../../base/show.ts";
import { wrong } from "../json_schema.ts";

/**
 * Loads what `"./my_hooks.ts#MyHook"` names, and makes a hook of it: a class is called with `new`, a function without,
 * an object is the hook. Without `#` it is the default export.
 *
 * @param spec the module as the configuration names it; `address` is where it is
 * @throws {TypeError} for an export that makes no hook
 * @throws {RangeError} for an export that there is not
 * @throws {Error} for a module that cannot be loaded, with its error as the cause
 */
export async function loadHook(
  spec: string,
  options: Members,
  { address, path }: { readonly address: string; readonly path: string },
): Promise<object> {
  const [from, name] = partsOf(spec);
  const members = await load(address, spec, path);
  const made: unknown = members[name];
  if (made === undefined) {
    const names = Object.keys(members);
    throw new RangeError(
      wrong(path, `among the exports of ${from} (${names.join(", ") || "none"})`, name) +
        didYouMean(name, names),
    );
  }
  // Without options the defaults of a constructor hold.
  const given = Object.keys(options).length === 0 ? [] : [options];
  const hook: unknown = isClass(made)
    ? new (made as new (...options: unknown[]) => object)(...given)
    : typeof made === "function"
    ? (made as (...options: unknown[]) => unknown)(...given)
    : made;
  if (!isObject(hook)) throw new TypeError(wrong(path, "a class, function or hook", made));
  if (hook !== made || given.length === 0) return hook;
  throw new TypeError(wrong(path, "a class or function, to be given options", made));
}

/** `"./my_hooks.ts#MyHook"` → `["./my_hooks.ts", "MyHook"]`. */
export function partsOf(spec: string): [from: string, name: string] {
  const at = spec.lastIndexOf("#");
  return at === -1 ? [spec, "default"] : [spec.slice(0, at), spec.slice(at + 1)];
}

/** What hook a module's is called: `"MyHook"`. */
export function bareName(spec: string): string {
  const [from, name] = partsOf(spec);
  return name === "default" ? from.replace(/^.*\//, "").replace(/\.\w+$/, "") : name;
}

/** Does it name a module, rather than a hook by its name? */
export function isModule(spec: string): boolean {
  return /[#:/]/.test(spec);
}

async function load(address: string, spec: string, path: string): Promise<Members> {
  try {
    return await import(address) as Members;
  } catch (cause) {
    throw new Error(
      `Cannot configure hooks: ${path} must be a module that can be loaded; got ${show(spec)}; ${
        cause instanceof Error ? cause.message : show(cause)
      }`,
      { cause },
    );
  }
}
