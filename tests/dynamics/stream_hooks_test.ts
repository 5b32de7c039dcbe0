/** Hooks and sinks of streams: admitted and graduated systems. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { Batch, initVelocities, System } from "../../src/batch/mod.ts";
import {
  type Constraint,
  fireRelaxer,
  fixAtoms,
  fixBonds,
  fixComponents,
  langevin,
  NVE,
  type SavedDynamics,
  SizeAwareSampler,
  velocityVerlet,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { harmonicBonds, lennardJones, type Model, sum, tethers } from "../../src/models/mod.ts";
import {
  ConvergedSnapshotHook,
  EnergyDriftMonitorHook,
  FreezeAtomsHook,
  ProgressHook,
} from "../../src/observe/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { few, test } from "../suite.ts";
import { ARGON, argon, assertSameBits, bitsOf } from "./atoms.ts";
import { on, PAIR_BACKENDS } from "./backends.ts";
import { onEnginesAndGpu } from "./on_engines.ts";
import { alone, engineOf, FIELDS, rattled, streamed } from "./streams.ts";

test(
  "hooks receive each admitted system once, with its forces",
  onEnginesAndGpu(async (backend, name) => {
    const joined: number[] = [], converged: number[] = [];
    let isForced = true;
    const watch = hook({
      name: "watch",
      reads: ["systemId", "fmax", "stepsDone", "energy"],
      on: {
        dynamics: {
          ON_ADMIT: ({ admittedMask, read, batch }) => {
            assertEquals(admittedMask.length, batch.size);
            for (let s = 0; s < admittedMask.length; s++) {
              if (admittedMask[s] === 0) continue;
              joined.push(read.systemId[s]!);
              isForced &&= read.stepsDone[s] === 0 && read.fmax[s]! > 1e-3 &&
                Math.abs(read.energy[s]!) > 0.1;
            }
          },
          ON_CONVERGE: ({ convergedMask, read }) => {
            for (let s = 0; s < convergedMask.length; s++) {
              if (convergedMask[s] !== 0) converged.push(read.systemId[s]!);
            }
          },
        },
      },
    });
    const count = name === "webgpu" ? 5 : 9;
    await streamed(fireRelaxer({ dt: 0.3 }), rattled(count), { backend, hooks: [watch] });
    assertEquals(joined.sort(), Array.from({ length: count - 3 }, (_, i) => i + 3));
    assertEquals(converged.sort(), Array.from({ length: count }, (_, i) => i));
    assert(isForced);
  }),
);

test(
  "what a hook keeps of a system is not taken for that of the next in its place",
  on(PAIR_BACKENDS, async (backend) => {
    const moving = Batch.from(
      [1, 2, 1, 2, 1].map((cells, seed) => argon(cells, seed, 0.02 * seed)),
    );
    initVelocities(moving, 30, { seed: 2 });
    const lines: string[] = [];
    const snapshots = new MemorySink();
    const hooks = [
      // Their energies differ by eV: a comparison by slot would see a drift.
      new EnergyDriftMonitorHook({ threshold: 1e-3, metric: "perAtom", action: "throw" }),
      new ProgressHook({ write: (text) => lines.push(text), everySeconds: 1e-9 }),
    ];
    const nve = velocityVerlet({ dt: 2 });
    const options = { backend, maxSystems: 2, maxSteps: 20, hooks };
    const { found } = await streamed(nve, moving.systems(), options);
    assertEquals(found.size, 5);
    assert(lines.length > 2);
    const relax = { backend, hooks: [new ConvergedSnapshotHook({ sink: snapshots })] };
    const relaxed = await streamed(fireRelaxer({ dt: 0.3 }), rattled(6), relax);
    const seen = snapshots.read();
    assertEquals([...seen.get("sourceId")].sort(), [0, 1, 2, 3, 4, 5]);
    // What is written when it leaves is what it was when it converged.
    for (const [place, id] of seen.get("sourceId").entries()) {
      const one = relaxed.found.get(id)!;
      assertSameBits(bitsOf(one, 0, FIELDS), bitsOf(seen, place, FIELDS));
      assertEquals(one.get("step")[0], seen.get("step")[place]);
    }
  }),
);

test(
  "atoms that a hook holds by where they were stay held, and no others, while systems join",
  on(PAIR_BACKENDS, async (backend) => {
    const systems = rattled(7);
    // Between two layers at 0 and 2.63 Å: atoms that were displaced beyond it go back on this side.
    const hooks = () => [new FreezeAtomsHook({ atoms: ({ position: [, , z] }) => z < 2.73 })];
    const { found } = await streamed(fireRelaxer({ dt: 0.3 }), systems, {
      backend,
      hooks: hooks(),
    });
    for (const [id, batch] of found) {
      const one = Batch.from([systems[id]!]);
      one.set("systemId", [id]);
      await using engine = engineOf(fireRelaxer({ dt: 0.3 }), { backend, hooks: hooks() });
      await engine.run(one, 1000);
      assertSameBits(bitsOf(batch, 0, FIELDS), bitsOf(one, 0, FIELDS), `system ${id}`);
    }
  }),
);

test(
  "the first sink that is not full takes what comes, and where all are full nothing is lost",
  on(PAIR_BACKENDS, async (backend) => {
    await using engine = engineOf(fireRelaxer({ dt: 0.3 }), { backend });
    const systems = rattled(9);
    const sampler = new SizeAwareSampler(systems, { maxSystems: 4 });
    const sinks = [4, 3].map((capacity) => new MemorySink({ capacity }));
    const error = await assertRejects(
      () => engine.stream(sampler, { sinks, refillFrequency: 20 }),
      RangeError,
      "the sinks must have capacity for",
    );
    assert(error.message.includes("call stream() again with more sinks"));
    assertEquals(sinks[0]!.length, 4);
    const before = sinks[1]!.length;
    const summary = await engine.stream(sampler, { sinks: [...sinks, new MemorySink()].slice(1) })
      .catch((error) => error);
    assert(summary.isDone, String(summary));
    assert(sinks[1]!.length >= before && sinks[1]!.length === 3);
  }),
);

test("sinks together have each system once, whatever was full on the way", async () => {
  const systems = rattled(9), backend = "wasm";
  await using engine = engineOf(fireRelaxer({ dt: 0.3 }), { backend });
  const sampler = new SizeAwareSampler(systems, { maxSystems: 4 });
  const sinks = [2, 2, 2, 3].map((capacity) => new MemorySink({ capacity }));
  let failures = 0;
  for (let count = 1; count <= 4; count++) {
    await engine.stream(sampler, { sinks: sinks.slice(0, count) }).catch(() => failures++);
  }
  assert(failures > 0 && failures < 4);
  const all = sinks.flatMap((sink) => [...sink.read().get("sourceId")]);
  assertEquals(all.sort(), systems.map((_, i) => i));
  for (const sink of sinks) {
    const held = sink.read();
    for (const [place, id] of held.get("sourceId").entries()) {
      const one = await alone(fireRelaxer({ dt: 0.3 }), systems[id]!, { id, backend });
      assertSameBits(bitsOf(held, place, FIELDS), bitsOf(one, 0, FIELDS));
    }
  }
});

/** A few argon atoms in vacuum, about as far from each other as they like to be. */
function cluster(atoms: number, seed: number): System {
  const positions = Array.from({ length: atoms }, (_, i) => {
    const off = 0.3 * Math.sin(12.9898 * (seed + 1) + 78.233 * i);
    return [3.8 * (i % 2) + off, 3.8 * (i >> 1) - off, off / 2];
  });
  return new System({ symbols: Array(atoms).fill("Ar"), positions });
}

