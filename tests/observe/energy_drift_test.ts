// Drift of energies from their first values.
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { initVelocities } from "../../src/batch/mod.ts";
import { NVE, NVTLangevin } from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import {
  EnergyDriftError,
  EnergyDriftMonitorHook,
  type EnergyDriftMonitorHookOptions,
} from "../../src/observe/mod.ts";
import { ARGON, argon, bitsOf, crystals } from "../dynamics/atoms.ts";
import { where } from "../dynamics/backends.ts";
import { onEngines } from "../dynamics/on_engines.ts";
import { test } from "../suite.ts";

/** An engine with a drift monitor, its warnings, and total energies measured by a plain hook. */
function watched(options: EnergyDriftMonitorHookOptions, dt = 5) {
  const warnings: EnergyDriftError[] = [];
  const totals: number[][] = [];
  const total = hook({
    name: "total",
    reads: ["energy", "kineticEnergy"],
    on: {
      dynamics: {
        AFTER_STEP: ({ read: { energy, kineticEnergy } }) =>
          void totals.push(Array.from(energy, (e, i) => e + kineticEnergy[i]!)),
      },
    },
  });
  const monitor = new EnergyDriftMonitorHook(options);
  const md = new NVE({
    model: ARGON,
    dt,
    device: "reference",
    hooks: [total, monitor],
    onWarning: ({ error }) => void warnings.push(error as EnergyDriftError),
  });
  return { md, warnings, totals, monitor };
}

test("each metric measures the documented drift, and warns in each step beyond the threshold", async () => {
  const measures = {
    absolute: (off: number) => off,
    perAtom: (off: number) => off / 32,
    perAtomPerStep: (off: number, steps: number) => off / 32 / steps,
  };
  for (const metric of ["absolute", "perAtom", "perAtomPerStep"] as const) {
    const { md, warnings, totals } = watched({ threshold: 0, metric });
    await using _md = md;
    await md.run(crystals(2), 30);
    const expected = totals.slice(1).map((now, i) =>
      now.map((e, s) => measures[metric](Math.abs(e - totals[0]![s]!), i + 1))
    );
    assertEquals(
      warnings.map(({ drift }) => drift),
      expected.map((drifts) => Math.max(...drifts)),
    );
    assertEquals(warnings.map(({ step }) => step), Array.from({ length: 29 }, (_, i) => i + 1));
    assert(warnings.every(({ systems }) => systems.length === 2));
  }
});

test("a drift equal to the threshold passes, a larger one does not; kinetic energy counts by default", async () => {
  const first = watched({ threshold: 0, metric: "absolute" });
  await using _first = first.md;
  await first.md.run(crystals(1), 20);
  const most = Math.max(...first.warnings.map(({ drift }) => drift));
  for (const [threshold, isBeyond] of [[most, false], [most * (1 - 1e-12), true]] as const) {
    const { md, warnings } = watched({ threshold, metric: "absolute" });
    await using _md = md;
    await md.run(crystals(1), 20);
    assertEquals(warnings.length > 0, isBeyond);
  }
  const potential = watched({ threshold: 50 * most, metric: "absolute", includeKinetic: false });
  await using _potential = potential.md;
  await potential.md.run(crystals(1), 20);
  assert(potential.warnings.length > 0);
});

test("action throw ends the run with an error that names step, systems and drift", async () => {
  const { md } = watched({ threshold: 1e-9, metric: "perAtom", action: "throw" }, 10);
  await using _md = md;
  const error = await assertRejects(() => md.run(crystals(2), 50), EnergyDriftError);
  assertEquals(md.stepCount, error.step);
  assert(error.drift > 1e-9 && error.systems.length > 0);
  assert(
    error.message.includes(`in step ${error.step}, the energy of system`) &&
      error.message.includes(
        `has drifted by ${
          Number(error.drift.toPrecision(3))
        } eV per atom, but at most 1e-9 eV per atom is allowed`,
      ),
    error.message,
  );
});

test("references belong to systems: across runs, entering and leaving systems, until reset", async () => {
  const { md, warnings, totals, monitor } = watched({ threshold: 0, metric: "absolute" });
  await using _md = md;
  const batch = crystals(3);
  await md.run(batch, 5);
  batch.drop([0]);
  batch.append([argon(2, 9)]);
  const { length } = warnings;
  await md.run(batch, 5);
  const [now, begin] = [totals.at(-1)!, totals[0]!];
  const joined = totals[5]!; // the first step with the new one
  const drifts = [now[0]! - begin[1]!, now[1]! - begin[2]!, now[2]! - joined[2]!].map(Math.abs);
  assertEquals(warnings.at(-1)!.drift, Math.max(...drifts));
  assertEquals(warnings.length, length + 5);
  initVelocities(batch, 80, { seed: 4 });
  monitor.reset();
  await md.run(batch, 1);
  assertEquals(warnings.length, length + 5);
  await md.run(crystals(3, 80), 1); // another batch with the same ids
  assertEquals(warnings.length, length + 5);
});

