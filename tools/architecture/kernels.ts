/** A kernel that is not in all its places. An exception is a decision, so its reason is written down. */
export interface KernelException {
  kernel: string;
  place: KernelPlace;
  reason: string;
}

/** Place of a kernel in addition to its definition in src/kernels. */
export type KernelPlace = "shader" | "wasm" | "test" | "bench";

/** Files that the rule reads. */
export interface KernelTree {
  /** All files of the project, as paths from its root. */
  files: readonly string[];
  /** The text of a file. */
  read(path: string): string;
}

/**
 * One kernel, one name, five places: `src/kernels/family/x.ts` (its meaning), `src/backend/webgpu/shaders/family/x.ts`,
 * a `fn x(` in `wasm/src/family.rs` or `wasm/src/family/`, a test and a bench that name it. A kernel is a file of
 * src/kernels that defines one.
 * Shaders are asked for as soon as there is one. Returns what is missing, and exceptions that no longer are.
 */
export function findIncompleteKernels(
  tree: KernelTree,
  exceptions: readonly KernelException[] = [],
): string[] {
  const kernels = kernelPlaces(tree);
  const shaders = tree.files.some((file) => SHADER.test(file)) ? ["shader"] as const : [];
  const missing = [...kernels].flatMap(([kernel, path]) =>
    ([...shaders, "wasm", "test", "bench"] as const)
      .filter((place) => !isIn(tree, { kernel, path }, place))
      .map((place) => ({ kernel, place }))
  );
  const isExcused = (one: { kernel: string; place: KernelPlace }) =>
    exceptions.some(({ kernel, place }) => kernel === one.kernel && place === one.place);
  const stale = exceptions.filter(({ kernel, place }) =>
    !missing.some((one) => one.kernel === kernel && one.place === place)
  );
  return [
    ...missing.filter((one) => !isExcused(one)).map(({ kernel, place }) =>
      `kernel ${kernel} has no ${place}`
    ),
    ...stale.map(({ kernel, place }) => `kernel ${kernel} is excused from a ${place} without need`),
    ...strays(tree.files, kernels),
  ];
}

const SHADER = /^src\/backend\/webgpu\/shaders\/(?:[a-z]+\/)?(?!mod\.ts)([a-z0-9_]+)\.ts$/;

/** Returns each kernel with its place below src/kernels: "integrate/drift". */
function kernelPlaces({ files, read }: KernelTree): Map<string, string> {
  const kernels = new Map<string, string>();
  for (const file of files) {
    const [, place] = /^src\/kernels\/((?:[a-z]+\/)?[a-z0-9_]+)\.ts$/.exec(file) ?? [];
    if (place === undefined || !/^(?! \*).*\bdefineKernel\(\s*"/m.test(read(file))) continue;
    kernels.set(place.split("/").at(-1)!, place);
  }
  return kernels;
}

function isIn(
  { files, read }: KernelTree,
  { kernel, path }: { readonly kernel: string; readonly path: string },
  place: KernelPlace,
): boolean {
  const mentions = (pattern: RegExp, word: RegExp) =>
    files.some((file) => pattern.test(file) && word.test(read(file)));
  switch (place) {
    case "shader":
      return files.includes(`src/backend/webgpu/shaders/${path}.ts`);
    case "wasm":
      return mentions(rustFiles(path), new RegExp(`\\bfn ${kernel}\\b`));
    case "test":
      return mentions(/^tests\/.*_test\.ts$/, named(kernel));
    case "bench":
      return mentions(/^bench\/.*\.ts$/, named(kernel));
  }
}

/** The Rust files of a kernel's family, or the one of a kernel that belongs to no family. */
function rustFiles(path: string): RegExp {
  const [family] = path.split("/");
  return new RegExp(`^wasm/src/${family}(?:\\.rs|/.*\\.rs)$`);
}

/** Its name, as text or as it is imported: drift_far, driftFar. */
function named(kernel: string): RegExp {
  const imported = kernel.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return new RegExp(`\\b(?:${kernel}|${imported})\\b`);
}

/** Returns faults of shaders without a kernel of the same name, because the meaning of such a shader is not defined. */
function strays(files: readonly string[], kernels: ReadonlyMap<string, string>): string[] {
  return files.map((file) => SHADER.exec(file)?.[1])
    .filter((name) => name !== undefined && !kernels.has(name))
    .map((name) => `shader ${name} has no kernel`);
}

/**
 * Pair potentials are written as an expression, in one file each, and need no kernel of their own on any backend. Returns
 * those that src/models/pair/mod.ts does not export or no test names, and kernels in Rust that are neither the kernel of a
 * file in src/kernels nor a pair potential of that name written by hand.
 */
export function findIncompletePotentials(tree: KernelTree): string[] {
  const { files, read } = tree;
  const potentials = files.filter((file) =>
    /^src\/models\/pair\/(?!pair_potential\.ts)[a-z0-9_]+\.ts$/.test(file) &&
    /\bpairPotential(?:Of)?\(/.test(read(file).replaceAll(/^ \*.*$/gm, ""))
  ).map((file) => file.slice("src/models/pair/".length, -".ts".length));
  const exported = read("src/models/pair/mod.ts");
  const kernels = kernelPlaces(tree);
  const byHand = [...read("wasm/src/kernels.rs").matchAll(/\("([a-z0-9_]+)", /g)]
    .map(([, name]) => name!)
    .filter((name) => !kernels.has(name));
  return [
    ...potentials.filter((name) => !exported.includes(`"./${name}.ts"`))
      .map((name) => `pair potential ${name} is not exported`),
    ...potentials.filter((name) => !isIn(tree, { kernel: name, path: name }, "test"))
      .map((name) => `pair potential ${name} has no test`),
    ...byHand.filter((name) =>
      !new RegExp(`pairPotentialOf\\(\\s*"${name}"`).test(read(`src/models/pair/${name}.ts`))
    ).map((name) => `kernel ${name} in Rust has no meaning in TypeScript`),
  ];
}
