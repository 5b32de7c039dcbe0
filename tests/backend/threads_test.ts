/** Backends on threads: the suite of all backends, and what only they can get wrong. */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { type Backend, BackendUnavailableError, call, openThreads } from "../../src/backend/mod.ts";
import { partsOf } from "../../src/backend/threads/split.ts";
import { advance } from "../../src/kernels/integrate/advance.ts";
import { clear } from "../../src/kernels/clear.ts";
import { clipNorm } from "../../src/kernels/learn/clip_norm.ts";
import { drift } from "../../src/kernels/integrate/drift.ts";
import { graduate } from "../../src/kernels/converge/graduate.ts";
import { Control, type Kernel } from "../../src/kernels/kernel.ts";
import { neighbors } from "../../src/kernels/pairs/neighbors.ts";
import { Lab } from "../../src/testing/lab.ts";
import { few, test } from "../suite.ts";
import { kernelSources } from "./kernel_sources.ts";
import { threadedCases } from "./threads_cases.ts";

/** Threads that no case closes: starting workers takes longer than most cases do. */
const shared = openThreads(3), close = shared.dispose.bind(shared);
shared.dispose = () => {};
addEventListener("unload", close);

// In the fast suite all cases share their threads; in the slow one each case has its own.
for (const { name, run } of threadedCases(few(() => shared, () => openThreads(3)))) {
  Deno.test(`3 threads: ${name}`, run);
}

/** A backend that is given back. */
async function withThreads(
  threads: number,
  work: (backend: Backend) => void | Promise<void>,
  worker?: () => Worker,
): Promise<void> {
  const backend = openThreads(threads, worker === undefined ? {} : { worker });
  try {
    await work(backend);
  } finally {
    backend.dispose();
  }
}

test("systems are split in order, with about the same number of atoms per thread", () => {
  const cutsOf = (sizes: readonly number[], threads: number) => {
    const offsets = [0];
    for (const size of sizes) offsets.push(offsets.at(-1)! + size);
    return partsOf(Int32Array.from(offsets), threads).map(({ systems: [, to] }) => to);
  };
  assertEquals(cutsOf([1, 1, 1, 1, 1, 1], 3), [2, 4, 6]);
  assertEquals(cutsOf([10, 1, 1, 1, 1, 1], 2), [1, 6]);
  assertEquals(cutsOf([1, 1, 1, 1, 1, 10], 2), [5, 6]);
  assertEquals(cutsOf([100, 1, 1, 1], 3), [1, 2, 4]);
  assertEquals(cutsOf([1, 100, 1, 1], 3), [1, 2, 4]);
  assertEquals(cutsOf([1, 1], 5), [1, 2]);
  assertEquals(cutsOf([0, 0, 0], 2), [2, 3]);
  assertEquals(cutsOf([], 4), [0]);
});

test("exactly the kernels that halt a run without divergence declare it", async () => {
  const says: string[] = [], does: string[] = [];
  for (const { url, text } of await kernelSources()) {
    const all: Record<string, Partial<Kernel>> = await import(url.href);
    const kernels = Object.values(all).filter((one) => typeof one.run === "function") as Kernel[];
    says.push(...kernels.filter(({ canHalt }) => canHalt).map(({ name }) => name));
    const isHalting = text.includes("Control.HALT") && !text.includes("Control.DIVERGED");
    if (isHalting) does.push(...kernels.map(({ name }) => name));
  }
  assert(does.includes("graduate"));
  assertEquals(says, does);
});

test("threads halt in the same step, and later requests follow", async () => {
  await withThreads(2, async (backend) => {
    const lab = new Lab(backend, [2, 2]);
    const [met, converged, status] = [[0, 1], [0, 0], [0, 0]].map((x) => lab.i32(x, "system"));
    const marks = { met: met!, converged: converged!, status: status! };
    const done = call(graduate, { ...marks, source: -1, target: 1, stop: 1 }, {
      every: 5,
      phase: 4,
    });
    const program = backend.prepare(lab.frame, [call(advance, {}), done]);
    const first = backend.run(program, 0, 100);
    backend.write(lab.frame.ages, [100, 100]);
    const second = backend.run(program, 5, 3);
    assertEquals([await first, await second], [5, 3]);
    assertEquals(await lab.read(lab.frame.ages), [103, 100]);
    assertEquals(await lab.read(lab.frame.active), [1, 0]);
  });
});

