/** Runs of many steps block by block: all values are bitwise identical to a run of all systems together. */
import { assertEquals, assertGreater, assertRejects, assertStringIncludes } from "@std/assert";
import {
  type Buffer,
  call,
  type KernelCall,
  type Pairs,
  type SavedPairs,
} from "../../src/backend/mod.ts";
import { loadModule } from "../../src/backend/wasm/module.ts";
import { WasmBackend } from "../../src/backend/wasm/wasm_backend.ts";
import { Batch, fcc, initVelocities, rattle, System } from "../../src/batch/mod.ts";
import { ConvergenceHook, DivergedError, FIRE, NVE, NVTLangevin } from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { neighbors } from "../../src/kernels/pairs/neighbors.ts";
import { Lab } from "../../src/testing/lab.ts";
import { ARGON, assertSameBits, bitsOf } from "../dynamics/atoms.ts";

/** Atoms per block: one system, several systems, all systems. */
const BLOCKS = [1, 70, 1e6];
const STEPS = 150;

/** Options of an engine. */
interface Place {
  readonly model: typeof ARGON;
  readonly backend: WasmBackend;
}

/** Keeps the state of each list of pairs when it is freed, also after an error. */
class KeepingBackend extends WasmBackend {
  readonly kept: SavedPairs[] = [];

  override freePairs(pairs: Pairs): void {
    this.kept.push(this.savePairs(pairs));
    super.freePairs(pairs);
  }
}

/** Crystals of 8 to 32 atoms, which start at different distances from equilibrium. */
function crystals(count: number, temperature: number): Batch {
  const batch = Batch.from(Array.from({ length: count }, (_, i) => {
    const crystal = fcc({ element: "Ar", a: 5.26, cells: [2, 1 + i % 2, 1 + i % 3 % 2] });
    return rattle(crystal, 0.02 + 0.03 * (7 * i % 11), i);
  }));
  batch.ensure("status");
  initVelocities(batch, temperature, { seed: 1 });
  return batch;
}

/** Distance at which a position counts as diverged in periodic cells with an edge of 10.52 Å. */
const FARTHEST = 2 ** 20 * 10.52;

/** A crystal that diverges in this step of 2 fs. */
function flying(steps: number): System {
  const crystal = rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1);
  const { numbers, positions } = crystal;
  const velocities = new Float64Array(positions.length).fill(FARTHEST / (2 * steps - 1));
  return new System({ numbers, positions, cell: crystal.cell!, pbc: crystal.pbc!, velocities });
}

/** Results of a run: fields, what hooks and errors reported, and the state of the list of pairs. */
interface Result {
  readonly fields: Record<string, number[]>;
  readonly reports: readonly string[];
  readonly pairs: Record<string, number[]>;
}

type Run = (place: Place, reports: string[]) => Promise<Batch>;

/** Runs in blocks of each size, and compares all results. Returns the results, and the number of calls in blocks. */
async function assertSame(run: Run): Promise<Result & { readonly calls: number }> {
  const calls: number[] = [], results: Result[] = [];
  for (const blockAtoms of BLOCKS) {
    calls.push(await countCalls(async () => void results.push(await resultOf(run, blockAtoms))));
  }
  const together = results.at(-1)!;
  for (const [i, { fields, pairs, reports }] of results.entries()) {
    assertSameBits(fields, together.fields, `blocks of ${BLOCKS[i]} atoms:`);
    assertSameBits(pairs, together.pairs, `blocks of ${BLOCKS[i]} atoms:`);
    assertEquals(reports, together.reports);
  }
  assertEquals(calls.at(-1), 0, "one block has all systems");
  assertGreater(calls[1]!, 0);
  return { ...together, calls: calls[0]! };
}

async function resultOf(run: Run, blockAtoms: number): Promise<Result> {
  const backend = new KeepingBackend({ blockAtoms }), reports: string[] = [];
  const fields = bitsOf(await run({ model: ARGON, backend }, reports));
  assertEquals(backend.kept.length, 1);
  const { reference, images, cells, builds } = backend.kept[0]!;
  backend.dispose();
  return {
    fields,
    reports,
    pairs: {
      reference: [...reference],
      images: [...images],
      cells: [...cells],
      builds: [...builds],
    },
  };
}

/** Counts the calls that run in blocks. */
async function countCalls(work: () => Promise<void>): Promise<number> {
  const wasm = loadModule(), { run_blocks: run } = wasm;
  let count = 0;
  wasm.run_blocks = (...args) => {
    count++;
    return run(...args);
  };
  try {
    await work();
    return count;
  } finally {
    wasm.run_blocks = run;
  }
}

