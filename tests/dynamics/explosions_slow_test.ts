// Explosions of every engine on every backend: an error or a warning each, and nothing that is not finite in frames.
import { assert, assertEquals } from "@std/assert";
import { Batch, fcc, initVelocities, rattle } from "../../src/batch/mod.ts";
import {
  DivergedError,
  type Dynamics,
  FIRE,
  FIRE2,
  UnstableError,
} from "../../src/dynamics/mod.ts";
import { SnapshotHook } from "../../src/observe/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { atomEngines, type MakeEngine } from "./atom_engines.ts";
import { ARGON } from "./atoms.ts";
import { type EngineBackend, where } from "./backends.ts";
import { onEnginesAndGpu } from "./on_engines.ts";

const STEPS = 300;

/** Every engine, with a time step; relaxations have their own. */
const ENGINES: Readonly<Record<string, MakeEngine>> = {
  ...atomEngines(() => ({
    temperature: 40,
    friction: 1e-4,
    thermostatTime: 500,
    barostatTime: 1000,
  })),
  FIRE: (options) => new FIRE({ ...options, dt: 0.5 }),
  FIRE2: (options) => new FIRE2({ ...options, dt: 0.1 }),
};

/** Crystals with atoms far from their places, ever closer to each other. */
function violent(seed: number): Batch {
  const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
  const batch = Batch.from([0.05, 0.5, 1, 1.6].map((width, k) => rattle(crystal, width, seed + k)));
  initVelocities(batch, 80, { seed });
  return batch;
}

/** Runs a violent batch, and returns how that ended, in one word. */
async function end(make: () => Dynamics, sink: MemorySink, seed: number): Promise<string> {
  await using engine = make();
  const isMd = engine.integrator.dt !== undefined;
  const batch = violent(seed);
  const before = batch.get("positions").slice();
  try {
    await engine.run(batch, STEPS);
  } catch (error) {
    if (error instanceof UnstableError) return "unstable";
    assert(error instanceof DivergedError, String(error));
    assertEquals(engine.stepCount, Math.max(0, error.step));
    assertEquals(batch.get("positions"), before);
    return "diverged";
  } finally {
    for (const name of ["positions", "velocities", "cell"] as const) {
      assert(Array.from(batch.get(name)).every(Number.isFinite), name);
      if (sink.length > 0) assert(Array.from(sink.read().get(name)).every(Number.isFinite), name);
    }
  }
  const { outcome } = engine;
  assertEquals(outcome?.status, "completed");
  const isWarned = outcome?.status === "completed" && outcome.warnings !== undefined;
  return isWarned ? "warned" : isMd ? "silent" : "relaxed";
}

/** A time step, how often frames are written, and whether warnings are errors. */
interface Trial {
  readonly dt: number;
  readonly frequency: number | undefined;
  readonly strict: boolean;
  readonly seed: number;
}

const TRIALS: readonly Trial[] = [5, 15, 60].flatMap((dt, k) =>
  [undefined, 1, 7].flatMap((frequency) =>
    [false, true].map((strict) => ({ dt, frequency, strict, seed: 10 * k }))
  )
);

/** All trials on wasm; elsewhere four, which have each time step, frequency and strictness: others for each engine. */
function trialsOn(backend: string, engine: number): readonly Trial[] {
  return backend === "wasm" ? TRIALS : [0, 4, 8, 13].map((i) => TRIALS[(i + engine) % 18]!);
}

for (const [i, [name, make]] of Object.entries(ENGINES).entries()) {
  Deno.test(
    `${name}: an explosion is an error or a warning, and frames are finite`,
    onEnginesAndGpu(async (backend, device) => {
      for (const { dt, frequency, strict, seed } of trialsOn(device, i)) {
        const sink = new MemorySink();
        const hooks = frequency === undefined ? [] : [new SnapshotHook({ sink, frequency })];
        const options = {
          model: ARGON,
          hooks: hooks as never,
          strict,
          onWarning: () => {},
          ...where(backend as EngineBackend),
        };
        const how = await end(() => make(options, dt), sink, seed);
        assert(how !== "silent", `${name}, dt ${dt}: ${how}`);
        if (strict) assert(how !== "warned", `${name}, dt ${dt}: strict`);
      }
    }),
  );
}
