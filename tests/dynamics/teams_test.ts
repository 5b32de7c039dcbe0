// One large system on several threads, which share the work on its pairs: bitwise identical to one thread.
import {
  assertAlmostEquals,
  assertEquals,
  assertGreater,
  assertInstanceOf,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { type Backend, BackendUnavailableError, openThreads } from "../../src/backend/mod.ts";
import { teamSize } from "../../src/backend/threads/split.ts";
import { isFailureOfOther, makeTeamMemory, TeamMember } from "../../src/backend/threads/team.ts";
import { loadModule } from "../../src/backend/wasm/module.ts";
import { Batch, initVelocities } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  DivergedError,
  type DynamicsOptions,
  FIRE,
  fireRelaxer,
  type Integrator,
  langevin,
  lbfgsRelaxer,
  nptIntegrator,
  NVE,
  type SavedDynamics,
  velocityVerlet,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { buckingham, yukawa } from "../../src/models/mod.ts";
import { engine } from "../observe/modified.ts";
import { few, test } from "../suite.ts";
import { ARGON, argon, assertSameBits, bitsOf, evaluate, MOVING } from "./atoms.ts";

const FIELDS = [...MOVING, "images", "cell"] as const;

/** A crystal of 8788 atoms, whose pairs up to four threads can share, as hot as a gas. */
function hot(): Batch {
  const batch = Batch.from([argon(13, 1)]);
  batch.ensure("status");
  initVelocities(batch, 1500, { seed: 1 });
  return batch;
}

const open = new Map<number, Backend>();
addEventListener("unload", () => {
  for (const backend of open.values()) backend.dispose();
});

function on(threads: number): Pick<DynamicsOptions, "backend"> {
  if (threads === 1) return {};
  const backend = open.get(threads) ?? openThreads(threads);
  open.set(threads, backend);
  return { backend };
}

function builds({ resident: { pairs } }: SavedDynamics): number {
  return Math.max(...Object.values(pairs).flatMap((saved) => [...saved!.builds]));
}

test("threads can share the work on the pairs of systems of more than 4096 atoms", () => {
  const { pairs_domains } = loadModule();
  assertEquals(
    [0, 1, 4096, 4097, 8192, 8193, 8788, 32_000].map(pairs_domains),
    [1, 1, 1, 2, 2, 3, 4, 8],
  );
});

Deno.test("a melt whose atoms move between domains has the same bits on 1, 2, 3 and 4 threads", async () => {
  let want: Record<string, number[]> | undefined;
  for (const threads of few([1, 3], [1, 2, 3, 4])) {
    await using md = new NVE({ model: ARGON, dt: 4, ...on(threads) });
    const batch = await md.run(hot(), 60);
    want ??= bitsOf(batch, undefined, FIELDS);
    assertSameBits(bitsOf(batch, undefined, FIELDS), want, `${threads} threads`);
    assertGreater(builds(await md.save()), 3);
  }
});

const SCHEMES: Readonly<Record<string, () => Integrator>> = {
  "velocity Verlet": () => velocityVerlet({ dt: 2 }),
  Langevin: () => langevin({ dt: 2, temperature: 900, friction: 0.02, seed: 3 }),
  NPT: () =>
    nptIntegrator({
      dt: 2,
      temperature: 900,
      pressure: 1e-3,
      barostatTime: 500,
      thermostatTime: 100,
    }),
  FIRE: () => fireRelaxer({ dt: 0.5, cell: true }),
  "L-BFGS": () => lbfgsRelaxer({ maxStep: 0.05, lineSearch: true }),
};

for (const [name, scheme] of Object.entries(SCHEMES)) {
  Deno.test(`${name}: one large system has the same bits on threads, also for observers and after a checkpoint`, async () => {
    const run = async (threads: number, after: number) => {
      const seen: number[][] = [];
      const look = hook({
        name: "look",
        frequency: 4,
        reads: ["energy", "temperature", "fmax", "stress"],
        on: {
          dynamics: {
            AFTER_STEP: ({ stepCount, read }) => {
              seen.push([stepCount, ...read.energy, ...read.temperature, ...read.stress]);
            },
          },
        },
      });
      const make = (threads: number) =>
        engine(scheme(), { model: ARGON, ...on(threads), hooks: [look] });
      await using first = make(threads), second = make(after);
      await first.run(hot(), 11);
      const saved = structuredClone(await first.save());
      const batch = await second.run(await second.load(saved), 10);
      return [bitsOf(batch, undefined, FIELDS), seen] as const;
    };
    const [want, wanted] = await run(1, 1);
    for (const [threads, after] of few([[3, 2]], [[2, 1], [1, 4], [3, 2]]) as number[][]) {
      const [bits, seen] = await run(threads!, after!);
      assertSameBits(bits, want, `${threads}, then ${after} threads`);
      assertEquals(seen, wanted);
    }
  });
}

test("forces over domains are those of the reference backend", async () => {
  const system = argon(11, 2);
  const mixed = Batch.from([{
    symbols: system.symbols.map((_, i) => i % 3 === 0 ? "Kr" : "Ar"),
    positions: system.get("positions"),
    cell: system.cell,
    pbc: [true, true, false],
  }]);
  const exclude = { pairs: Array.from({ length: 2000 }, (_, i) => [2 * i, 2 * i + 1] as const) };
  const species = {
    Ar: { strength: 800, length: 0.35, dispersion: 40 },
    Kr: { strength: 900, length: 0.37, dispersion: 50 },
  };
  const models = {
    "one type": [ARGON, Batch.from([system])],
    "one generated type": [
      yukawa({ strength: 2.5, kappa: 0.8, cutoff: 7 }),
      Batch.from([system]),
    ],
    "two types, with excluded pairs": [
      buckingham({ species, cutoff: 7.3, truncation: "switch", exclude }),
      mixed,
    ],
  } as const;
  for (const [name, [model, atoms]] of Object.entries(models)) {
    const want = await evaluate(model, atoms);
    const found = await evaluate(model, atoms, "wasm");
    assertAlmostEquals(found.energy[0]!, want.energy[0]!, 1e-5 * Math.abs(want.energy[0]!), name);
    const scale = Math.max(...want.forces.map(Math.abs));
    for (const [i, force] of want.forces.entries()) {
      assertAlmostEquals(found.forces[i]!, force, 1e-5 * scale, `${name}: ${i}`);
    }
    for (const [i, stress] of want.stress.entries()) {
      assertAlmostEquals(found.stress[i]!, stress, 1e-7, `${name}: stress ${i}`);
    }
  }
});

test("a large and a small system on more threads than systems have the bits of one thread", async () => {
  const run = async (threads: number) => {
    const batch = Batch.from([argon(2, 1), argon(13, 2), argon(3, 3)]);
    initVelocities(batch, 300, { seed: 1 });
    await using md = new NVE({ model: ARGON, dt: 4, ...on(threads) });
    return bitsOf(await md.run(batch, 15));
  };
  assertSameBits(await run(4), await run(1));
});

test("a large system that diverges on threads is reported as on one thread", async () => {
  const messages: string[] = [];
  for (const threads of [1, 3]) {
    const batch = hot();
    batch.get("velocities")[3 * 5000] = 1e7; // Å/fs
    await using md = new NVE({ model: ARGON, dt: 2, ...on(threads) });
    messages.push((await assertRejects(() => md.run(batch, 20), DivergedError)).message);
  }
  assertEquals(messages[0], messages[1]);
});

test("if one thread of a team fails, the run fails with its error, and no thread waits for it", async () => {
  let started = 0, message = 3;
  const worker = () => {
    const script = new URL("../../src/backend/threads/thread_worker.ts", import.meta.url);
    const worker = new Worker(script, { type: "module" });
    if (started++ === 0) return worker;
    const post = worker.postMessage.bind(worker);
    worker.postMessage = (requests: unknown) =>
      post(message-- === 0 ? [{ kind: "write", id: -1, values: [], at: 0 }] : requests);
    return worker;
  };
  const backend = openThreads(2, { worker, timeout: 200_000 });
  await using md = new NVE({ model: ARGON, dt: 2, backend });
  const begun = performance.now();
  const error = await assertRejects(() => md.run(hot(), 2000), BackendUnavailableError);
  assertGreater(100_000, performance.now() - begun);
  assertEquals(error.message.includes("another thread failed"), false);
  backend.dispose();
});

/** Runs a team of two threads whose second worker ends in the third step, and returns the error of the run. */
async function errorOfEnded(
  run: (backend: Backend, end: (stepCount: number) => void) => Promise<unknown>,
): Promise<Error> {
  const workers: Worker[] = [];
  const worker = () => {
    const script = new URL("../../src/backend/threads/thread_worker.ts", import.meta.url);
    return workers[workers.push(new Worker(script, { type: "module" })) - 1]!;
  };
  const backend = openThreads(2, { worker, timeout: 3000 });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hangs = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the run hangs")), 120_000);
  });
  const end = (stepCount: number) => void (stepCount === 3 && workers[1]!.terminate());
  try {
    return await Promise.race([run(backend, end), hangs]).then(
      () => new Error("the run did not fail"),
      (error) => error,
    );
  } finally {
    clearTimeout(timer);
    backend.dispose();
  }
}