test("the first diverged system is reported by its index in the batch, and its thread halts", async () => {
  await withThreads(3, async (backend) => {
    // Of the last three systems each moves until it is nowhere, after 3, 5 and 2 steps.
    const lab = new Lab(backend, [1, 1, 1, 1]);
    const huge = 1e38, speeds = [0, huge, huge / 2, 1.8 * huge];
    const positions = lab.real(Array(12).fill(0), "node");
    const velocities = lab.real(speeds.flatMap((x) => [x, 0, 0]), "node");
    const dt = lab.real(Array(4).fill(1), "system");
    const cell = lab.real(Array(36).fill(0), "system"),
      pbc = lab.i32(Array(12).fill(0), "system");
    const pairs = backend.pairs(lab.frame, { cutoff: 5, skin: 0.5 });
    const program = backend.prepare(lab.frame, [
      call(drift, { positions, velocities, dt, fraction: 1 }),
      call(neighbors, { pairs, positions, cell, pbc }),
      call(advance, {}),
    ]);
    const done = await backend.run(program, 0, 50);
    const control = await lab.read(lab.frame.control);
    const ages = await lab.read(lab.frame.ages);
    assertEquals(done, Math.min(...ages.slice(1)));
    assertEquals(control[Control.DIVERGED]! - 1, ages.indexOf(done));
    assertEquals(control.length, Control.LENGTH);
    void backend.run(program, 50, 1);
    assertEquals((await lab.read(lab.frame.ages)).slice(1), ages.slice(1));
    backend.write(lab.frame.control, [0, 0, 0, 0]);
    void backend.run(program, 51, 1);
    assertEquals((await lab.read(lab.frame.ages)).slice(1), ages.slice(1).map((age) => age + 1));
  });
});

test("work that cannot be split among threads is rejected with the reason", async () => {
  await withThreads(2, (backend) => {
    const lab = new Lab(backend, [2, 2]);
    const [values, squares] = [lab.real([1, 2, 3, 4], "node"), lab.f64([1, 1], "system")];
    const limit = lab.real([1], "all");
    const refuse = (work: () => unknown, part: string) => void assertThrows(work, TypeError, part);
    refuse(
      () => backend.prepare(lab.frame, [call(clipNorm, { values, squares, limit })]),
      "Cannot prepare kernel clip_norm on 2 threads: it needs all systems",
    );
    const forces = lab.real(Array(12).fill(0)), energy = lab.f64([0, 0], "system");
    const virial = lab.f64(Array(18).fill(0), "all");
    refuse(
      () => backend.prepare(lab.frame, [call(clear, { forces, energy, virial })]),
      "Cannot prepare kernel clear on threads: the spread of forces is unknown",
    );
    refuse(
      () => {
        const forces = lab.real(Array(12).fill(0), "node");
        backend.prepare(lab.frame, [call(clear, { forces, energy, virial })]);
      },
      'the spread of virial, which the kernel changes, must be "node" or "system"; got "all"',
    );
    refuse(() => backend.view(values), "await viewOrRead()");
    backend.write(lab.frame.offsets, [0, 2, 4]);
    refuse(() => backend.write(lab.frame.offsets, [3], 1), "create another frame");
    const pairs = backend.pairs(lab.frame, { cutoff: 5, skin: 0.5 });
    const edges = { pairs, cutoff: 5, isHalf: false, reach: 0 };
    refuse(() => backend.edges(lab.frame, edges), "Cannot list edges on 2 threads");
  });
});

test("the number of threads must be a positive integer", () => {
  for (const wrong of [0, -1, 1.5, NaN, Infinity]) {
    assertThrows(() => openThreads(wrong), RangeError, `got ${wrong}`);
  }
  assertThrows(() => openThreads("2" as never), TypeError, "Cannot open threads: threads must");
});

test("a worker that fails or cannot start rejects pending and later calls", async () => {
  const scripts = [
    ["onmessage = () => { throw new Error('out of order') }", "out of order"],
    ["throw new Error('not today')", "not today"],
  ] as const;
  for (const [script, message] of scripts) {
    const worker = () => new Worker(`data:text/javascript,${script}`, { type: "module" });
    await withThreads(2, async (backend) => {
      const lab = new Lab(backend, [1, 1]);
      const program = backend.prepare(lab.frame, [call(advance, {})]);
      const run = backend.run(program, 0, 10);
      const error = await assertRejects(
        () => Promise.resolve(run),
        BackendUnavailableError,
        message,
      );
      assertEquals([error.backend, error.reason], ["wasm", "broken"]);
      await assertRejects(async () => await lab.read(lab.frame.ages), BackendUnavailableError);
      assertThrows(() => backend.run(program, 10, 1), BackendUnavailableError, message);
      program.free(); // what there was goes with the worker
    }, worker);
  }
});
