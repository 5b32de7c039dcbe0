/** Members of Node's `process` that are used here. */
export interface Process {
  readonly getBuiltinModule?: (name: string) => unknown;
  cwd(): string;
}

/** Returns a built-in module of Node, which Deno and Bun have as well; `undefined` in a web page. */
export function findBuiltin<Module>(name: string): Module | undefined {
  return findProcess()?.getBuiltinModule?.(name) as Module | undefined;
}

/**
 * Returns Node's `process`; `undefined` in a web page. `node:process` is not imported, because bundles for web pages
 * have no such module.
 */
export function findProcess(): Process | undefined {
  const { process } = globalThis as unknown as { readonly process?: Process };
  return process?.getBuiltinModule === undefined ? undefined : process;
}
