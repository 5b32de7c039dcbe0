/**
 * Loading of hooks from users' modules.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import { isObject, type Members } from "../../base/object.ts";
import { isClass, show } from "../../base/show.ts";
import { wrong } from "../json_schema.ts";

/**
 * Loads the export that `"./my_hooks.ts#MyHook"` names, and creates a hook from it. A class is called with `new`, a
 * function without; an object is the hook itself. Without `#` the default export is used.
 *
 * @param spec the module as the configuration names it; `address` is its resolved address
 * @throws {TypeError} if the export is not a hook, a class or a function, or if it is a hook and options are given
 * @throws {RangeError} if the module does not have the export
 * @throws {Error} if the module cannot be loaded, with its error as the cause
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
      wrong(
        path,
        `one of the exports of ${from} (${names.join(", ") || "which has no exports"})`,
        name,
      ) +
        didYouMean(name, names),
    );
  }
  // Without options nothing is passed, so that the defaults of a constructor apply.
  const given = Object.keys(options).length === 0 ? [] : [options];
  const hook: unknown = isClass(made)
    ? new (made as new (...options: unknown[]) => object)(...given)
    : typeof made === "function"
    ? (made as (...options: unknown[]) => unknown)(...given)
    : made;
  if (!isObject(hook)) throw new TypeError(wrong(path, "a class, function or hook", made));
  if (hook !== made || given.length === 0) return hook;
  throw new TypeError(wrong(path, "a class or function if it has options", made));
}

/** Splits a module spec: `"./my_hooks.ts#MyHook"` becomes `["./my_hooks.ts", "MyHook"]`. */
export function partsOf(spec: string): [from: string, name: string] {
  const at = spec.lastIndexOf("#");
  return at === -1 ? [spec, "default"] : [spec.slice(0, at), spec.slice(at + 1)];
}

/**
 * Returns the bare name of the hook in a module spec: the name after `#`, or the file name without its extension for
 * the default export.
 */
export function bareName(spec: string): string {
  const [from, name] = partsOf(spec);
  return name === "default" ? from.replace(/^.*\//, "").replace(/\.\w+$/, "") : name;
}

/** Returns whether a spec names a module. Otherwise it names a hook in the registry. */
export function isModule(spec: string): boolean {
  return /[#:/]/.test(spec);
}

async function load(address: string, spec: string, path: string): Promise<Members> {
  try {
    return await import(address) as Members;
  } catch (cause) {
    throw new Error(
      `Cannot configure hooks: the module of ${path}, ${show(spec)}, did not load: ${
        cause instanceof Error ? cause.message : show(cause)
      }`,
      { cause },
    );
  }
}
