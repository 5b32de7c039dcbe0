// Runs that are finite but not physical: one warning each, in the outcome too, and an error if the engine is strict.
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { Batch, initVelocities, System } from "../../src/batch/mod.ts";
import {
  type Constraint,
  type DynamicsOptions,
  FIRE,
  fixBonds,
  fuse,
  NVE,
  NVTLangevin,
  NVTNoseHoover,
  SizeAwareSampler,
  UnstableError,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import type { HookWarning, Outcome } from "../../src/hooks/mod.ts";
import {
  harmonicBonds,
  lennardJones,
  type Model,
  potential,
  tethers,
} from "../../src/models/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { ARGON, crystals } from "./atoms.ts";
import { type EngineBackend, where } from "./backends.ts";
import { onEngines, onEnginesAndGpu } from "./on_engines.ts";
import { test } from "../suite.ts";

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
    const huge = keeping();
    await using boom = new NVE({ model: FREE, dt: 1, ...place, onWarning: huge.onWarning! });
    await boom.run(moving(1e4), 1);
    const [, hot] = huge.warnings.map(({ error }) => (error as Error).message);
    assertMatch(hot!, /its temperature is \d\.\d+e\+15 K/);
  }),
);

test("a system far above its bath is warned of, and one that is cooled by it is not", async () => {
  const langevin = { dt: 1, temperature: 10, friction: 1e-4, seed: 1 };
  const cooled = keeping();
  await using quench = new NVTLangevin({
    model: FREE,
    ...langevin,
    onWarning: cooled.onWarning!,
  });
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
  assertStringIncludes(message, "and the bath has");
});

test(
  "the energy of a run at constant energy that drifts is warned of when the run ends",
  onEnginesAndGpu(async (backend) => {
    const { warnings, onWarning } = keeping();
    const place = { ...where(backend as EngineBackend), onWarning: onWarning! };
    // A step far too long for bonds as stiff as these.
    const stiff = harmonicBonds([{ atoms: [0, 1], stiffness: 22, length: 3.9 }]);
    for (const steps of [3, 6]) {
      await using md = new NVE({ model: stiff, dt: 20, ...place });
      await md.run(moving(0.001), steps);
      const { message, systems } = warnings.pop()!.error as UnstableError;
      assertMatch(message, /^System 0 \(dimer\) has (gained|lost) /);
      assertStringIncludes(
        message,
        `eV per atom by step ${steps - 1} of NVE, which conserves energy`,
      );
      assertEquals(systems, [0]);
      warnings.length = 0;
    }
    await using good = new NVE({ model: ARGON, dt: 2, ...place });
    await good.run(crystals(2), 200);
    assertEquals([warnings.length, good.outcome], [0, { status: "completed" }]);
  }),
);

test("a dt outside 0.01 to 10 fs is warned of, and a strict engine refuses it", async () => {
  for (const dt of [1e-15, 50, [2, 30]]) {
    const { warnings, onWarning } = keeping();
    await using md = new NVE({ model: FREE, dt, onWarning: onWarning! });
    const batch = Batch.from([...moving(0).systems(), ...moving(0).systems()]);
    await md.run(batch, 1);
    assertEquals(warnings.length, 1);
    assertStringIncludes((warnings[0]!.error as Error).message, "outside 0.01 to 10 fs");
    await using strict = new NVE({ model: FREE, dt, strict: true });
    const error = await assertRejects(() => strict.run(batch, 1), UnstableError, "Try 0.5 to 1 fs");
    assertEquals([error.step, strict.stepCount], [-1, 0]);
  }
});