Deno.test("in blocks of any size, systems have the same bits, and their pairs are found in the same steps", async () => {
  const hot = { dt: 2, temperature: 4000, friction: 0.02, seed: 5 };
  const engines = [
    (place: Place) => new NVE({ ...place, dt: 2 }),
    (place: Place) => new NVTLangevin({ ...place, ...hot }),
  ];
  for (const make of engines) {
    const { pairs: { builds } } = await assertSame(async (place) => {
      await using engine = make(place);
      const batch = crystals(12, 4000);
      await engine.run(batch, STEPS);
      return batch;
    });
    assertGreater(Math.min(...builds!), 2);
    assertGreater(new Set(builds).size, 1, "not all systems in the same steps");
  }
});

Deno.test("a system that converges halts all blocks in the same step", async () => {
  const { reports, calls } = await assertSame(async (place, reports) => {
    const noting = hook({
      name: "noting",
      frequency: 1,
      reads: ["positions", "fmax"],
      on: {
        dynamics: {
          ON_CONVERGE({ read: { positions, fmax }, stepCount, convergedMask }) {
            const numbers = [stepCount, ...Array.from(convergedMask), ...fmax, ...positions];
            reports.push(numbers.join());
          },
        },
      },
    });
    const hooks = [ConvergenceHook.fromFmax(0.02), noting];
    await using engine = new FIRE({ ...place, dt: 0.3, hooks });
    const batch = crystals(12, 0);
    await engine.run(batch, 400);
    return batch;
  });
  assertGreater(reports.length, 4);
  assertGreater(calls, reports.length, "calls of several steps between those that halt");
});

Deno.test("a system that diverges ends the run of all systems in the same step", async () => {
  for (const [place, later] of [[11, 3], [0, 6]] as const) {
    const { reports, pairs } = await assertSame(async (options, reports) => {
      const systems = crystals(12, 8000).systems();
      systems[place] = flying(37);
      systems[later] = flying(41);
      const batch = Batch.from(systems);
      await using engine = new NVE({ ...options, dt: 2 });
      const { message } = await assertRejects(() => engine.run(batch, STEPS), DivergedError);
      reports.push(message);
      return batch;
    });
    assertStringIncludes(reports[0]!, `System ${place} diverged at step 36 `);
    assertGreater(Math.max(...pairs.builds!), 3, "blocks that went further had found pairs again");
  }
});

Deno.test("of two systems in different blocks that diverge in the same step, the first is reported", async () => {
  const { reports } = await assertSame(async (options, reports) => {
    const systems = crystals(12, 100).systems();
    for (const place of [4, 9]) systems[place] = flying(25);
    const batch = Batch.from(systems);
    await using engine = new NVE({ ...options, dt: 2 });
    const { message } = await assertRejects(() => engine.run(batch, STEPS), DivergedError);
    reports.push(message);
    return batch;
  });
  assertStringIncludes(reports[0]!, "System 4 diverged at step 24 ");
});

Deno.test("threads that share the work on a list of pairs do not run in blocks", async () => {
  for (const isShared of [false, true]) {
    const backend = new WasmBackend({ blockAtoms: 1 });
    using lab = new Lab(backend, [2, 2]);
    const pairs = backend.pairs(lab.frame, { cutoff: 5, skin: 1 });
    const share = backend.addFunction(3, () => {});
    if (isShared) backend.joinTeam(pairs, 0, { member: 0, size: 1, share });
    const calls = await countCalls(async () => {
      assertEquals(await lab.run([findPairs(lab, pairs)], 4), 4);
    });
    assertEquals(calls, isShared ? 0 : 1);
  }
});

Deno.test("a kernel that may change a buffer of unknown rows does not run in blocks, which could not restore it", async () => {
  for (const [spread, expected] of [["node", 1], [undefined, 0]] as const) {
    const backend = new WasmBackend({ blockAtoms: 1 });
    using lab = new Lab(backend, [2, 2]);
    const images = lab.i32(new Array(12).fill(0), spread);
    const pairs = backend.pairs(lab.frame, { cutoff: 5, skin: 1 });
    const calls = await countCalls(async () => {
      assertEquals(await lab.run([findPairs(lab, pairs, { images })], 4), 4);
    });
    assertEquals(calls, expected);
  }
});

/** Returns the call that finds the pairs of two systems of two atoms. */
function findPairs(lab: Lab, pairs: Pairs, optional: { images?: Buffer<"i32"> } = {}): KernelCall {
  return call(neighbors, {
    pairs,
    positions: lab.real([0, 0, 0, 3, 0, 0, 0, 0, 0, 3, 0, 0], "node"),
    cell: lab.real(new Array(18).fill(0), "system"),
    pbc: lab.i32(new Array(6).fill(0), "system"),
    ...optional,
  });
}
