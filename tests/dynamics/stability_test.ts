// Runs that are finite but not physical: one warning each, in the outcome too, and an error if the engine is strict.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Batch, initVelocities, System } from "../../src/batch/mod.ts";
import {
  type DynamicsOptions,
  FIRE,
  NVE,
  NVTLangevin,
  NVTNoseHoover,
  UnstableError,
} from "../../src/dynamics/mod.ts";
import type { HookWarning } from "../../src/hooks/mod.ts";
import { potential, tethers } from "../../src/models/mod.ts";
import { ARGON, crystals } from "./atoms.ts";
import { type EngineBackend, where } from "./backends.ts";
import { onEngines } from "./on_engines.ts";

/** An engine option that keeps warnings. */
function keeping(): {
  readonly warnings: HookWarning[];
  readonly onWarning: DynamicsOptions["onWarning"];
} {
  const warnings: HookWarning[] = [];
  return { warnings, onWarning: (warning) => void warnings.push(warning) };
}

/** Two atoms with these velocities, Å/fs, and a name. */
function moving(v: number, symbol = "Ar"): Batch {
  return Batch.from([
    new System({
      symbols: [symbol, symbol],
      positions: [0, 0, 0, 4, 0, 0],
      velocities: [v, 0, 0, -v, 0, 0],
      info: { label: "dimer" },
    }),
  ]);
}

const FREE = potential(() => 0, { name: "nothing" });

Deno.test(
  "a run that is far too hot, or too fast, is warned of once, with what to try, in the outcome too",
  onEngines(async (backend) => {
    const { warnings, onWarning } = keeping();
    const place = { ...where(backend as EngineBackend), onWarning: onWarning! };
    await using md = new NVE({ model: tethers({ stiffness: 1e-6 }), dt: 1, ...place });
    const batch = moving(0.6);
    await md.run(batch, 20);
    await md.run(batch, 20);
    const { status, warnings: told } = md.outcome as { status: string; warnings?: string[] };
    assertEquals([status, told?.length, warnings.length], ["completed", 2, 2]);
    const messages = warnings.map(({ error }) => (error as Error).message);
    assertStringIncludes(messages[0]!, "System 0 (dimer) moves too fast before the first step");
    assertStringIncludes(messages[0]!, "atom 0 moves 0.6 Å in a step. Try a smaller dt (now 1 fs)");
    assertStringIncludes(messages[1]!, "System 0 (dimer) is too hot before the first step");
    assertEquals(warnings.map(({ hook }) => hook), ["(stability)", "(stability)"]);
  }),
);

Deno.test("a system far above its bath is warned of, and one that is cooled by it is not", async () => {
  const langevin = { dt: 1, temperature: 10, friction: 1e-4, seed: 1 };
  const cooled = keeping();
  await using quench = new NVTLangevin({ model: FREE, ...langevin, onWarning: cooled.onWarning! });
  const hot = initVelocities(crystals(1), 4000, { seed: 2 }) ?? crystals(1);
  await quench.run(hot as Batch, 5);
  assertEquals([cooled.warnings, quench.outcome], [[], { status: "completed" }]);
  // A force that heats all atoms of a crystal at 40 K.
  let calls = 0;
  const heating = potential(({ positions, forces }) => {
    calls++;
    for (let i = 0; i < positions.length; i++) forces[i] = i % 2 === 0 ? 2 : -2;
    return 0;
  });
  const { warnings, onWarning } = keeping();
  await using md = new NVTLangevin({ model: heating, ...langevin, onWarning: onWarning! });
  await md.run(crystals(1), 100);
  assert(calls > 100);
  assertEquals(warnings.length, 1);
  const { message } = warnings[0]!.error as Error;
  assertStringIncludes(message, "is too hot at step");
  assertStringIncludes(message, "and that of the bath");
});

Deno.test("the energy of a run at constant energy that drifts is warned of when the run ends", async () => {
  // The force is not that of the energy.
  const wrong = potential(({ positions, forces }) => {
    for (let i = 0; i < positions.length; i++) forces[i] = 0.02;
    return 0;
  });
  const { warnings, onWarning } = keeping();
  await using md = new NVE({ model: wrong, dt: 2, onWarning: onWarning! });
  await md.run(moving(0.001), 300);
  assertEquals(warnings.length, 1);
  const { message, systems } = warnings[0]!.error as UnstableError;
  assertStringIncludes(message, "System 0 (dimer) has gained ");
  assertStringIncludes(message, "eV per atom by step 299 of NVE, which conserves energy");
  assertEquals(systems, [0]);
  await using good = new NVE({ model: ARGON, dt: 2, onWarning: onWarning! });
  await good.run(crystals(2), 200);
  assertEquals([warnings.length, good.outcome], [1, { status: "completed" }]);
});

Deno.test("a dt outside 0.01 to 20 fs is warned of, and a strict engine refuses it", async () => {
  for (const dt of [1e-15, 50, [2, 30]]) {
    const { warnings, onWarning } = keeping();
    await using md = new NVE({ model: FREE, dt, onWarning: onWarning! });
    const batch = Batch.from([...moving(0).systems(), ...moving(0).systems()]);
    await md.run(batch, 1);
    assertEquals(warnings.length, 1);
    assertStringIncludes((warnings[0]!.error as Error).message, "outside 0.01 to 20 fs");
    await using strict = new NVE({ model: FREE, dt, strict: true });
    const error = await assertRejects(() => strict.run(batch, 1), UnstableError, "Try 0.5 to 1 fs");
    assertEquals([error.step, strict.stepCount], [-1, 0]);
  }
});

Deno.test(
  "a strict engine ends the run with an error",
  onEngines(async (backend) => {
    await using md = new NVTNoseHoover({
      model: tethers({ stiffness: 1e-6 }),
      dt: 1,
      temperature: 300,
      thermostatTime: 1000,
      strict: true,
      ...where(backend as EngineBackend),
    });
    const batch = moving(0.6, "H");
    const error = await assertRejects(() => md.run(batch, 100_000), UnstableError);
    assertStringIncludes(error.message, "moves too fast");
    assert(md.stepCount < 100_000);
    assertEquals(batch.heldBy, undefined);
  }),
);

Deno.test("relaxations take no time, and are not watched", async () => {
  const { warnings, onWarning } = keeping();
  await using opt = new FIRE({ model: ARGON, dt: 0.1, onWarning: onWarning! });
  await opt.run(crystals(1), 50);
  assertEquals(warnings, []);
});
