/**
 * Addresses of the modules that a configuration names, and the policy that restricts them, because importing a module
 * runs it.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import { findHost } from "../../platform/host.ts";
import { isInFolder, realPathOf } from "../../platform/real_path.ts";
import { partsOf } from "./hook_module.ts";

/**
 * Modules that a configuration may name: files in its folder and below (`"folder"`), every module (`"any"`), or no
 * module (`"none"`).
 */
export type ModulePolicy = "folder" | "any" | "none";

/** Rules for the addresses of modules. */
export interface ModuleRules {
  /** Base of relative paths; undefined for the current directory. */
  readonly base: string | URL | undefined;
  readonly policy: ModulePolicy;
}

const POLICIES: readonly unknown[] = ["folder", "any", "none"];

/**
 * Returns the policy that the option `modules` asks for.
 *
 * @throws {RangeError} if the option is not one of the policies
 */
export function policyOfModules(modules: unknown = "folder"): ModulePolicy {
  if (POLICIES.includes(modules)) return modules as ModulePolicy;
  throw new RangeError(`modules must be "folder", "any" or "none"; got ${show(modules)}`);
}

/**
 * Returns the address from which a module of a configuration is imported.
 *
 * @throws {TypeError} if the policy does not allow the module, or if its path is relative and the folder is unknown
 */
export function addressOf(spec: string, path: string, { base, policy }: ModuleRules): string {
  const [from] = partsOf(spec), folder = folderOf(base);
  if (policy === "none") {
    throw new TypeError(`${path} must be the name of a registered hook; got ${show(spec)}`);
  }
  const isPath = /^\.{0,2}\//.test(from);
  if (isPath && folder === undefined) {
    throw new TypeError(
      `${path} must not be a relative path if the folder of the configuration is unknown; got ${
        show(from)
      }. Pass { base: import.meta.url }`,
    );
  }
  const address = isPath ? new URL(from, folder) : URL.canParse(from) ? new URL(from) : undefined;
  if (policy === "any") return address?.href ?? from;
  if (address !== undefined && folder !== undefined && isInside(address, folder)) {
    return address.href;
  }
  throw new TypeError(
    `${path} must be a file in the folder of the configuration; got ${show(spec)}. ` +
      'Pass { modules: "any" } if you trust the configuration as you trust the program',
  );
}

function isInside(file: URL, folder: URL): boolean {
  if (file.protocol !== "file:" || folder.protocol !== "file:") return false;
  if (/%2f|%5c/i.test(file.pathname)) return false; // encoded path separators could leave the folder
  let real;
  try {
    real = realPathOf(file);
  } catch {
    // The file does not exist, or may not be read. The import reports the reason.
  }
  return real === undefined ? file.href.startsWith(folder.href) : isInFolder(real, folder);
}

function folderOf(base: string | URL | undefined): URL | undefined {
  const start = base === undefined ? currentFolder() : urlOf(base);
  return start === undefined || !URL.canParse("./", start.href) ? undefined : new URL("./", start);
}

function currentFolder(): URL | undefined {
  const host = findHost();
  return host === undefined ? undefined : urlOf(`${host.cwd()}/`);
}

/** Returns the URL of an address or of a file path. The path of a folder must end with a slash. */
function urlOf(base: string | URL): URL {
  if (base instanceof URL) return base;
  if (/^[a-z][a-z0-9+.-]+:/i.test(base)) return new URL(base);
  const here = findHost()?.cwd() ?? "";
  const absolute = base.startsWith("/") ? base : `${here}/${base}`;
  return new URL(absolute.split("/").map(encodeURIComponent).join("/"), "file:///");
}
