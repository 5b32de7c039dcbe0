// Where a run cannot go on for want of room: cells too flat for their pairs, and more steps than can be counted.
import { assertEquals, assertRejects } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import { DivergedError, NVE } from "../../src/dynamics/mod.ts";
import { lennardJones } from "../../src/models/mod.ts";
import { divergedSystems } from "../../src/dynamics/engine/dynamics_checks.ts";
import { hook } from "../../src/hook.ts";
import { SnapshotHook } from "../../src/observe/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { ARGON, crystals } from "./atoms.ts";
import { where } from "./backends.ts";
import { onEngines } from "./on_engines.ts";
import { test } from "../suite.ts";

const MOST = 2 ** 31 - 1;

Deno.test(
  "a cell too flat for its pairs is blamed on the cell, a cutoff too long likewise, and not on atoms",
  onEngines(async (backend) => {
    const flat = [20, 0, 0, 0, 20, 0, 0, 0, 0.1];
    const cubic = [5.26, 0, 0, 0, 5.26, 0, 0, 0, 5.26];
    const cases = [
      [
        flat,
        8.5,
        "its faces are 0.1 Å apart along c, and pairs reach 10 Å (cutoff 8.5 Å, skin 1.5 Å)",
      ],
      [cubic, 1000, "its faces are 5.26 Å apart along a, and pairs reach 1002 Å"],
    ] as const;
    for (const [cell, cutoff, words] of cases) {
      const good = {
        symbols: ["Ar"],
        positions: [0, 0, 0],
        cell: [2e3, 0, 0, 0, 2e3, 0, 0, 0, 2e3],
      };
      const batch = Batch.from([
        { ...good, pbc: true },
        { symbols: ["Ar"], positions: [0, 0, 0], cell, pbc: true },
      ]);
      const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff });
      await using md = new NVE({ model, dt: 1, ...where(backend) });
      const { message } = await assertRejects(() => md.run(batch, 2), DivergedError, words);
      assertEquals(/too close/.test(message), false, message);
      assertEquals(/System 1 /.test(message), true, message);
    }
  }),
);

test("an atom that is gone is still blamed on the atom, also in a cell that is gone with it", async () => {
  const batch = crystals(1);
  batch.set("velocities", batch.get("velocities").map((v, i) => i === 8 ? 1e30 : v));
  await using md = new NVE({ model: ARGON, dt: 1 });
  await assertRejects(() => md.run(batch, 5), DivergedError, "(atom 2 first)");
});

test("an atom that is far away, but not too far, is not blamed for one that is", async () => {
  const batch = Batch.from([{
    symbols: ["Ar", "Ar"],
    positions: [2e6, 0, 0, 0, 0, 0],
    velocities: [0, 0, 0, 2e9, 0, 0],
  }]);
  await using md = new NVE({ model: ARGON, dt: 1, device: "reference", onWarning: () => {} });
  await assertRejects(() => md.run(batch, 5), DivergedError, "(atom 1 first)");
});

Deno.test(
  "a cell that is not finite is blamed on the cell",
  onEngines(async (backend) => {
    const batch = crystals(2);
    const spoil = hook({
      name: "spoil",
      writes: ["cell"],
      frequency: 3,
      on: {
        dynamics: {
          BEFORE_STEP: ({ write, stepCount }) => void (stepCount > 0 && (write.cell[12] = NaN)),
        },
      },
    });
    await using md = new NVE({ model: ARGON, dt: 1, hooks: [spoil], ...where(backend) });
    await assertRejects(() => md.run(batch, 5), DivergedError, "its cell is not finite");
    const lost = divergedSystems(crystals(2), { cell: new Float64Array(18).fill(NaN, 12) });
    assertEquals(lost, [{ system: 1, cause: "cell", atom: undefined }]);
  }),
);

test("a run ends with an error before the steps of a system, or of an engine, can no longer be counted", async () => {
  const batch = crystals(2);
  batch.set("stepsDone", [3, MOST - 6]);
  await using md = new NVE({ model: ARGON, dt: 1 });
  await md.run(batch, 6);
  assertEquals([...batch.get("stepsDone")], [9, MOST]);
  const before = batch.get("positions").slice();
  for (const n of [1, 100]) {
    await assertRejects(
      () => md.run(batch, n),
      RangeError,
      "set stepsDone to 0 and use a new engine",
    );
  }
  await assertRejects(
    () => md.step(batch),
    RangeError,
    `it has done ${MOST} steps, the largest number`,
  );
  assertEquals([...batch.get("stepsDone")], [9, MOST]);
  assertEquals(batch.get("positions"), before);
});

test("frames of the last steps that can be counted have their numbers", async () => {
  const batch = crystals(1), sink = new MemorySink();
  await using md = new NVE({ model: ARGON, dt: 1 });
  await md.run(batch, 1);
  const saved = await md.save();
  const loop = { ...saved.loop as object, stepCount: MOST - 3 };
  await using late = new NVE({ model: ARGON, dt: 1 });
  late.hooks.add(new SnapshotHook({ sink, frequency: 1 }));
  const resumed = await late.load({ ...saved, loop } as never);
  await assertRejects(
    () => late.run(resumed, MOST + 5),
    RangeError,
    `it has done ${MOST} steps, the largest number`,
  );
  assertEquals([...sink.read().get("step")].slice(-2), [MOST - 2, MOST - 1]);
});