const MANY = few(2000, 10_000);

Deno.test("thousands of structures stream through a batch of 64 that is over 90 % full until the source is dry", async () => {
  const systems = Array.from({ length: MANY }, (_, i) => cluster(2 + i % 4, i));
  const sampler = new SizeAwareSampler(systems, { maxSystems: 64 });
  let moving = 0, steps = 0, largest = 0;
  const counting = hook({
    name: "counting",
    reads: ["status"],
    on: {
      dynamics: {
        AFTER_STEP: ({ read, batch }) => {
          largest = Math.max(largest, batch.size);
          if (sampler.isDry) return;
          steps++;
          for (const status of read.status) if (status === 0) moving++;
        },
      },
    },
  });
  const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5, skin: 1 });
  await using engine = engineOf(fireRelaxer({ dt: 1 }), {
    backend: "wasm",
    model,
    hooks: [counting],
  });
  const sink = new MemorySink();
  const summary = await engine.stream(sampler, { sinks: [sink] });
  assertEquals([summary.systems, summary.graduated, sink.length], [MANY, MANY, MANY]);
  assertEquals(largest, 64);
  assert(moving / (64 * steps) > 0.9, `it was ${moving / (64 * steps)} full`);
  assert(Math.abs(summary.filling - moving / (64 * steps)) < 0.05);
  assertEquals(new Set(sink.read().get("sourceId")).size, MANY);
});