test("a dt that is too long for the lightest atom is warned of, unless bonds are held", async () => {
  const warned = async (symbol: string, dt: number, constraints: readonly Constraint[] = []) => {
    const { warnings, onWarning } = keeping();
    await using md = new NVE({ model: FREE, dt, constraints, onWarning: onWarning! });
    await md.run(moving(0, symbol), 1);
    return warnings.map(({ error }) => (error as Error).message).join();
  };
  for (const [symbol, dt] of [["H", 2], ["C", 7], ["Ar", 10]] as const) {
    assertEquals(await warned(symbol, dt), "");
    assertMatch(await warned(symbol, 1.1 * dt), /The dt of NVE is [\d.]+ fs, outside 0.01 to/);
  }
  assertStringIncludes(await warned("H", 4), "0.01 to 2.03 fs: the lightest atom has 1.01 amu");
  assertEquals(await warned("H", 4, [fixBonds([[0, 1]])]), "");
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

test("relaxations take no time, and are not watched", async () => {
  const { warnings, onWarning } = keeping();
  await using opt = new FIRE({ model: ARGON, dt: 0.1, onWarning: onWarning! });
  await opt.run(crystals(1), 50);
  assertEquals(warnings, []);
});

test("steps by hand are looked at, too, and each of them if the engine is strict", async () => {
  const soft = tethers({ stiffness: 1e-6 }), { warnings, onWarning } = keeping();
  await using md = new NVE({ model: soft, dt: 1, onWarning: onWarning! });
  const batch = moving(0.6);
  for (let i = 0; i < 5; i++) await md.step(batch);
  assertEquals(warnings.length, 2);
  await using strict = new NVE({ model: soft, dt: 1, strict: true });
  await assertRejects(() => strict.step(moving(0.6)), UnstableError, "moves too fast");
  // Fast from the third step on, long before it is time for the next look.
  let steps = 0;
  const kick = hook({
    name: "kick",
    writes: ["velocities"],
    on: {
      dynamics: { AFTER_STEP: ({ write }) => void (++steps === 2 && (write.velocities[0] = 5)) },
    },
  });
  await using kicked = new NVE({ model: soft, dt: 1, strict: true, hooks: [kick] });
  const slow = moving(0.01);
  await kicked.step(slow);
  await kicked.step(slow);
  await assertRejects(() => kicked.step(slow), UnstableError, "moves too fast at step 1");
});

test("a stream is looked at by the time steps and baths of the batch that it has now", async () => {
  const { warnings, onWarning } = keeping();
  await using md = new NVTLangevin({
    model: FREE,
    dt: 1,
    temperature: 10,
    friction: 1e-6,
    onWarning: onWarning!,
  });
  const one = (size: number, v: number, label: string) =>
    new System({
      symbols: Array<string>(size).fill("Ar"),
      positions: Array.from({ length: 3 * size }, (_, i) => 4 * i),
      velocities: Array.from({ length: 3 * size }, (_, i) => i % 2 === 0 ? v : -v),
      info: { label },
    });
  // The second batch is larger than the first.
  const source = [
    one(2, 0, "calm"),
    one(40, 0, "calm"),
    one(40, 0, "calm"),
    one(50, 0.05, "wild"),
  ];
  const sampler = new SizeAwareSampler(source, { maxSystems: 2, maxAtoms: 100 });
  await md.stream(sampler, { sinks: [new MemorySink()], maxSteps: 200 });
  assertEquals(warnings.length, 1);
  const { message } = warnings[0]!.error as Error;
  assertMatch(message, /^System \d \(wild\) is too hot .*and the bath has 10 K/);
});

test("warnings are in the outcome of the run that they are of, also if it fails", async () => {
  const { onWarning } = keeping();
  let calls = 0;
  const bad = potential(() => ++calls > 2 ? NaN : 0, { name: "bad" });
  await using md = new NVE({ model: bad, dt: 50, onWarning: onWarning! });
  const seen: Outcome[] = [];
  md.hooks.add(
    hook({
      name: "seen",
      on: { dynamics: { AFTER_STEP: () => {} } },
      close: (outcome) => void seen.push(outcome),
    }),
  );
  await assertRejects(() => md.run(moving(0), 5));
  const failed = md.outcome as Outcome & { status: "failed" };
  assertEquals([failed.status, failed.warnings?.length, seen], ["failed", 1, [failed]]);
  assertStringIncludes(failed.warnings![0]!, "outside 0.01 to 10 fs");
  // What is noticed as a batch is placed belongs to the run that follows, and not to the one after it.
  await using far = new NVE({ model: FREE, dt: 1, onWarning: onWarning! });
  const constraints = [{ name: "FixBondLength", kwargs: {} }];
  const odd = Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0], info: { constraints } }]);
  await far.run(odd, 1);
  assertEquals(far.outcome?.warnings?.length, 1);
  await far.run(odd, 1);
  assertEquals(far.outcome, { status: "completed" });
});

