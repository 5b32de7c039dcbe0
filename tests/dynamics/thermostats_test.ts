/** Thermostats: known steps, what they conserve, and whose temperature they hold. */
import { assert, assertAlmostEquals, assertEquals, assertLess, assertRejects } from "@std/assert";
import { Batch, initVelocities, System } from "../../src/batch/mod.ts";
import {
  bussi,
  Dynamics,
  FIRE,
  type Integrator,
  langevin,
  noseHoover,
  NVE,
  NVTBussi,
  NVTNoseHoover,
  velocityVerlet,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { BOLTZMANN, TIME_UNIT_FS } from "../../src/kernels/constants.ts";
import { type Model, potential } from "../../src/models/mod.ts";
import { FreezeAtomsHook } from "../../src/observe/mod.ts";
import { few, test } from "../suite.ts";
import { ARGON, argon, assertNear } from "./atoms.ts";
import { type EngineBackend, on, PAIR_BACKENDS, TOLERANCE, where } from "./backends.ts";
import { onEngines, onEnginesAndGpu } from "./on_engines.ts";

/** No forces at all. */
const FREE: Model = potential(() => 0, { name: "nothing" });

/** Notes what is conserved, system by system, after each step. */
function conserved() {
  const rows: number[][] = [];
  const watch = hook({
    name: "watch",
    reads: ["conservedEnergy"],
    on: { dynamics: { AFTER_STEP: ({ read }) => void rows.push([...read.conservedEnergy]) } },
  });
  return { rows, watch };
}

/** Spread of the conserved quantity of an integrator, eV: the root mean square, of one system. */
async function spread(
  scheme: Integrator,
  batch: Batch,
  options: { backend?: EngineBackend; model?: Model; time: number; dt: number },
): Promise<number> {
  const { rows, watch } = conserved();
  const { backend = "reference", model = ARGON, time, dt } = options;
  await using md = new Dynamics(scheme, { model, ...where(backend), hooks: [watch] });
  await md.run(batch, Math.round(time / dt));
  const mean = rows.reduce((sum, [one]) => sum + one!, 0) / rows.length;
  return Math.sqrt(rows.reduce((sum, [one]) => sum + (one! - mean) ** 2, 0) / rows.length);
}

/** A crystal of 32 atoms at 40 K. */
function crystal(): Batch {
  const batch = Batch.from([argon(2, 0)]);
  initVelocities(batch, 40, { seed: 1 });
  return batch;
}

test(
  "NVTNoseHoover moves two free atoms as nvalchemi does",
  onEnginesAndGpu(async (backend, name) => {
    const [v, unit] = [0.1 / TIME_UNIT_FS, TIME_UNIT_FS];
    const velocities = [v, 0, 0, v, 0, 0];
    const positions = [0, 0, 0, 5, 0, 0];
    const batch = Batch.from([
      new System({ symbols: ["H", "H"], positions, velocities, masses: [1, 1] }),
    ]);
    await using md = new NVTNoseHoover({
      model: FREE,
      dt: unit,
      temperature: 0.025851999786 / BOLTZMANN,
      ...where(backend),
      thermostatTime: 10 * unit,
      chainLength: 2,
      yoshidaOrder: 1,
    });
    await md.run(batch, 1);
    const { etaDot } = (await md.save()).resident.states;
    const digits = Math.max(TOLERANCE[name], 1e-9);
    assertNear([batch.get("velocities")[0]! * unit], [0.100437089891], digits);
    const rates = Array.from(etaDot!, (rate) => rate * unit);
    assertNear(rates, [-0.00873345716, -0.00982863126], digits);
  }),
);

const SCHEMES: Readonly<Record<string, (dt: number) => Integrator>> = {
  NVE: (dt) => velocityVerlet({ dt }),
  ...Object.fromEntries(([1, 3, 5] as const).map((yoshidaOrder) => [
    `NVTNoseHoover of order ${yoshidaOrder}`,
    (dt: number) => noseHoover({ dt, temperature: 40, thermostatTime: 100, yoshidaOrder }),
  ])),
  NVTBussi: (dt) => bussi({ dt, temperature: 40, thermostatTime: 100, seed: 3 }),
  NVTLangevin: (dt) => langevin({ dt, temperature: 40, friction: 0.01, seed: 3 }),
};

for (const [name, make] of Object.entries(SCHEMES)) {
  Deno.test(`${name}: the error of what is conserved falls four-fold with half the step`, async () => {
    const [coarse, fine] = [10, 5].map((dt) => spread(make(dt), crystal(), { time: 2000, dt }));
    const ratio = await coarse! / await fine!;
    assert(ratio > 3 && ratio < 6, `${ratio}`);
  });

  Deno.test(
    `${name}: what is conserved stays where it began`,
    onEngines(async (backend, at) => {
      const { rows, watch } = conserved();
      await using md = new Dynamics(make(2.5), {
        model: ARGON,
        ...where(backend),
        hooks: [watch],
      });
      await md.run(crystal(), at === "wasm" ? 2000 : at === "webgpu" ? 400 : 300);
      const off = rows.map(([one]) => Math.abs(one! - rows[0]![0]!));
      // Of some 0.16 eV of kinetic energy, of which baths give and take a part.
      assertLess(Math.max(...off), 6e-5);
    }),
  );
}

test("more parts follow a chain better that is fast against the step, as their order says", async () => {
  const errors = async (yoshidaOrder: 1 | 3 | 5) => {
    const of = (dt: number) => {
      const scheme = noseHoover({ dt, temperature: 80, thermostatTime: 40, yoshidaOrder });
      return spread(scheme, crystal(), { model: FREE, time: 2000, dt });
    };
    return [await of(20), await of(10)] as const;
  };
  // Without forces all that is wrong is the chain's.
  const [one, three, five] = [await errors(1), await errors(3), await errors(5)];
  assert(one[0] / one[1] > 3.4 && one[0] / one[1] < 4.8, `${one}`);
  for (const more of [three, five]) assert(more[0] / more[1] > 12, `${more}`);
  assertLess(three[1], one[1] / 3);
  assertLess(five[1], three[1] / 10);
});

Deno.test(
  "each system of a batch is held to its own temperature, in its own time",
  on(few(["wasm"], PAIR_BACKENDS), async (backend) => {
    const temperatures = [20, 40, 60];
    const schemes = [
      noseHoover({ dt: 5, temperature: temperatures, thermostatTime: [60, 90, 120] }),
      bussi({ dt: 5, temperature: temperatures, thermostatTime: [60, 90, 120], seed: 2 }),
    ];
    for (const scheme of schemes) {
      const batch = Batch.from([argon(2, 0), argon(2, 1), argon(2, 2)]);
      initVelocities(batch, 40, { seed: 1 });
      const sums = [0, 0, 0];
      const watch = hook({
        name: "watch",
        frequency: 5,
        reads: ["temperature"],
        on: {
          dynamics: {
            AFTER_STEP: ({ read, stepCount }) => {
              if (stepCount < 400) return;
              for (const s of sums.keys()) sums[s]! += read.temperature[s]! / 320;
            },
          },
        },
      });
      await using md = new Dynamics(scheme, { model: ARGON, ...where(backend), hooks: [watch] });
      await md.run(batch, 2000);
      // 15 % is the spread of one, and of 320 some 50 are independent.
      for (const [s, mean] of sums.entries()) assertAlmostEquals(mean / temperatures[s]!, 1, 0.1);
    }
  }),
);

Deno.test(
  "a center of mass at rest stays so, and none of the temperature is put into it",
  onEngines(async (backend, name) => {
    for (
      const scheme of [
        noseHoover({ dt: 4, temperature: 60, thermostatTime: 50 }),
        bussi({ dt: 4, temperature: 60, thermostatTime: 50 }),
      ]
    ) {
      const batch = crystal();
      await using md = new Dynamics(scheme, { model: ARGON, ...where(backend) });
      await md.run(batch, name === "reference" ? 200 : 1000);
      const [velocities, masses] = [batch.get("velocities"), batch.get("masses")];
      for (let k = 0; k < 3; k++) {
        const momentum = masses.reduce((sum, mass, a) => sum + mass * velocities[3 * a + k]!, 0);
        // Of the momentum of an atom, some 0.08 amu Å/fs.
        assertLess(Math.abs(momentum), name === "reference" ? 1e-12 : 2e-5);
      }
      assertEquals(batch.get("dofRemoved")[0], 3);
    }
  }),
);

Deno.test(
  "atoms that hooks hold have no part in the temperature of a bath",
  onEngines(async (backend) => {
    const atoms = Array.from({ length: 16 }, (_, i) => 2 * i);
    let sum = 0;
    const watch = hook({
      name: "watch",
      reads: ["kineticEnergy"],
      on: { dynamics: { AFTER_STEP: ({ read }) => void (sum += read.kineticEnergy[0]!) } },
    });
    // So short a time that each step draws a kinetic energy of its own.
    await using md = new NVTBussi({
      model: ARGON,
      ...where(backend),
      hooks: [new FreezeAtomsHook({ atoms }), watch],
      dt: 2,
      temperature: 40,
      thermostatTime: 0.1,
      seed: 4,
    });
    await md.run(crystal(), 400);
    // Known to √(2/48/400), 1 %. Were all 32 atoms counted it would be twice as much.
    assertAlmostEquals(2 * sum / 400 / (48 * BOLTZMANN * 40), 1, 0.04);
  }),
);

test(
  "one atom alone is held to its temperature, and one that cannot move is left alone",
  onEnginesAndGpu(async (backend) => {
    const atom = () => Batch.from([new System({ symbols: ["Ar"], positions: [0, 0, 0] })]);
    for (const [removeCom, moves] of [[false, true], [true, false]] as const) {
      const batch = atom();
      if (moves) batch.set("velocities", [1e-3, 2e-3, 0]);
      else initVelocities(batch, 40, { seed: 1, removeCom });
      await using md = new NVTBussi({
        model: FREE,
        dt: 2,
        temperature: 40,
        thermostatTime: 2e-3,
        ...where(backend),
      });
      await md.run(batch, 3);
      const [x, y, z] = batch.get("velocities");
      if (moves) assertAlmostEquals(y! / x!, 2, 1e-5);
      if (moves) assert(Math.abs(x! - 1e-3) > 1e-6);
      else assertEquals([x, y, z], [0, 0, 0]);
    }
  }),
);

test("the conserved energy of NVE is potential and kinetic energy", async () => {
  const seen: number[][] = [];
  const watch = hook({
    name: "watch",
    reads: ["conservedEnergy", "energy", "kineticEnergy"],
    on: {
      dynamics: {
        AFTER_STEP: ({ read: { conservedEnergy, energy, kineticEnergy } }) =>
          void seen.push([conservedEnergy[0]!, energy[0]! + kineticEnergy[0]!]),
      },
    },
  });
  await using md = new NVE({ model: ARGON, dt: 2, hooks: [watch] });
  await md.run(crystal(), 20);
  assertEquals(seen.length, 20);
  for (const [all, parts] of seen) assertEquals(all, parts);
});

test("a relaxation conserves nothing, and says so", async () => {
  const { watch } = conserved();
  await using opt = new FIRE({ model: ARGON, dt: 0.5, hooks: [watch] });
  const message =
    "Cannot run FIRE: a hook reads conservedEnergy, a field that only molecular dynamics has";
  await assertRejects(() => opt.run(crystal(), 5), TypeError, message);
});

Deno.test(
  "conserved quantities resume bitwise identically from a checkpoint",
  onEngines(async (backend) => {
    for (const name of ["NVTNoseHoover of order 3", "NVTBussi", "NVTLangevin"]) {
      const make = () => {
        const { rows, watch } = conserved();
        const options = { model: ARGON, ...where(backend), hooks: [watch] };
        return { rows, md: new Dynamics(SCHEMES[name]!(2), options) };
      };
      const [first, second] = [make(), make()];
      await using whole = first.md;
      await using other = second.md;
      await whole.run(crystal(), 12);
      const saved = await whole.save();
      await whole.run(await whole.load(saved), 12);
      await other.run(await other.load(saved), 12);
      assertEquals(second.rows, first.rows.slice(12), name);
    }
  }),
);

test("velocities that are made between two steps by hand count from the next on", async () => {
  const options = { model: ARGON, dt: 2, temperature: 40, thermostatTime: 100 };
  const batch = Batch.from([argon(2, 0)]);
  await using md = new NVTBussi(options);
  await using other = new NVTBussi(options);
  await md.step(batch);
  initVelocities(batch, 40, { seed: 1 });
  const same = batch.clone();
  for (let i = 0; i < 5; i++) await md.step(batch);
  await other.run(same, 5);
  // With 96 degrees of freedom instead of 93 more would have come from the bath.
  assertNear([...batch.get("velocities")], [...same.get("velocities")], 1e-6, 1e-3);
});