test(
  "a batch never has more atoms or systems than it may, and is as full of atoms as its systems allow",
  on(PAIR_BACKENDS, async (backend) => {
    const systems = rattled(20, (i) => 1 + (i % 5 === 0 ? 1 : 0));
    let most = 0;
    const watch = hook({
      name: "watch",
      on: {
        dynamics: { AFTER_STEP: ({ batch }) => void (most = Math.max(most, batch.nodeCount)) },
      },
    });
    const options = { backend, maxSystems: 6, maxAtoms: 50, hooks: [watch], refillFrequency: 1 };
    const { found, summary } = await streamed(fireRelaxer({ dt: 0.3 }), systems, options);
    assertEquals([found.size, most], [20, 48]); // 32 and four times 4
    assert(summary.filling > 0.6);
  }),
);

test(
  "parameters go with a system by a field; by place they have no meaning",
  on(PAIR_BACKENDS, async (backend) => {
    const systems = rattled(5);
    const warm = Batch.from(systems);
    const kelvins = [10, 20, 30, 40, 50];
    warm.set("target", kelvins, { level: "system", dtype: "f64", unit: "K" });
    const of = (temperature: number | { readonly field: string }) =>
      langevin({ dt: 2, temperature, friction: 0.01, seed: 5 });
    const options = { backend, maxSystems: 2, maxSteps: 30 };
    const { found } = await streamed(of({ field: "target" }), warm.systems(), options);
    for (const [id, batch] of found) {
      const one = await alone(of(kelvins[id]!), systems[id]!, { id, backend, steps: 30 });
      assertSameBits(bitsOf(batch, 0, FIELDS), bitsOf(one, 0, FIELDS), `system ${id}`);
    }
    const byPlace = langevin({ dt: 2, temperature: [10, 20], friction: 0.01 });
    await assertRejects(
      () => streamed(byPlace, systems, options),
      TypeError,
      "temperature must be one number, or { field } with one number per system, because",
    );
    await assertRejects(
      () => streamed(of({ field: "target" }), systems, options),
      TypeError,
      'temperature must name a field of the batch with one number per system; got "target"',
    );
    warm.set("target", [10, -1, 30, 40, 50]);
    await assertRejects(
      () => streamed(of({ field: "target" }), warm.systems(), options),
      RangeError,
      "temperature of system 1 must be 0 or more and finite; got -1",
    );
  }),
);

test("atoms and bonds that are said by place are refused where systems come and go", async () => {
  const stream = async (
    constraints: readonly Constraint[],
    hooks: FreezeAtomsHook[] = [],
    model: Model = ARGON,
  ) => {
    await using md = new NVE({ model, dt: 1, constraints, hooks });
    const sampler = new SizeAwareSampler(rattled(3), { maxSystems: 2 });
    await md.stream(sampler, { sinks: [new MemorySink()], maxSteps: 3 });
  };
  const own = [[[0, 1]], [[0, 1]]] as const;
  const cases: readonly [part: string, constraints: Constraint[], hooks?: FreezeAtomsHook[]][] = [
    ["fix atoms: atoms must be selected by a function", [fixAtoms([3])]],
    ["fix atoms: atoms must be selected by a function", [fixComponents([3], "z")]],
    ["freeze atoms: atoms must be selected by a function", [], [
      new FreezeAtomsHook({ atoms: [3] }),
    ]],
    ["fix bonds: bonds must be one list for all systems, or the name of a field", [
      fixBonds(own),
    ]],
    [
      "fix bonds: lengths must be one list for all systems",
      [fixBonds([[0, 1]], { lengths: [[3.7], [3.7]] })],
    ],
  ];
  for (const [part, constraints, hooks] of cases) {
    await assertRejects(() => stream(constraints, hooks), TypeError, `Cannot ${part}`);
  }
  const bonds = [[{ atoms: [0, 1] as const, length: 3.7, stiffness: 0.1 }]];
  const models: readonly [part: string, model: Model][] = [
    ["bonds must be one list for all systems", harmonicBonds([...bonds, ...bonds])],
    ["stiffness must be one value for all atoms", tethers({ stiffness: Array(64).fill(1) })],
    [
      "anchors must be one value for all atoms",
      tethers({ stiffness: 1, anchors: Array(192).fill(1) }),
    ],
  ];
  for (const [part, model] of models) {
    await assertRejects(() => stream([], [], model), TypeError, part);
  }
  await stream(
    [],
    [],
    sum(harmonicBonds(bonds[0]!), tethers({ stiffness: 1, anchors: [0, 0, 0] })),
  );
  await stream(
    [fixAtoms(({ place }) => place === 3), fixBonds([[0, 1]], { lengths: 3.7 })],
    [new FreezeAtomsHook({ atoms: ({ place }) => place === 5 })],
  );
});