test("steps by hand are compared with the bath, and close() does not compare energies", async () => {
  const heating = potential(({ positions, forces }) => {
    for (let i = 0; i < positions.length; i++) forces[i] = i % 2 === 0 ? 2 : -2;
    return 0;
  });
  const bath = { dt: 1, temperature: 10, friction: 1e-4, seed: 1, strict: true };
  await using md = new NVTLangevin({ model: heating, ...bath });
  const batch = crystals(1);
  const heat = async () => {
    for (let i = 0; i < 100; i++) await md.step(batch);
  };
  await assertRejects(heat, UnstableError, "and the bath has 10 K");
  const { warnings, onWarning } = keeping();
  const nve = new NVE({ model: FREE, dt: 1, onWarning: onWarning! });
  const pair = moving(0.001);
  await nve.step(pair);
  pair.set("velocities", [0.05, 0, 0, -0.05, 0, 0]); // which is the caller's right
  await nve.step(pair);
  await nve.close();
  assertEquals(warnings, []);
});

Deno.test(
  "of fused stages those that take time are watched, by their own dt and bath",
  onEngines(async (backend) => {
    const place = where(backend as EngineBackend);
    const relax = new FIRE({ model: ARGON, dt: 0.1, nSteps: 2 });
    await using absurd = fuse(relax, new NVE({ model: ARGON, dt: 50 }), { strict: true, ...place });
    await assertRejects(() => absurd.run(moving(0), 5), UnstableError, "is 50 fs, outside");
    const { warnings, onWarning } = keeping();
    const quiet = new FIRE({ model: ARGON, dt: 0.1, nSteps: 20 });
    const hot = new NVTLangevin({ model: ARGON, dt: 2, temperature: 1, friction: 1e-6, seed: 1 });
    await using both = fuse(quiet, hot, { onWarning: onWarning!, ...place });
    // 1.5 Å apart: as they relax, they are as fast as no atom of a temperature is.
    const close = Batch.from([{ symbols: ["Ar", "Ar"], positions: [0, 0, 0, 1.5, 0, 0] }]);
    await both.run(close, 15);
    assertEquals(warnings, []);
    await both.run(close, 200);
    assertEquals(both.outcome!.status, "completed");
  }),
);

test("a warning of a model is one of the engine, and in the outcome", async () => {
  const { warnings, onWarning } = keeping();
  const { open, ...rest } = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
  const model: Model = {
    ...rest,
    open(state, warn) {
      warn!("this model is a test");
      return open(state, warn);
    },
  };
  await using md = new NVE({ model, dt: 1, onWarning: onWarning! });
  await md.run(moving(0), 1);
  assertEquals(warnings.map(({ from, hook }) => [from, hook]), [["engine", "(model)"]]);
  assertEquals(md.outcome, { status: "completed", warnings: ["this model is a test"] });
});

test("the outcome is that of the last run, also of one that could not begin", async () => {
  await using md = new NVE({ model: FREE, dt: 1 });
  await md.run(moving(0), 1);
  assertEquals(md.outcome, { status: "completed" });
  await assertRejects(() => md.run(moving(0), -1), RangeError);
  assertEquals(md.outcome!.status, "failed");
});
