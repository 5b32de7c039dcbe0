/**
 * Divides the test suite into shares: what one process of `deno test` runs, file after file.
 *
 * @module
 */

/** Files and folders that one process is given. */
export interface Share {
  /** The name shown to the user. */
  readonly name: string;
  readonly paths: readonly string[];
  /** True if the examples in these files are run instead of the tests. */
  readonly isDocs: boolean;
}

/** The suites: tests and examples for every day, the slow tests, or both. */
export type Suite = "fast" | "slow" | "all";

/**
 * Files per share, at most. Each process loads, compiles and optimizes Hooke, onnxruntime and the kernels of a GPU anew,
 * which takes more than a second of processor time. A long share at the end leaves the other cores idle, and slow files
 * take minutes each.
 */
const SIZES = { fast: 20, slow: 8, all: 8 } as const satisfies Record<Suite, number>;

/** Rooms that take longest come first, so that no long share is left for the end. */
const FIRST = [
  "README.md",
  "mod.ts",
  "tests/models/",
  "tests/npm/",
  "tests/dynamics/",
  "tests/sinks/",
  "tests/physics/",
  "tests/onnx/",
  "tests/backend/",
  "tests/kernels/",
  "tests/examples/",
  "tests/e2e/",
  "tests/docs/",
  "tests/training/",
  "tests/cli/",
  "tests/testing/",
];

/**
 * Divides files into shares, those that take longest first.
 *
 * Tests of one folder are kept together. A file named `…_apart_test.ts` or `…_apart_slow_test.ts` has a process of its
 * own. The examples of all pages run in one process, and those of all modules in another.
 *
 * @param files all files of the project, as paths from its root
 * @param suite which of them to run
 * @param isDivided whether the fast suite runs a part of a file, and the slow one the rest
 */
export function sharesOf(
  files: readonly string[],
  suite: Suite,
  isDivided: (file: string) => boolean,
): Share[] {
  const tests = files.filter((file) =>
    /_test\.ts$/.test(file) && (isDivided(file) || belongs(file, suite))
  );
  const shares = [...suite === "slow" ? [] : docShares(files), ...testShares(tests, SIZES[suite])];
  return shares
    .map((share, i) => ({ share, i, rank: rankOf(share) }))
    .sort((a, b) => a.rank - b.rank || a.i - b.i)
    .map(({ share }) => share);
}

function belongs(file: string, suite: Suite): boolean {
  return suite === "all" || /_slow_test\.ts$/.test(file) === (suite === "slow");
}

function rankOf({ paths: [path = ""] }: Share): number {
  const rank = FIRST.findIndex((room) => `${path}/`.startsWith(room));
  return rank === -1 ? FIRST.length : rank;
}

function testShares(tests: readonly string[], size: number): Share[] {
  const apart = tests.filter((file) => /_apart(_slow)?_test\.ts$/.test(file));
  const folders = Map.groupBy(
    tests.filter((file) => !apart.includes(file)),
    (file) => file.slice(0, file.lastIndexOf("/")),
  );
  const together = [...folders].flatMap(([folder, files]) => {
    const count = Math.ceil(files.length / size);
    return Array.from({ length: count }, (_, i): Share => ({
      name: count === 1 ? folder : `${folder} ${i + 1}/${count}`,
      // Every count-th file, as files beside each other in the alphabet are often alike and take long together.
      paths: files.filter((_, j) => j % count === i),
      isDocs: false,
    }));
  });
  return [
    ...together,
    ...apart.map((file): Share => ({ name: file, paths: [file], isDocs: false })),
  ];
}

function docShares(files: readonly string[]): Share[] {
  const pages = files.filter((file) => file.endsWith(".md"));
  const modules = files.filter((file) => /^(src\/.*|\w+)\.ts$/.test(file));
  return [
    { name: "examples in the pages", paths: pages, isDocs: true },
    { name: "examples in the modules", paths: modules, isDocs: true },
  ].filter(({ paths }) => paths.length > 0);
}