test("rates count the steps since a system was first seen", async () => {
  const monitor = new EnergyDriftMonitorHook({ threshold: 0 });
  const warnings: EnergyDriftError[] = [];
  const totals: number[] = [];
  await using md = new NVE({
    model: ARGON,
    dt: 5,
    device: "reference",
    onWarning: ({ error }) => void warnings.push(error as EnergyDriftError),
  });
  const batch = await md.run(crystals(1), 10);
  md.hooks.add(monitor);
  md.hooks.add(hook({
    name: "total",
    reads: ["energy", "kineticEnergy"],
    on: {
      dynamics: {
        AFTER_STEP: ({ read }) => void totals.push(read.energy[0]! + read.kineticEnergy[0]!),
      },
    },
  }));
  await md.run(batch, 4);
  assertEquals(warnings.at(-1)!.drift, Math.abs(totals[3]! - totals[0]!) / (32 * 3));
});

test("a resumed run measures the same drifts as one without interruption", async () => {
  const options = { threshold: 0, metric: "absolute" } as const;
  const whole = watched(options);
  await using _whole = whole.md;
  await whole.md.run(crystals(2), 12);
  const first = watched(options);
  await using _first = first.md;
  await first.md.run(crystals(2), 6);
  const second = watched(options);
  await using _second = second.md;
  await second.md.run(await second.md.load(structuredClone(await first.md.save())), 6);
  const drifts = (list: readonly EnergyDriftError[]) => list.map(({ drift }) => drift);
  assertEquals([...drifts(first.warnings), ...drifts(second.warnings)], drifts(whole.warnings));
  assertThrows(
    () => second.monitor.load({ references: [[1, 2]] }),
    TypeError,
    "its state must be a result of save()",
  );
  assertThrows(
    () => second.monitor.load(undefined),
    TypeError,
    "its state must be a result of save()",
  );
});

test("an energy that is NaN exceeds any threshold", async () => {
  const warnings: unknown[] = [];
  await using md = new NVE({
    model: ARGON,
    dt: 1,
    device: "reference",
    hooks: [new EnergyDriftMonitorHook({ threshold: 1e9, frequency: 2 })],
    onWarning: ({ error }) => void warnings.push(error),
  });
  md.hooks.add(hook({
    name: "spoil",
    writes: ["energy"],
    // It becomes NaN after the engine has checked the results of the model; otherwise the run would end.
    on: { dynamics: { AFTER_POST_UPDATE: ({ write }) => void write.energy.fill(NaN) } },
  }));
  await md.run(crystals(1), 3);
  assertEquals(warnings.length, 2);
});

Deno.test(
  "the monitor does not change the results",
  onEngines(async (backend) => {
    const run = async (hooks: EnergyDriftMonitorHook[], verify = false) => {
      const onWarning = ({ error }: { error: unknown }) => {
        throw error;
      };
      const scheme = { temperature: 40, friction: 0.01, seed: 1 };
      await using md = new NVTLangevin({
        model: ARGON,
        dt: 1,
        ...scheme,
        ...where(backend),
        hooks,
        verify,
        onWarning,
      });
      return bitsOf(await md.run(crystals(2), 15));
    };
    const plain = await run([]);
    assertEquals(await run([new EnergyDriftMonitorHook({ threshold: 1 })], true), plain);
    assertEquals(await run([new EnergyDriftMonitorHook({ threshold: 1, frequency: 6 })]), plain);
  }),
);

test("wrong options of a drift monitor are named", () => {
  const wrong: readonly (readonly [unknown, typeof Error, string])[] = [
    [{}, TypeError, "threshold is required: the largest"],
    [{ threshold: -1 }, RangeError, "threshold must be 0 or more"],
    [{ threshold: NaN }, RangeError, "NaN"],
    [{ threshold: "1" }, TypeError, "threshold must be a number"],
    [{ threshold: 1, metric: "per_atom" }, TypeError, "absolute | perAtom | perAtomPerStep"],
    [{ threshold: 1, action: "raise" }, TypeError, '"warn" or "throw"'],
    [{ threshold: 1, includeKinetic: 1 }, TypeError, "true or false"],
    [{ threshold: 1, frequency: 0 }, RangeError, "frequency"],
    [{ threshold: 1, treshold: 1 }, TypeError, "among threshold"],
  ];
  for (const [options, error, message] of wrong) {
    assertThrows(
      () => new EnergyDriftMonitorHook(options as EnergyDriftMonitorHookOptions),
      error,
      message,
    );
  }
});
