/** Members of Node's `process` that this package uses. */
export interface Process {
  readonly getBuiltinModule?: (name: string) => unknown;
  readonly versions?: { readonly node?: string; readonly v8?: string };
  readonly pid: number;
  readonly platform: string;
  readonly arch: string;
  cwd(): string;
  /** Id of the user; undefined on Windows. */
  readonly getuid?: () => number;
  readonly memoryUsage?: () => { readonly rss: number };
}

/** Built-in modules of Node that this package uses, by name. Deno and Bun have them as well. */
export interface Builtins {
  readonly "node:child_process": typeof import("node:child_process");
  readonly "node:crypto": typeof import("node:crypto");
  readonly "node:fs": typeof import("node:fs");
  readonly "node:fs/promises": typeof import("node:fs/promises");
  readonly "node:http": typeof import("node:http");
  readonly "node:net": typeof import("node:net");
  readonly "node:os": typeof import("node:os");
  readonly "node:path": typeof import("node:path");
  readonly "node:sqlite": typeof import("node:sqlite");
  readonly "node:tls": typeof import("node:tls");
  readonly "node:url": typeof import("node:url");
  readonly "node:worker_threads": typeof import("node:worker_threads");
  readonly "node:zlib": typeof import("node:zlib");
}

/** Returns a built-in module of Node; `undefined` in a web page, or if the runtime does not have the module. */
export function findBuiltin<Name extends keyof Builtins>(name: Name): Builtins[Name] | undefined {
  return findProcess()?.getBuiltinModule?.(name) as Builtins[Name] | undefined;
}

/**
 * Returns a built-in module of Node. The module is looked up instead of imported, because bundles for web pages have
 * no such module.
 *
 * @throws {TypeError} if the runtime does not have the module, as in a web page
 */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] {
  const module = findBuiltin(name);
  if (module === undefined) {
    throw new TypeError(`Cannot load ${name}: this runtime has no such module`);
  }
  return module;
}

/**
 * Returns Node's `process`; `undefined` in a web page. `node:process` is not imported, because bundles for web pages
 * have no such module.
 */
export function findProcess(): Process | undefined {
  const { process } = globalThis as unknown as { readonly process?: Process };
  return process?.getBuiltinModule === undefined ? undefined : process;
}

/**
 * Calls a function while `process.env` has no variables. Some packages read variables for their debugging, and Deno
 * throws when a program without `--allow-env` reads one.
 */
export function withoutVariables<Result>(work: () => Result): Result {
  const process = findProcess() as { env: unknown } | undefined;
  if (process === undefined) return work();
  const { env } = process;
  process.env = {};
  try {
    return work();
  } finally {
    process.env = env;
  }
}

/**
 * Returns a variable of the environment; `undefined` if it is not set, or the program has no permission to read it, or
 * in a web page.
 */
export function findVariable(name: string): string | undefined {
  const process = findProcess() as
    | { readonly env?: Readonly<Record<string, string | undefined>> }
    | undefined;
  try {
    return process?.env?.[name];
  } catch {
    return undefined; // Deno throws without --allow-env
  }
}

/** Returns the memory that the process occupies, bytes; `undefined` in a web page. */
export function residentMemory(): number | undefined {
  return findProcess()?.memoryUsage?.().rss;
}

/** Returns whether the runtime is Node, Deno or Bun. */
export function isServer(): boolean {
  return isDeno() || typeof findProcess()?.versions?.node === "string";
}

/** Returns whether the runtime is Deno. It does not use `process`, which Deno loads at the first use. */
export function isDeno(): boolean {
  const { Deno: deno } = globalThis as unknown as {
    readonly Deno?: { readonly version?: unknown };
  };
  return deno?.version !== undefined;
}
