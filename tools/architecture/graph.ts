/** Imports of each file, types included. Files are paths from the package's root. */
export interface ImportGraph {
  /** File → the files it imports. */
  files: ReadonlyMap<string, readonly string[]>;
  /** File → the packages and built-in modules it imports. */
  packages: ReadonlyMap<string, readonly string[]>;
}

/** The part of `deno info --json` that matters here. */
export interface ModuleInfo {
  specifier: string;
  error?: string;
  dependencies?: Array<{
    specifier: string;
    code?: { specifier?: string; error?: string };
    type?: { specifier?: string; error?: string };
    /** True if the import is a call, which loads the file when it runs. */
    isDynamic?: boolean;
  }>;
}

/** Loads the import graph that begins at these files. */
export async function loadGraph(root: URL, files: readonly string[]): Promise<ImportGraph> {
  return toGraph(root, await loadModules(root, files));
}

/** Asks `deno info` about all `files` at once, through one throw-away module that imports them. */
export async function loadModules(root: URL, files: readonly string[]): Promise<ModuleInfo[]> {
  const folder = await Deno.makeTempDir();
  try {
    const entry = `${folder}/entry.ts`;
    const imports = files.map((file) => `import ${JSON.stringify(new URL(file, root).href)};`);
    await Deno.writeTextFile(entry, imports.join("\n"));
    const config = decodeURIComponent(new URL("deno.json", root).pathname);
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", "--config", config, entry],
    }).output();
    if (!success) throw new Error(`deno info failed: ${new TextDecoder().decode(stderr)}`);
    return JSON.parse(new TextDecoder().decode(stdout)).modules;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Keeps the modules under `root`, and splits what they import into files and packages. */
export function toGraph(root: URL, modules: readonly ModuleInfo[]): ImportGraph {
  const files = new Map<string, string[]>();
  const packages = new Map<string, string[]>();
  for (const { specifier, dependencies = [], error } of modules) {
    if (!specifier.startsWith(root.href)) continue;
    const from = pathIn(root, specifier);
    if (error !== undefined) throw new Error(`${from} cannot be loaded: ${error}`);
    const missing = dependencies.flatMap((each) => [each.code?.error, each.type?.error])
      .find((reason) => reason !== undefined);
    if (missing) throw new Error(`${from} has an import that leads nowhere: ${missing}`);
    const inside = dependencies.filter((each) =>
      !isPackage(each.specifier) || isOwn(each.specifier)
    )
      .flatMap((each) => [each.code?.specifier, each.type?.specifier]);
    files.set(from, filesAmong(root, inside));
    packages.set(from, dependencies.map((each) => each.specifier).filter(isPackage));
  }
  return { files, packages };
}

function filesAmong(root: URL, specifiers: ReadonlyArray<string | undefined>): string[] {
  const inside = specifiers.filter((each) => each?.startsWith(root.href)) as string[];
  return [...new Set(inside.map((each) => pathIn(root, each)))];
}

function pathIn(root: URL, specifier: string): string {
  return decodeURIComponent(specifier.slice(root.href.length));
}

/** Examples import the package by its name, as a user would. */
function isOwn(specifier: string): boolean {
  return /^@hooke\/hooke(\/|$)/.test(specifier);
}

/** A package stays one when a stand-in for it happens to lie under the root. */
function isPackage(specifier: string): boolean {
  return !/^(\.{0,2}\/|file:|data:)/.test(specifier);
}