test("checkpoints can be taken while a stream runs, at any step", async () => {
  const scheme = fireRelaxer({ dt: 0.3 }), backend = "wasm";
  const systems = rattled(7);
  const make = () => new SizeAwareSampler(systems, { maxSystems: 3 });
  const taken: Promise<SavedDynamics>[] = [];
  const taking = hook({
    name: "taking",
    frequency: 11,
    on: {
      dynamics: {
        AFTER_STEP: ({ workflow }) => {
          taken.push((workflow as typeof engine).betweenSteps(() => engine.save()));
        },
      },
    },
  });
  const sink = new MemorySink();
  await using engine = engineOf(scheme, { backend, hooks: [taking] });
  await engine.stream(make(), { sinks: [sink] });
  const whole = sink.read();
  assert(taken.length > 5);
  for (const saved of await Promise.all(taken)) {
    const idle = hook({ name: "taking", on: { dynamics: { ON_ADMIT: () => {} } } });
    await using other = engineOf(scheme, { backend, hooks: [idle] });
    await other.load(saved);
    await other.stream(make(), { sinks: [sink] });
    const again = sink.read();
    assertSameBits(bitsOf(again, undefined, FIELDS), bitsOf(whole, undefined, FIELDS));
    assertEquals(again.get("sourceId"), whole.get("sourceId"));
  }
});

test("a stream names what is wrong with what it is given", async () => {
  const sampler = () => new SizeAwareSampler(rattled(3), { maxSystems: 2 });
  const sinks = [new MemorySink()];
  await using md = engineOf(velocityVerlet({ dt: 2 }), { backend: "wasm" });
  const wrong: readonly [unknown, unknown, typeof TypeError | typeof RangeError, string][] = [
    [
      sampler(),
      { sinks },
      TypeError,
      "systems would never finish. Add a ConvergenceHook, or pass maxSteps",
    ],
    [[], { sinks, maxSteps: 1 }, TypeError, "the sampler must be a SizeAwareSampler"],
    [sampler(), { sinks, maxStep: 1 }, TypeError, "did you mean"],
    [sampler(), { sinks, maxSteps: 0 }, RangeError, "maxSteps must be a positive integer"],
    [sampler(), { maxSteps: 1 }, TypeError, "sinks must be an array of at least one sink"],
    [
      sampler(),
      { sinks: [1], maxSteps: 1 },
      TypeError,
      "sink 0 must be an object with a method write",
    ],
    [
      sampler(),
      { sinks, maxSteps: 1, nSteps: -1 },
      RangeError,
      "nSteps must be a non-negative integer",
    ],
  ];
  for (const [given, options, kind, message] of wrong) {
    await assertRejects(() => md.stream(given as never, options as never), kind, message);
  }
  const model = lennardJones({ species: { Ar: { epsilon: 0.0104, sigma: 3.4 } }, cutoff: 8 });
  const iron = new System({ symbols: ["Fe"], positions: [0, 0, 0] });
  await using engine = engineOf(velocityVerlet({ dt: 2 }), { backend: "wasm", model });
  const three = new SizeAwareSampler([argon(1, 0), argon(1, 1), iron], { maxSystems: 2 });
  await assertRejects(
    () => engine.stream(three, { sinks, maxSteps: 3 }),
    RangeError,
    "is Fe (while admitting samples 2)",
  );
  assertEquals([three.left, sinks[0]!.length], [1, 2]);
  assertEquals(ARGON.gives.length, 3);
});
