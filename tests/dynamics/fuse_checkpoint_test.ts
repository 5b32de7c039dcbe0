/** Fused engines that stop and go on, with all that is theirs. */
import { assertEquals, assertRejects } from "@std/assert";
import type { Batch } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  FIRE,
  fuse,
  type FusedDynamics,
  NVE,
  NVTLangevin,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { ARGON, argon, assertSameBits, bitsOf } from "./atoms.ts";
import { Batch as Atoms } from "../../src/batch/mod.ts";
import { type EngineBackend, where } from "./backends.ts";
import { onEngines } from "./on_engines.ts";
import { test } from "../suite.ts";

const model = ARGON;

function start(): Batch {
  return Atoms.from([argon(2, 0, 0.01), argon(1, 1, 0.2), argon(2, 2, 0.05), argon(1, 3, 0.02)]);
}

/** A hook that counts its calls, and keeps the count. */
function counting(counts: { n: number }) {
  return hook({
    name: "count",
    frequency: 3,
    on: { dynamics: { AFTER_STEP: () => void counts.n++ } },
    save: () => ({ n: counts.n }),
    load: (state: unknown) => void (counts.n = (state as { n: number }).n),
  });
}

function engine(backend: EngineBackend, counts: { n: number }): FusedDynamics {
  const place = where(backend);
  const early = fuse(
    new FIRE({ model, dt: 0.4, ...place, hooks: [ConvergenceHook.fromFmax(0.03)] }),
    new NVTLangevin({
      model,
      dt: 2,
      temperature: 60,
      friction: 0.02,
      nSteps: 7,
      ...place,
      hooks: [counting(counts)],
    }),
  );
  return fuse(early, new NVE({ model, dt: 3, nSteps: 6, ...place }));
}

Deno.test(
  "stopped at any step and gone on with, each system in its stage, it ends with the same bits",
  onEngines(async (backend) => {
    const path = await Deno.makeTempFile();
    const whole = start(), counts = { n: 0 };
    await using undisturbed = engine(backend, counts);
    await undisturbed.run(whole);
    const { stepCount } = undisturbed;
    const stops = [1, 8, 20, stepCount - 3].filter((at) => at > 0 && at < stepCount);
    assertEquals(stops.length, 4);
    for (const at of stops) {
      const batch = start(), before = { n: 0 }, after = { n: 0 };
      await using first = engine(backend, before);
      await first.run(batch, at);
      await first.saveCheckpoint(path);
      await using second = engine(backend, after);
      const loaded = await second.loadCheckpoint(path);
      await second.run(loaded);
      assertSameBits(bitsOf(loaded), bitsOf(whole), `stopped at ${at}`);
      for (const name of ["time", "stageSteps", "velocities"]) {
        assertEquals([...loaded.get(name)], [...whole.get(name)], name);
      }
      assertEquals([second.stepCount, after.n], [stepCount, counts.n]);
    }
    await Deno.remove(path);
  }),
);

test("a checkpoint in mid-run is as if the run had stopped there, asked for by a stage or by the whole", async () => {
  const path = await Deno.makeTempFile();
  const whole = start();
  await using undisturbed = engine("wasm", { n: 0 });
  await undisturbed.run(whole);
  const batch = start();
  const saving = engine("wasm", { n: 0 });
  const [, nvt] = saving.stages;
  let isSaved: Promise<void> | undefined;
  nvt!.hooks.add(hook({
    name: "save",
    frequency: 1,
    on: {
      dynamics: {
        AFTER_STEP: () => void (isSaved ??= nvt!.betweenSteps(() => nvt!.saveCheckpoint(path))),
      },
    },
  }));
  await saving.run(batch);
  await isSaved;
  await saving.close();
  await using other = engine("wasm", { n: 0 });
  const loaded = await other.loadCheckpoint(path);
  assertEquals(other.stepCount < undisturbed.stepCount - 6, true);
  await other.run(loaded);
  assertSameBits(bitsOf(loaded), bitsOf(whole));
  assertEquals([...loaded.get("time")], [...whole.get("time")]);
  await Deno.remove(path);
});

test("a checkpoint of other stages is refused", async () => {
  const path = await Deno.makeTempFile();
  const make = (name: string) =>
    fuse(new NVE({ model, dt: 1, nSteps: 1, name }), new NVE({ model, dt: 1, nSteps: 1 }));
  await using one = make("x");
  await using other = make("y");
  await one.run(start(), 1);
  await one.saveCheckpoint(path);
  await assertRejects(() => other.loadCheckpoint(path), TypeError, "dynamics/y+NVE");
  await Deno.remove(path);
});
