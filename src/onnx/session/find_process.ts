/** Members of Node's `process` that are used here. */
export interface Process {
  readonly getBuiltinModule?: (name: string) => unknown;
  cwd(): string;
}

/** Node's `process`. Not `import`: a page that bundles this has no file system, and need not pretend to. */
export function findProcess(): Process | undefined {
  const { process } = globalThis as unknown as { readonly process?: Process };
  return process?.getBuiltinModule === undefined ? undefined : process;
}
