/**
 * Test cases that compare every kernel with its definition, and check common properties of all kernels.
 *
 * @module
 */

import type { Backend } from "../../backend/backend.ts";
import { ReferenceBackend } from "../../backend/reference/reference_backend.ts";
import { assertNear, assertSameBits } from "../assert_near.ts";
import type { TestCase } from "./test_case.ts";
import { KERNEL_TOLERANCES, type Tolerance } from "../tolerances.ts";
import type { Trial, Tried } from "../trial.ts";
import { TRIALS } from "../trials/trials.ts";
import { type Member, World, type WorldOptions } from "../world.ts";

/** Creates the backend under test. */
export type MakeBackend = () => Backend | Promise<Backend>;

/** Results by name: for each system, the list of its numbers. */
type Found = Readonly<Record<string, readonly (readonly number[])[]>>;

/** Adjacent systems of all sizes that are critical for lanes and workgroups, and many small systems. */
const RAGGED: readonly (readonly number[])[] = [
  [65, 0, 3, 64, 1, 63, 0, 1000, 2, 129],
  Array.from({ length: 130 }, (_, i) => i % 4),
];
/** Systems that are tested alone and in a batch: one of each kind, all active. */
const ALONE = [0, 1, 4, 6] as const;
const TOGETHER = [65, 3, 1, 64, 128, 5, 129];

/** Returns systems of these sizes with consecutive ids, beginning with `first`. */
function members(sizes: readonly number[], first = 0): Member[] {
  return sizes.map((size, i) => ({ size, id: first + i }));
}

/** Returns the cases of all kernels. */
export function kernelCases(open: MakeBackend, sizes: readonly number[]): TestCase[] {
  return Object.entries(TRIALS).flatMap(([name, trial]) => [
    {
      name: `${name} agrees with its definition, for one system of any size`,
      run: async () => {
        for (const size of sizes) await compare(open, name, members([size]));
      },
    },
    {
      name: `${name} agrees with its definition, for ragged batches`,
      run: async () => {
        for (const sizes of RAGGED) await compare(open, name, members(sizes));
      },
    },
    {
      name: `${name} does not change a bit of inactive systems`,
      run: () => restIn(open, name, trial),
    },
    {
      name: `${name} is bitwise reproducible, and identical for a system alone and in a batch`,
      run: () => aloneAndTogether(open, name, trial),
    },
  ]);
}

/** Kernels that use different code for few and for many systems. */
const MANY = [
  "kick",
  "fmax",
  "advance",
  "tethers",
  "neighbors",
  "triplets",
  "add_model",
  "check_finite",
];

/** Returns cases with large systems, which take long. */
export function largeKernelCases(open: MakeBackend): TestCase[] {
  return [
    ...Object.keys(TRIALS).map((name) => ({
      name: `${name} agrees with its definition, for 100,003 atoms`,
      run: () => compare(open, name, members([5, 100_003])),
    })),
    ...MANY.map((name) => ({
      name: `${name} agrees with its definition, for 70,000 systems`,
      run: () => compare(open, name, members(Array(70_000).fill(1))),
    })),
  ];
}

/** Throws if a backend differs from the TypeScript definition by more than `KERNEL_TOLERANCES` allows. */
async function compare(open: MakeBackend, name: string, systems: readonly Member[]): Promise<void> {
  const trial = TRIALS[name]!;
  const exact = await found(() => new ReferenceBackend(), trial, systems);
  const backend = await open();
  const { real } = backend;
  const fast = await found(() => backend, trial, systems);
  each(name, exact, systems, (look, s) => {
    const { part, scale, isSum } = KERNEL_TOLERANCES[name]?.[look] ?? noTolerance(name, look);
    const least = (scale ?? 0) * (isSum ? Math.max(1, systems[s]!.size) : 1);
    const allowed = real === "f64" ? Math.min(part, 1e-12) : part;
    assertNear(fast[look]![s]!, exact[look]![s]!, allowed, least);
  });
}

function noTolerance(kernel: string, look: string): Tolerance {
  throw new TypeError(
    `Cannot try kernel ${kernel}: KERNEL_TOLERANCES has no entry for its result ${look}`,
  );
}

async function found(
  open: MakeBackend,
  trial: Trial,
  systems: readonly Member[],
  options: WorldOptions = {},
  look: (world: World, tried: Tried) => Promise<void> = run,
): Promise<Found> {
  const world = new World(await open(), systems, options);
  try {
    const tried = trial(world);
    await look(world, tried);
    return await seen(world, tried);
  } finally {
    world.lab.backend.dispose();
  }
}

function run(world: World, { calls }: Tried): Promise<void> {
  return world.run(calls);
}

async function seen(world: World, { looks }: Tried): Promise<Found> {
  const found: Record<string, Found[string]> = {};
  for (const [name, look] of Object.entries(looks)) {
    found[name] = typeof look === "function" ? await look() : await world.read(look);
  }
  return found;
}

async function restIn(open: MakeBackend, name: string, trial: Trial): Promise<void> {
  const systems = members(TOGETHER, 1);
  let before: Found = {}, always: readonly string[] = [];
  const after = await found(open, trial, systems, { isAtRest: true }, async (world, tried) => {
    before = await seen(world, tried);
    always = tried.always ?? [];
    await run(world, tried);
  });
  each(name, before, systems, (look, s) => {
    if (!always.includes(look)) assertSameBits(after[look]![s]!, before[look]![s]!);
  });
}

async function aloneAndTogether(open: MakeBackend, name: string, trial: Trial): Promise<void> {
  const systems = members(TOGETHER);
  const together = await found(open, trial, systems);
  const again = await found(open, trial, systems);
  each(name, together, systems, (look, s) => assertSameBits(again[look]![s]!, together[look]![s]!));
  for (const s of ALONE) {
    const alone = await found(open, trial, [systems[s]!]);
    each(`${name} alone`, alone, [systems[s]!], (look) => {
      assertSameBits(alone[look]![0]!, together[look]![s]!);
    });
  }
}

/** Calls `check` for each result and each system. Errors name kernel, result and system. */
function each(
  name: string,
  looks: Found,
  systems: readonly Member[],
  check: (look: string, system: number) => void,
): void {
  for (const look of Object.keys(looks)) {
    for (const [s, { size }] of systems.entries()) {
      try {
        check(look, s);
      } catch (error) {
        const where = `${look} of system ${s}, of ${size} atoms, in a batch of ${systems.length}`;
        throw new Error(`${name}: ${where}: ${(error as Error).message}`, { cause: error });
      }
    }
  }
}
