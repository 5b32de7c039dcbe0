// What hooks read when a run ends, and what a batch keeps, is that of the last step, however steps were done.
import { assertEquals } from "@std/assert";
import { LBFGS, NPT, NVE } from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { SnapshotHook } from "../../src/observe/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { ARGON, assertNear, crystals } from "./atoms.ts";
import { TOLERANCE, where } from "./backends.ts";
import { onEngines, onEnginesAndGpu } from "./on_engines.ts";
import { test } from "../suite.ts";

Deno.test(
  "a hook that fires at the end of a run reads what is so then, though the last steps were leapt over",
  onEngines(async (backend) => {
    const seen = async (frequency: number) => {
      const rows: number[][] = [];
      const log = hook({
        name: "log",
        frequency,
        atEnd: true,
        reads: ["energy", "fmax", "temperature", "time"],
        on: {
          dynamics: {
            AFTER_STEP: ({ stepCount, read: { energy, fmax, temperature, time } }) =>
              void rows.push([stepCount, energy[0]!, fmax[0]!, temperature[0]!, time[0]!]),
          },
        },
      });
      await using md = new NVE({ model: ARGON, dt: 2, ...where(backend), hooks: [log] });
      await md.run(crystals(1), 16);
      return rows;
    };
    const [often, seldom] = [await seen(1), await seen(10)];
    assertEquals(seldom.map(([step]) => step), [0, 10, 15]);
    assertEquals(seldom[1], often[10]);
    assertNear(seldom[2]!.slice(1), often[15]!.slice(1), 1e-12);
  }),
);

test(
  "a batch that keeps stresses has those of the last step, whether energies were looked at or not",
  onEnginesAndGpu(async (backend) => {
    const stressAfter = async (isLooked: boolean, key: "energy" | "energyChange") => {
      const batch = crystals(1);
      batch.ensure("stress");
      const look = hook({
        name: "look",
        frequency: 3,
        reads: [key],
        on: { dynamics: { AFTER_STEP: () => {} } },
      });
      await using md = new NVE({
        model: ARGON,
        dt: 2,
        ...where(backend),
        hooks: isLooked ? [look] : [],
      });
      await md.run(batch, 11);
      return batch.get("stress");
    };
    const plain = await stressAfter(false, "energy");
    assertNear(await stressAfter(true, "energy"), plain, 1e-12);
    assertNear(await stressAfter(true, "energyChange"), plain, 1e-12);
  }),
);

/** Checks that frames, and the batch after the run, have the stresses of a fresh evaluation. */
function leavesStresses(scheme: "NPT" | "LBFGS"): (t: Deno.TestContext) => Promise<void> {
  return onEngines(async (backend, name) => {
    const batch = crystals(2);
    const sink = new MemorySink();
    const options = { model: ARGON, ...where(backend), hooks: [new SnapshotHook({ sink })] };
    const baths = { temperature: 40, thermostatTime: 50, pressure: 0, barostatTime: 500 };
    await using engine = scheme === "NPT"
      ? new NPT({ dt: 4, ...baths, ...options })
      : new LBFGS({ cell: true, ...options });
    await engine.run(batch, 8);

    const frames = sink.read().clone();
    const [kept, seen] = [batch.get("stress").slice(), frames.get("stress").slice()];
    await using fresh = new NVE({ model: ARGON, dt: 2, ...where(backend) });
    await fresh.run(batch, 0);
    await fresh.run(frames, 0);
    assertNear(kept, batch.get("stress"), 10 * TOLERANCE[name], 1e-3);
    assertNear(seen, frames.get("stress"), 10 * TOLERANCE[name], 1e-3);
  });
}

test(
  "NPT, which looks at stresses itself, leaves those of the step in frames and in the batch",
  leavesStresses("NPT"),
);

test("so does LBFGS where cells relax", leavesStresses("LBFGS"));