test("if a worker of a team ends, runs of single steps fail and do not wait for it", async () => {
  const errors = await Promise.all([
    errorOfEnded(async (backend, end) => {
      const look = hook({
        name: "look",
        reads: ["energy"],
        on: { dynamics: { AFTER_STEP: ({ stepCount }) => end(stepCount) } },
      });
      await new NVE({ model: ARGON, dt: 2, backend, hooks: [look] }).run(hot(), 2000);
    }),
    errorOfEnded(async (backend, end) => {
      const look = hook({
        name: "look",
        on: { dynamics: { AFTER_STEP: ({ stepCount }) => end(stepCount) } },
      });
      const converged = new ConvergenceHook({ criteria: [{ key: "fmax", threshold: 1e-9 }] });
      const hooks = [look, converged];
      await new FIRE({ model: ARGON, dt: 0.5, backend, hooks }).run(hot(), 2000);
    }),
  ]);
  for (const error of errors) {
    assertInstanceOf(error, BackendUnavailableError);
    assertStringIncludes(error.message, "thread 2 of 2 did not respond for 3000 ms");
  }
});

test("without room for the memory of a team, a large system runs on one thread", async () => {
  const run = async (backend?: Backend) => {
    const threads = backend === undefined ? {} : { backend };
    await using md = new NVE({ model: ARGON, dt: 4, ...threads });
    return bitsOf(await md.run(hot(), 5), undefined, FIELDS);
  };
  const want = await run();
  const original = globalThis.SharedArrayBuffer, backend = openThreads(2);
  class Full extends original {
    constructor(bytes: number, options?: { maxByteLength?: number }) {
      super(bytes, options);
      throw new RangeError("Array buffer allocation failed");
    }
  }
  try {
    globalThis.SharedArrayBuffer = Full as unknown as SharedArrayBufferConstructor;
    assertEquals(makeTeamMemory(8788), undefined);
    assertSameBits(await run(backend), want);
  } finally {
    globalThis.SharedArrayBuffer = original;
    backend.dispose();
  }
});

