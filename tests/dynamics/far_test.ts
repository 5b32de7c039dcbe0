// Where a system is changes nothing: forces, trajectories and files are as exact at 1e6 Å as at the origin.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Batch, fcc, initVelocities, rattle, System } from "../../src/batch/mod.ts";
import {
  type Dynamics,
  FIRE,
  fixAtoms,
  fuse,
  NPT,
  NVE,
  NVTLangevin,
  SizeAwareSampler,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import type { HookWarning } from "../../src/hooks/mod.ts";
import { harmonicBonds, type Model, sum, tethers } from "../../src/models/mod.ts";
import { OnnxModel } from "../../src/models/onnx/onnx_model.ts";
import { FreezeAtomsHook, SnapshotHook, WrapPeriodicHook } from "../../src/observe/mod.ts";
import { lennardJonesModel } from "../../src/onnx/forces/lennard_jones_model.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { ARGON, assertSameBits, bitsOf } from "./atoms.ts";
import { lacksGpu } from "../backend/gpu.ts";
import { few, test } from "../suite.ts";
import { BACKENDS, type EngineBackend, gpu, where } from "./backends.ts";

/** Far away, Å. */
const FAR = [1e6, -5e5, 2e5] as const;

const crystal = rattle(fcc({ element: "Ar", a: 5.25, cells: 2 }), 0.1, 1);

/** A droplet without a cell. */
const droplet = new System({
  symbols: crystal.symbols,
  positions: crystal.positions,
  info: { file: "drop.xyz" },
});

function moved(system: System, by: readonly number[]): System {
  const batch = Batch.from([system]);
  batch.set("positions", batch.get("positions").map((x, i) => x + by[i % 3]!));
  return batch.system(0);
}

/** Exact in float32 and 1e6 Å away alike. */
function rounded(system: System): System {
  const batch = Batch.from([system]);
  batch.set("positions", batch.get("positions").map((x) => Math.round(x * 2 ** 16) / 2 ** 16));
  return batch.system(0);
}

const near = () => Batch.from([rounded(crystal), rounded(droplet)]);
const far = () => Batch.from([rounded(crystal), rounded(droplet)].map((one) => moved(one, FAR)));

async function run(
  batch: Batch,
  backend: EngineBackend,
  { model = ARGON, steps = 10, hooks = [] }: {
    readonly model?: Model;
    readonly steps?: number;
    readonly hooks?: readonly object[];
  } = {},
): Promise<Batch> {
  await using md = new NVE({ model, dt: 2, hooks: hooks as never[], ...where(backend) });
  return await md.run(batch, steps);
}

/** The largest difference of two lists, relative to the largest of their numbers. */
function apart(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const largest = Math.max(...Array.from(b, Math.abs));
  return Math.max(...Array.from(a, (x, i) => Math.abs(x - b[i]!))) / largest;
}

/** The same for devices: the fast suite tries wasm, and the slow one all of them. */
function onDevices(
  test: (backend: EngineBackend) => Promise<void>,
): (t: Deno.TestContext) => Promise<void> {
  return async (t) => {
    for (const backend of few(["wasm"] as const, BACKENDS)) {
      await t.step(backend, () => test(backend));
    }
    if (few(true, false)) return;
    await t.step({ name: "webgpu", ignore: lacksGpu(), fn: () => test(gpu!) });
  };
}

const back = (batch: Batch) => batch.get("positions").map((x, i) => x - FAR[i % 3]!);

Deno.test(
  "forces, energies and trajectories are the same at the origin and at 1e6 Å",
  onDevices(async (backend) => {
    for (const steps of [0, 20]) {
      const [here, there] = [near(), far()];
      for (const batch of [here, there]) {
        batch.set("velocities", batch.get("positions").map((_, i) => 1e-3 * Math.sin(i)));
        await run(batch, backend, { steps });
      }
      for (const name of ["forces", "energy", "velocities"] as const) {
        const off = apart(there.get(name), here.get(name));
        assert(off < (steps === 0 ? 1e-6 : 1e-5), `${name} after ${steps}: ${off}`);
      }
      assert(apart(back(there), here.get("positions")) < 1e-6, `positions after ${steps}`);
    }
  }),
);

Deno.test(
  "so they are through ONNX feeds, and of sums and bonds",
  onDevices(async (backend) => {
    const parameters = { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 };
    await using onnx = await OnnxModel.open(lennardJonesModel(parameters), { name: "lj.onnx" });
    const bonds = harmonicBonds([{ atoms: [0, 1], length: 3, stiffness: 1 }]);
    for (const model of [onnx, sum(ARGON, bonds)]) {
      const [here, there] = [near(), far()];
      for (const batch of [here, there]) await run(batch, backend, { model, steps: 0 });
      const off = apart(there.get("forces"), here.get("forces"));
      assert(off < 1e-6, `${model.name}: ${off}`);
    }
  }),
);

Deno.test(
  "NVE conserves its energy at 1e6 Å as it does at the origin, and positions there are exact",
  onDevices(async (backend) => {
    const drift = async (batch: Batch) => {
      initVelocities(batch, 40, { seed: 1 });
      const energies: number[] = [];
      const look = hook({
        name: "look",
        reads: ["energy", "kineticEnergy"],
        frequency: 50,
        on: {
          dynamics: {
            AFTER_STEP: ({ read }) => void energies.push(read.energy[0]! + read.kineticEnergy[0]!),
          },
        },
      });
      await run(batch, backend, { steps: 200, hooks: [look] });
      return Math.abs(energies.at(-1)! - energies[0]!) / 32;
    };
    const [here, there] = [await drift(near()), await drift(far())];
    assert(there < 2 * here + 1e-6, `${there} eV per atom, ${here} at the origin`);
  }),
);

test("hooks that read far positions at each step read them from the same array", async () => {
  const seen = new Set<unknown>(), right: boolean[] = [];
  const look = hook({
    name: "look",
    reads: ["positions"],
    on: {
      dynamics: {
        AFTER_STEP: ({ read: { positions } }) => {
          seen.add(positions);
          right.push(Math.abs(positions[0]! - FAR[0]) < 20);
        },
      },
    },
  });
  await run(far(), "wasm", { steps: 5, hooks: [look] });
  assertEquals([seen.size, right], [1, new Array(5).fill(true)]);
});

Deno.test(
  "hooks read where atoms are, and write it; snapshots and fetches have it, too",
  onDevices(async (backend) => {
    const read = { before: [] as number[], own: [] as number[] };
    const sink = new MemorySink();
    const look = hook({
      name: "look",
      reads: ["positions"],
      on: {
        dynamics: { AFTER_STEP: ({ read: { positions } }) => void (read.own = [...positions]) },
      },
    });
    const batch = far();
    await run(batch, backend, {
      steps: 3,
      hooks: [look, new SnapshotHook({ sink, frequency: 1 })],
    });
    assertEquals(read.own, [...batch.get("positions")]);
    const frames = sink.read();
    assertEquals([...frames.get("positions").slice(-192)], [...batch.get("positions")]);

    const warnings: HookWarning[] = [];
    const push = hook({
      name: "push",
      writes: ["positions"],
      frequency: 2,
      on: {
        dynamics: {
          AFTER_STEP: ({ write: { positions } }) => {
            for (let i = 0; i < 3; i++) positions[i]! += 1;
          },
        },
      },
    });
    const other = far();
    await using md = new NVE({
      model: ARGON,
      dt: 2,
      ...where(backend),
      hooks: [push],
      onWarning: (one) => void warnings.push(one),
    });
    await md.run(other, 1);
    const x = other.get("positions")[0]!;
    assert(Math.abs(x - far().get("positions")[0]!) < 3, `${x}`);
    const isExact = backend === "reference";
    assertEquals(warnings.length, isExact ? 0 : 1);
    if (!isExact) assertMatch(String(warnings[0]!.error), /atom 0 of system 0 .* hook push/);
  }),
);

test("a far system has the same bits alone, in a batch, resumed, divided, observed and streamed", async () => {
  const systems = [
    moved(rounded(droplet), FAR),
    rounded(crystal),
    moved(rounded(crystal), [0, 0, 1e5]),
  ];
  for (const [i, system] of systems.entries()) {
    const engine = () => new NVTLangevin({ model: ARGON, dt: 2, temperature: 40, friction: 0.01 });
    const alone = Batch.from([system]);
    alone.set("systemId", [i]);
    await using md = engine();
    await md.run(alone, 30);

    const all = Batch.from(systems);
    await using whole = engine();
    await whole.run(all, 10);
    const saved = structuredClone(await whole.save());
    await whole.run(all, 20);
    assertSameBits(bitsOf(all.select([i])), bitsOf(alone), "in a batch, divided");

    await using resumed = engine();
    const again = await resumed.load(saved);
    await resumed.run(again, 20);
    assertSameBits(bitsOf(again.select([i])), bitsOf(alone), "resumed");

    await using seen = engine();
    seen.hooks.add(hook({ name: "idle", on: { dynamics: { AFTER_STEP: () => {} } } }));
    const watched = await seen.run(Batch.from(systems), 30);
    assertSameBits(bitsOf(watched.select([i])), bitsOf(alone), "observed");
  }
  const sink = new MemorySink();
  await using md = new NVE({ model: ARGON, dt: 2 });
  const many = [...systems, ...systems.map((one) => moved(one, [3200, 0, 0]))];
  await md.stream(new SizeAwareSampler(many, { maxSystems: 2 }), { sinks: [sink], maxSteps: 7 });
  const done = sink.read();
  for (const [place, id] of done.get("sourceId").entries()) {
    const alone = await run(Batch.from([many[id]!]), "wasm", { steps: 7 });
    assertEquals(done.system(place).get("positions"), alone.get("positions"), `${id}`);
  }
});

test("relaxations, stages, constraints and frozen atoms work far away as at the origin", async () => {
  const engines: (() => Dynamics)[] = [
    () => new FIRE({ model: ARGON, dt: 0.5, hooks: [new FreezeAtomsHook({ atoms: [0, 1] })] }),
    () =>
      fuse(
        new FIRE({ model: ARGON, dt: 0.5, nSteps: 10 }),
        new NVE({ model: ARGON, dt: 2, nSteps: 10 }),
      ),
    () => new FIRE({ model: ARGON, dt: 0.5, cell: true }),
    () =>
      new NPT(
        {
          model: ARGON,
          dt: 2,
          temperature: 40,
          pressure: 0,
          thermostatTime: 50,
          barostatTime: 500,
        } as never,
      ),
  ];
  for (const [i, make] of engines.entries()) {
    const own = (batch: Batch) => i >= 2 ? batch.select([0]) : batch;
    const [here, there] = [own(near()), own(far())];
    for (const batch of [here, there]) {
      await using engine = make();
      await engine.run(batch, 30);
    }
    const off = apart(there.get("forces"), here.get("forces"));
    assert(off < 1e-4, `${i}: ${off}`);
  }
});

test("a system that drifts far away in a run is warned of, and a copy of its batch goes on exactly", async () => {
  const warnings: HookWarning[] = [];
  const batch = Batch.from([rounded(droplet)]);
  batch.set("velocities", batch.get("positions").map((_, i) => i % 3 === 0 ? 10 : 0));
  const onWarning = (one: HookWarning) => {
    if (one.hook !== "(stability)") warnings.push(one); // nothing moves as fast as that
  };
  await using md = new NVE({ model: ARGON, dt: 2, onWarning });
  await md.run(batch, 10);
  assertEquals(warnings.length, 0);
  await md.run(batch, 100);
  assertEquals(md.outcome!.warnings!.at(-1), (warnings[0]!.error as Error).message);
  assertMatch(
    String(warnings[0]!.error),
    /of system 0 \(drop.xyz\) is more than 1000 Å from its first position in this run/,
  );
  const copy = batch.clone();
  await using exact = new NVE({ model: ARGON, dt: 2, device: "reference" });
  await exact.run(batch, 0);
  await md.run(copy, 0);
  assert(apart(copy.get("forces"), batch.get("forces")) < 1e-5);
  assertEquals(warnings.length, 1);
});

test("a choice of atoms sees where they are", async () => {
  const seen: number[] = [];
  const batch = far(), [x] = batch.get("positions");
  await using md = new NVE({
    model: ARGON,
    dt: 2,
    constraints: [fixAtoms(({ position }) => seen.push(position[0]) < 0)],
  });
  await md.run(batch, 1);
  assertEquals(seen[0], x);
});

test("what depends on where a system is has its positions, and a warning where float32 is inexact", async () => {
  const warnings: HookWarning[] = [];
  const batch = far(), anchors = batch.get("positions").slice();
  await using md = new NVE({
    model: tethers({ stiffness: 1, anchors }),
    dt: 1,
    onWarning: (one) => void warnings.push(one),
  });
  await md.run(batch, 1);
  assert(apart(batch.get("positions"), anchors) < 1e-6);
  assertEquals(warnings.length, 1);
  assertMatch(
    String(warnings[0]!.error),
    /system 0 is more than 1000 Å from the origin.*wrapPositions/,
  );

  const wrapped = far();
  await using other = new NVE({
    model: ARGON,
    dt: 1,
    hooks: [new WrapPeriodicHook()],
    onWarning: (one) => void warnings.push(one),
  });
  await other.run(wrapped, 1);
  assert(wrapped.get("positions").slice(0, 96).every((x) => x > -1 && x < 11.5));
  assertMatch(String(warnings[1]!.error), /hook WrapPeriodicHook/);
});

test("a hook whose kernels need absolute positions may come after a run far away, and not in one", async () => {
  await using md = new NVE({ model: ARGON, dt: 2, ...where("wasm") });
  const batch = far();
  await md.run(batch, 5);
  let error: unknown;
  const joining = hook({
    name: "joining",
    on: { dynamics: { AFTER_STEP: () => void md.hooks.add(new WrapPeriodicHook()) } },
  });
  const handle = md.hooks.add(joining);
  await md.run(batch, 3).catch((cause) => error = cause);
  assertMatch(
    String(error),
    /WrapPeriodicHook cannot be added during a run of systems far from the origin/,
  );
  handle.remove();
  await md.run(batch, 2); // from now on with absolute positions
});
