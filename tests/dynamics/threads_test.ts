// Engines on threads: bitwise identical to one thread, also for hooks, checkpoints and errors.
import {
  assertEquals,
  assertGreater,
  assertInstanceOf,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { type Backend, BackendUnavailableError, openThreads } from "../../src/backend/mod.ts";
import { Batch, initVelocities } from "../../src/batch/mod.ts";
import {
  bussi,
  ConvergenceHook,
  DivergedError,
  type Dynamics,
  type DynamicsOptions,
  FIRE,
  fire2Relaxer,
  fireRelaxer,
  fixAtoms,
  fixBonds,
  type Integrator,
  langevin,
  lbfgsRelaxer,
  noseHoover,
  nptIntegrator,
  NVE,
  type SavedDynamics,
  velocityVerlet,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { centerBias, harmonicBonds, type Model, sum, tethers } from "../../src/models/mod.ts";
import { FreezeAtomsHook, MaxForceClampHook, WrapPeriodicHook } from "../../src/observe/mod.ts";
import { engine } from "../observe/modified.ts";
import { few, test } from "../suite.ts";
import { ARGON, argon, assertSameBits, bitsOf, crystals, MOVING, push } from "./atoms.ts";

/** Values of a batch before it is run. */
const OWN = ["positions", "velocities", "status"] as const;
const FIELDS = [...MOVING, "images"] as const;

/** Five systems, of 4, 32, 4, 108 and 4 atoms. */
function ragged(temperature = 40): Batch {
  const cells = [1, 2, 1, 3, 1];
  const batch = Batch.from(cells.map((n, seed) => argon(n, seed)));
  batch.ensure("status");
  if (temperature > 0) initVelocities(batch, temperature, { seed: 1 });
  return batch;
}

const open = new Map<number, Backend>();
addEventListener("unload", () => {
  for (const backend of open.values()) backend.dispose();
});

/** Threads for all tests of the fast suite: starting workers takes longer than most of the runs. */
function shared(threads: number): Backend {
  const backend = open.get(threads) ?? openThreads(threads);
  open.set(threads, backend);
  return backend;
}

/** Options: the thread of the caller, or several threads. */
function on(threads: number): Pick<DynamicsOptions, "threads" | "backend"> {
  if (threads === 1) return {};
  return few(true, false) ? { backend: shared(threads) } : { threads };
}

/** Results of each number of threads, compared with one. */
async function same<T>(
  threads: readonly number[],
  run: (threads: number) => Promise<T>,
): Promise<T> {
  const want = await run(1);
  for (const n of threads) assertEquals(await run(n), want, `${n} threads`);
  return want;
}

const SCHEMES: Readonly<Record<string, () => Integrator>> = {
  "velocity Verlet": () => velocityVerlet({ dt: [1, 2, 3, 2, 1] }),
  Langevin: () => langevin({ dt: 2, temperature: [20, 40, 60, 80, 100], friction: 0.02, seed: 3 }),
  "Nosé–Hoover": () =>
    noseHoover({ dt: 2, temperature: [20, 40, 60, 80, 100], thermostatTime: 40 }),
  Bussi: () => bussi({ dt: 2, temperature: 50, thermostatTime: 40, seed: 3 }),
  NPT: () =>
    nptIntegrator({
      dt: 2,
      temperature: 40,
      pressure: [0, 1e-3, 2e-3, 0, 1e-3],
      barostatTime: 500,
      thermostatTime: 100,
    }),
  FIRE: () => fireRelaxer({ dt: [0.3, 0.5, 0.4, 0.5, 0.3] }),
  FIRE2: () => fire2Relaxer({ dt: 0.05 }),
  "L-BFGS": () => lbfgsRelaxer({ maxStep: [2e-3, 3e-3, 2e-3, 3e-3, 2e-3], lineSearch: true }),
  "FIRE with cells": () => fireRelaxer({ dt: 0.5, cell: { pressure: [0, 1e-3, 2e-3, 0, 1e-3] } }),
  "L-BFGS with cells": () => lbfgsRelaxer({ cell: true, maxStep: 3e-3 }),
};

for (const [name, scheme] of Object.entries(SCHEMES)) {
  Deno.test(`${name} on threads gives the bits that it gives on one`, async () => {
    await same(few([3], [2, 3, 7]), async (threads) => {
      await using md = engine(scheme(), { model: ARGON, ...on(threads), hooks: [] });
      const batch = await md.run(ragged(), 40);
      await md.run(batch, 0);
      batch.get("velocities")[5] = 1e-3; // of the host, between two runs
      await md.run(batch, 21);
      return [md.stepCount, bitsOf(batch)];
    });
  });
}

Deno.test("what hooks change by kernels, bonds, tethers and biases are on threads what they are on one", async () => {
  const bonds = [[0, 1], [1, 2], [2, 3]].map(([i, j]) => ({
    atoms: [i!, j!] as [number, number],
    length: 3.7,
    stiffness: 0.1,
  }));
  const of = (count: number) => bonds.slice(0, count);
  const model: Model = sum(
    ARGON,
    harmonicBonds([of(1), of(3), [], of(2), of(3)]),
    tethers({ stiffness: 0.01 }),
    centerBias({ stiffness: 0.2, center: [1, 2, 3] }),
  );
  await same(few([3], [2, 3]), async (threads) => {
    const hooks = [
      new FreezeAtomsHook({ atoms: [1, 3] }),
      new MaxForceClampHook({ maxForce: 0.05 }),
      new WrapPeriodicHook({ frequency: 3 }),
    ];
    await using md = new NVE({ model, dt: 3, ...on(threads), hooks });
    return bitsOf(await md.run(ragged(), 50), undefined, FIELDS);
  });
});

Deno.test("bonds of fixed length and fixed atoms are on threads what they are on one", async () => {
  const constraints = [fixBonds([[0, 1], [1, 2]]), fixAtoms([3])];
  await same(few([3], [2, 3]), async (threads) => {
    const temperatures: number[][] = [];
    const look = hook({
      name: "look",
      frequency: 5,
      reads: ["temperature"],
      on: { dynamics: { AFTER_STEP: ({ read }) => void temperatures.push([...read.temperature]) } },
    });
    await using md = new NVE({ model: ARGON, dt: 2, constraints, ...on(threads), hooks: [look] });
    return [bitsOf(await md.run(crystals(5), 50)), temperatures];
  });
});

Deno.test("hooks that look at every step see the same values in the same order", async () => {
  const rows = await same(few([3], [2, 3]), async (threads) => {
    const rows: (readonly [step: number, kind: unknown, ...unknown[]])[] = [];
    const look = hook({
      name: "look",
      frequency: 1,
      reads: ["energy", "temperature", "fmax", "positions"],
      on: {
        dynamics: {
          AFTER_STEP: ({ stepCount, read }) => {
            const { energy, temperature, fmax, positions } = read;
            rows.push([stepCount, [energy, temperature, fmax, positions].map((x) => [...x])]);
          },
        },
      },
    });
    const seldom = hook({
      name: "seldom",
      frequency: 10,
      reads: ["frame", "time"],
      sync: true,
      on: {
        dynamics: {
          AFTER_COMPUTE: ({ stepCount, read }) => {
            rows.push([stepCount, "frame", [...read.time], structuredClone({ ...read.frame })]);
          },
        },
      },
    });
    await using md = new NVE({ model: ARGON, dt: 2, ...on(threads), hooks: [look, seldom] });
    await md.run(ragged(), 30);
    return rows.filter(([, kind]) => kind === "frame").concat(
      rows.filter(([, kind]) => kind !== "frame"), // Hooks that are waited for are called before those that are called later.
    );
  });
  assertEquals(rows.length, 33);
});

for (const isSync of [false, true]) {
  Deno.test(
    `systems converge in the same steps as on one thread, and are reported${
      isSync ? " at once" : ""
    }`,
    async () => {
      const [steps, told] = await same(few([3], [2, 3]), async (threads) => {
        const told: unknown[] = [];
        const tell = hook({
          name: "tell",
          reads: ["energy"],
          sync: isSync,
          on: {
            dynamics: {
              ON_CONVERGE: ({ stepCount, convergedMask, read }) => {
                const mask = Array.from(convergedMask);
                const energies = Array.from(read.energy).filter((_, s) => mask[s] !== 0);
                told.push([stepCount, mask, energies]);
              },
            },
          },
        });
        const hooks = [ConvergenceHook.fromFmax(0.01), tell];
        await using opt = new FIRE({ model: ARGON, dt: 0.5, ...on(threads), hooks });
        const batch = await opt.run(ragged(0), 500);
        return [opt.stepCount, told, bitsOf(batch), opt.outcome] as const;
      });
      const masks = told.map((row) => (row as [number, number[]])[1]);
      assertEquals(masks.reduce((sum, mask) => sum.map((n, s) => n + mask[s]!)), [1, 1, 1, 1, 1]);
      assertEquals(steps > 10 && steps < 500, true);
    },
  );
}

/** Numbers of threads before and after a checkpoint. */
const CHANGES: readonly (readonly [before: number, after: number])[] = [[2, 1], [1, 2], [3, 2]];

for (const [i, [name, scheme]] of Object.entries(SCHEMES).entries()) {
  Deno.test(`${name}: a checkpoint of some threads resumes with others, bitwise identically`, async () => {
    const make = (threads: number): Dynamics =>
      engine(scheme(), {
        model: ARGON,
        ...on(threads),
        hooks: [ConvergenceHook.fromFmax(1e-3)],
      });
    await using plain = make(1);
    const want = bitsOf(await plain.run(ragged(), 90));
    for (const [before, after] of few([CHANGES[i % 3]!], CHANGES)) {
      await using first = make(before), second = make(after);
      await first.run(ragged(), 37);
      const saved: SavedDynamics = structuredClone(await first.save());
      const batch = await second.load(saved);
      assertEquals(second.stepCount, 37);
      assertSameBits(bitsOf(await second.run(batch, 53)), want, `${before} to ${after}`);
    }
  });
}

Deno.test("a system that comes apart is named by its place, with its step, whichever thread has it", async () => {
  for (const lost of few([3], [0, 3, 4])) {
    const messages: string[] = [];
    const counts = few([1, 3], [1, 2, 3]);
    for (const threads of counts) {
      const batch = ragged();
      batch.get("velocities")[3 * batch.nodeOffsets[lost]! + 4] = 1e7; // Å/fs
      await using md = new NVE({ model: ARGON, dt: 2, ...on(threads) });
      const before = bitsOf(batch, undefined, OWN);
      const error = await assertRejects(() => md.run(batch, 50), DivergedError);
      assertEquals(error.systems, [lost]);
      assertSameBits(bitsOf(batch, undefined, OWN), before); // what came of it is left behind
      messages.push(`${error.step}: ${error.message}`);
    }
    assertEquals(messages, counts.map(() => messages[0]));
  }
});

Deno.test("stop, and steps by hand, are heard on threads", async () => {
  await using md = new NVE({ model: ARGON, dt: 2, threads: 2 });
  md.hooks.add(hook({
    name: "enough",
    frequency: 25,
    phase: 24,
    on: { dynamics: { AFTER_STEP: () => void setTimeout(() => md.stop("enough")) } },
  }));
  const batch = await md.run(ragged(), Infinity);
  const { stepCount } = md;
  assertEquals(md.outcome!.status, "stopped");
  await md.step(batch);
  await md.step(batch);
  assertEquals(md.stepCount, stepCount + 2);
  await using one = new NVE({ model: ARGON, dt: 2 });
  assertSameBits(bitsOf(await one.run(ragged(), stepCount + 2)), bitsOf(batch));
});

test("one thread is the plain backend; several are opened by the first run, and given back", async () => {
  await using one = new NVE({ model: ARGON, dt: 2, threads: 1 });
  assertEquals([one.backend.isHost, one.backend.threads], [true, undefined]);
  const two = new NVE({ model: ARGON, dt: 2, threads: 2, device: "wasm" });
  assertThrows(() => two.backend, Error, "is not open");
  await two.run(ragged(), 2);
  assertEquals([two.backend.isHost, two.backend.threads, two.device], [false, 2, {
    device: "wasm",
    skipped: [],
  }]);
  await two.close();
  assertThrows(() => two.backend, Error, "is not open");
  await assertRejects(() => two.run(ragged(), 2), Error, "it is closed. Make a new engine");
  const backend = openThreads(3);
  await using shared = new NVE({ model: ARGON, dt: 2, backend });
  await shared.run(ragged(), 3);
  await shared.run(ragged(), 3); // another batch, of the same threads
  await shared.close();
  backend.dispose();
});

Deno.test("threads must be a number, on wasm, and said once", () => {
  const make = (options: object) => new NVE({ model: ARGON, dt: 1, ...options });
  for (const threads of [0, -2, 1.5, NaN, Infinity]) {
    assertThrows(
      () => make({ threads }),
      RangeError,
      `Cannot make NVE: threads must be a positive integer; got ${threads}`,
    );
  }
  assertThrows(() => make({ threads: "2" }), TypeError, "threads must be a positive integer");
  for (const device of ["reference", "webgpu", "auto", { name: "webgpu" }]) {
    const part = 'Cannot make NVE: device must be "wasm" if threads are given; got';
    assertThrows(() => make({ threads: 2, device }), RangeError, part);
  }
  const backend = openThreads(2);
  assertThrows(
    () => make({ threads: 2, backend }),
    TypeError,
    "threads must be left out if backend is given",
  );
  backend.dispose();
  make({ threads: 2 });
  make({ threads: 1, device: "reference" });
});

Deno.test("a model that is not made of kernels is refused on threads, with a hint to its own threads", async () => {
  const model = push(1);
  let open = 0;
  const counted = {
    ...model,
    open(state: Parameters<typeof model.open>[0]) {
      open++;
      return { ...model.open(state), close: () => void open-- };
    },
  };
  await using md = new NVE({ model: counted, dt: 1, threads: 2 });
  const error = await assertRejects(() => md.run(ragged(), 1), TypeError);
  assertEquals(open, 0); // the model was closed again
  assertStringIncludes(error.message, "is not made of kernels");
  assertStringIncludes(
    error.message,
    'for an ONNX model, pass "threads" to OnnxModel.open() instead',
  );
});

test("a worker that fails is the error of the run, and leaves the batch as it was", async () => {
  const worker = () =>
    new Worker("data:text/javascript,onmessage = () => { throw new Error('no more') }", {
      type: "module",
    });
  const backend = openThreads(2, { worker });
  await using md = new NVE({ model: ARGON, dt: 2, backend });
  const batch = ragged(), before = bitsOf(batch, undefined, OWN);
  await assertRejects(() => md.run(batch, 10), BackendUnavailableError, "no more");
  assertEquals(bitsOf(batch, undefined, OWN), before);
  await using other = new NVE({ model: ARGON, dt: 2 });
  await other.run(batch, 1); // it is free
});

/** A worker that receives an invalid message with this number. */
function failing(message: number): Worker {
  const script = new URL("../../src/backend/threads/thread_worker.ts", import.meta.url);
  const worker = new Worker(script, { type: "module" });
  const post = worker.postMessage.bind(worker);
  worker.postMessage = (orders: unknown) =>
    post(message-- === 0 ? [{ kind: "write", id: -1, values: [], at: 0 }] : orders);
  return worker;
}

Deno.test("whenever a worker fails in mid-run, that is the error, and nothing is left hanging", async () => {
  let failed = 0;
  const all = Array.from({ length: 12 }, (_, i) => i), messages = few([2, 5, 6, 11], all);
  for (const message of messages) {
    const backend = openThreads(2, { worker: () => failing(message) });
    const schemes = [
      new NVE({ model: ARGON, dt: 2, backend }),
      new FIRE({ model: ARGON, dt: 0.1, backend, hooks: [ConvergenceHook.fromFmax(1e-9)] }),
    ];
    const md = schemes[message % 2]!;
    const batch = ragged(), before = bitsOf(batch, undefined, OWN);
    try {
      await md.run(batch, 600);
      assertGreater(message, 4);
    } catch (error) {
      assertInstanceOf(error, BackendUnavailableError);
      assertEquals(bitsOf(batch, undefined, OWN), before);
      failed++;
    }
    for (const engine of schemes) await engine.close();
    backend.dispose();
  }
  assertGreater(failed, messages.length / 2 - 1);
});
