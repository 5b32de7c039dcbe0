/** A system moves bitwise identically alone and in any slot of any batch, beside active or finished systems. */
import { assertEquals, assertNotEquals } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import {
  bussi,
  ConvergenceHook,
  Dynamics,
  fire2Relaxer,
  fireRelaxer,
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
import { ARGON, argon, assertSameBits, bitsOf, crystals } from "./atoms.ts";
import { type EngineBackend, where } from "./backends.ts";
import { onEngines, onEnginesAndGpu } from "./on_engines.ts";
import { test } from "../suite.ts";

const SCHEMES: readonly Integrator[] = [
  velocityVerlet({ dt: 2 }),
  langevin({ dt: 2, temperature: 60, friction: 0.01, seed: 5 }),
  noseHoover({ dt: 2, temperature: 60, thermostatTime: 50 }),
  bussi({ dt: 2, temperature: 60, thermostatTime: 50, seed: 5 }),
  fireRelaxer({ dt: 0.3 }),
  fire2Relaxer({ dt: 0.05, tMax: 0.5 }),
  lbfgsRelaxer({ maxStep: 0.005 }), // or it would be there at once
  lbfgsRelaxer({ maxStep: 0.005, memory: 3, lineSearch: true }),
];

async function run(scheme: Integrator, batch: Batch, backend: EngineBackend, steps: number) {
  const isRelaxation = scheme.dt === undefined;
  const hooks = isRelaxation ? [ConvergenceHook.fromFmax(0.02)] : [];
  await using engine = new Dynamics(scheme, { model: ARGON, ...where(backend), hooks });
  await engine.run(batch, steps);
}

Deno.test(
  "converged systems stay bitwise identical while others move, and so does their integrator state",
  onEngines(async (backend) => {
    for (const scheme of [fireRelaxer({ dt: 0.3 }), fire2Relaxer({ dt: 0.05, tMax: 0.5 })]) {
      // The first is all but relaxed, the last far from it.
      const batch = Batch.from([argon(2, 0, 0.002), argon(2, 1, 0.03), argon(2, 2, 0.15)]);
      const seen: number[][] = [];
      const watch = hook({
        name: "watch",
        on: {
          dynamics: { ON_CONVERGE: (ctx) => void seen.push(Array.from(ctx.convergedMask)) },
        },
      });
      const looked: number[][] = [];
      const look = hook({
        name: "look",
        reads: ["energy", "forces", "positions", "velocities"],
        on: {
          dynamics: {
            AFTER_STEP: ({ read }) => {
              if (seen.length === 0) return;
              const own: number[][] = [read.forces, read.positions, read.velocities].map((all) =>
                Array.from(all).slice(0, 96)
              );
              looked.push([read.energy[0]!, ...own.flat()]);
            },
          },
        },
      });
      await using engine = new Dynamics(scheme, {
        model: ARGON,
        ...where(backend),
        hooks: [ConvergenceHook.fromFmax(0.02), watch, look],
      });
      for (let steps = 0; seen.length === 0 && steps < 300; steps++) await engine.step(batch);
      assertEquals(seen, [[1, 0, 0]]);
      const before = bitsOf(batch, 0);
      const kept = await stateOf(engine, 0);
      const others = bitsOf(batch, 2);
      await engine.run(batch, 10);
      assertSameBits(bitsOf(batch, 0), before);
      assertEquals(await stateOf(engine, 0), kept);
      assertNotEquals(bitsOf(batch, 2), others);
      assertNotEquals(await stateOf(engine, 2), kept);
      // Nor was anything else to be seen in between.
      assertEquals(looked.length, 10);
      for (const values of looked) assertEquals(values, looked[0]);
      assertEquals(looked[0]!.slice(0, 97), [...before.energy!, ...before.forces!]);
    }
  }),
);

/** State of the integrator for one system: all arrays with one number per system. */
async function stateOf(
  engine: { save(): Promise<SavedDynamics> },
  place: number,
): Promise<Record<string, number>> {
  const { states } = (await engine.save()).resident;
  const own = ["dt", "alpha", "positive"].map((name) => [name, states[name]![place]!] as const);
  return Object.fromEntries(own);
}

Deno.test(
  "a run in parts has the bits of a run in one",
  onEngines(async (backend) => {
    for (const scheme of SCHEMES) {
      const [whole, parts] = [crystals(3), crystals(3)];
      await run(scheme, whole, backend, 30);
      await using engine = new Dynamics(scheme, {
        model: ARGON,
        ...where(backend),
        hooks: scheme.dt === undefined ? [ConvergenceHook.fromFmax(0.02)] : [],
      });
      await engine.run(parts, 7);
      for (let i = 0; i < 3; i++) await engine.step(parts);
      await engine.run(parts, 20);
      assertSameBits(bitsOf(parts), bitsOf(whole), scheme.name);
      assertEquals(engine.stepCount, 30);
    }
  }),
);

test(
  "equal seeds give equal bits, other seeds other noise",
  onEnginesAndGpu(async (backend) => {
    const ends = await Promise.all([5, 5, 6, 2 ** 32 + 5].map(async (seed) => {
      const batch = crystals(2);
      await run(langevin({ dt: 2, temperature: 60, friction: 0.01, seed }), batch, backend, 5);
      return bitsOf(batch).positions!;
    }));
    assertEquals(ends[1], ends[0]);
    assertNotEquals(ends[2], ends[0]);
    assertNotEquals(ends[3], ends[0]);
  }),
);

Deno.test(
  "a crystal of another id has other noise, so copies of a system go different ways",
  onEngines(async (backend) => {
    const batch = Batch.from([argon(2, 0), argon(2, 0)]);
    assertEquals([...batch.get("systemId")], [0, 1]);
    await run(langevin({ dt: 2, temperature: 60, friction: 0.01 }), batch, backend, 5);
    assertNotEquals(bitsOf(batch, 0).positions, bitsOf(batch, 1).positions);
    await using md = new NVE({ model: ARGON, dt: 2, ...where(backend) });
    const twins = Batch.from([argon(2, 0), argon(2, 0)]);
    await md.run(twins, 5);
    assertEquals(bitsOf(twins, 0).positions, bitsOf(twins, 1).positions);
  }),
);

Deno.test(
  "changing a system between two runs leaves the others bitwise identical",
  onEngines(async (backend) => {
    const pressed = { dt: 2, temperature: 60, thermostatTime: 100, barostatTime: 300 };
    for (
      const scheme of [velocityVerlet({ dt: 2 }), nptIntegrator({ ...pressed, pressure: 0.001 })]
    ) {
      const [plain, changed] = [crystals(3), crystals(3)];
      for (const batch of [plain, changed]) {
        await using engine = new Dynamics(scheme, { model: ARGON, ...where(backend) });
        await engine.run(batch, 15);
        if (batch === changed) {
          batch.set("positions", batch.get("positions").map((x, k) => k < 96 ? 1.01 * x : x));
          batch.set("cell", batch.get("cell").map((x, k) => k < 9 ? 1.01 * x : x));
        }
        await engine.run(batch, 15);
      }
      assertNotEquals(bitsOf(changed, 0), bitsOf(plain, 0));
      for (const s of [1, 2]) assertSameBits(bitsOf(changed, s), bitsOf(plain, s), scheme.name);
    }
  }),
);