test("the memory of a team reserves addresses by the number of atoms, and at most 1 GiB", () => {
  const reserved = [0, 8788, 10_000_000].map((n) => makeTeamMemory(n)!.data.maxByteLength);
  assertEquals(reserved, [2 ** 22, 8788 * 4096, 2 ** 30]);
});

test("a team is formed only if its threads have less work than those of split systems", () => {
  const { pairs_domains } = loadModule();
  const size = (threads: number, ...systems: number[]) => {
    const offsets = [0];
    for (const atoms of systems) offsets.push(offsets.at(-1)! + atoms);
    return teamSize(Int32Array.from(offsets), threads, pairs_domains);
  };
  const K = 16_384;
  assertEquals(size(2, 4096), undefined);
  assertEquals([size(2, 8788), size(4, 8788), size(8, 8788)], [2, 4, 4]);
  assertEquals([size(4, 32, 8788, 108), size(4, K, K), size(8, 2 * K, 2 * K, 2 * K)], [4, 4, 8]);
  assertEquals([size(4, K, K, K), size(2, K, K), size(4, 8788, 8788, 8788)], [
    undefined,
    undefined,
    undefined,
  ]);
});

test("a member of a team makes no new views for the same parcels, and new ones after its memory has grown", () => {
  const shared = makeTeamMemory(8788)!;
  const memories = [0, 1].map(() => new WebAssembly.Memory({ initial: 1 }));
  // Both are teams of one, so that none waits, but have the parcels of two members.
  const members = [0, 1].map((member) =>
    new TeamMember({ member, size: 1, memory: shared }, () => {})
  );
  let views = 0;
  const { subarray } = Uint8Array.prototype;
  Uint8Array.prototype.subarray = function (...range) {
    views++;
    return subarray.apply(this, range);
  };
  const exchange = (value: number) => {
    views = 0;
    for (const [k, { buffer }] of memories.entries()) {
      new Uint32Array(buffer).set([64, 8, 0, 128, 16, 1]);
      if (k === 0) new Uint8Array(buffer).fill(value, 64, 72);
      members[k]!.share(buffer, 0, 2);
    }
    const bytes = new Uint8Array(memories[1]!.buffer);
    assertEquals([...bytes.slice(63, 73)], [0, ...new Array(8).fill(value), 0]);
    return views;
  };
  try {
    assertGreater(exchange(1) + exchange(2), 0); // the halves of the shared data alternate
    assertEquals([exchange(3), exchange(4)], [0, 0]);
    memories[1]!.grow(1);
    assertGreater(exchange(5), 0);
    assertEquals([exchange(6), exchange(7)], [0, 0]);
  } finally {
    delete (Uint8Array.prototype as { subarray?: unknown }).subarray;
  }
});

test("a member of a team exchanges parcels, also more than fit at first, and hears of failures", () => {
  const memory = makeTeamMemory(8788)!;
  const alone = new TeamMember({ member: 0, size: 1, memory }, () => {});
  const bytes = new ArrayBuffer(2 ** 21), words = new Uint32Array(bytes);
  words.set([12, 2 ** 20, 0]);
  for (let i = 0; i < 3; i++) alone.share(bytes, 0, 1);
  assertGreater(memory.data.byteLength, 2 ** 21);
  assertEquals([...words.subarray(0, 3)], [12, 2 ** 20, 0]);
  const one = new TeamMember({ member: 0, size: 2, memory }, () => {});
  const two = new TeamMember({ member: 1, size: 2, memory }, () => {});
  one.fail();
  const error = assertThrows(() => two.share(bytes, 0, 1), Error, "another thread failed");
  assertEquals([isFailureOfOther(error), isFailureOfOther(new Error("other"))], [true, false]);
});
