// A GPU that is lost while systems are in several stages: the run goes on on wasm, and nothing is reported twice.
import { assert, assertEquals } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  type DeviceRequest,
  FIRE,
  fuse,
  NVE,
  NVTLangevin,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { testOnGpu } from "../backend/gpu.ts";
import { slow } from "../suite.ts";
import { ARGON, argon, assertNear } from "./atoms.ts";
import { disguised } from "./devices.ts";

/**
 * Events that hooks of stages received, and the outcome. The device is lost in a step, or while the events of a step are
 * being delivered: after the first of them.
 */
async function run(loseAt: number | "event" | undefined, keepSeconds: number) {
  const { gpu, lose } = disguised();
  const device: DeviceRequest = loseAt === undefined
    ? { name: "wasm" }
    : { name: "auto", gpu, keepSeconds };
  const events: string[] = [], steps: string[] = [];
  const tell = (name: string) =>
    hook({
      name,
      frequency: 1,
      reads: ["systemId", "energy"],
      on: {
        dynamics: {
          AFTER_STEP: ({ stepCount, read, batch }) =>
            void steps.push(`${name} ${stepCount}: ${[...read.systemId]} of ${batch.size}`),
          ON_CONVERGE: ({ stepCount, read, convergedMask }) => {
            events.push(
              `${name} ${stepCount}: ${[...read.systemId]} ${Array.from(convergedMask)}`,
            );
            if (loseAt === "event") lose();
          },
          ON_ADMIT: ({ stepCount, read, admittedMask }) =>
            void events.push(
              `${name} + ${stepCount}: ${[...read.systemId]} ${Array.from(admittedMask)}`,
            ),
        },
      },
    });
  const losing = hook({
    name: "losing",
    frequency: 1,
    on: {
      dynamics: {
        AFTER_PRE_UPDATE: async ({ stepCount }) => {
          if (stepCount !== loseAt) return;
          await new Promise((resolve) => setTimeout(resolve, 100));
          lose();
        },
      },
    },
  });
  const batch = Batch.from([argon(2, 0, 0.02), argon(2, 1, 0.06), argon(1, 2, 0.05)]);
  const of = { model: ARGON, device };
  await using all = fuse(
    new FIRE({ ...of, dt: 0.4, hooks: [ConvergenceHook.fromFmax(0.03), tell("a")] }),
    new NVTLangevin({
      ...of,
      dt: 2,
      temperature: 60,
      friction: 0.02,
      nSteps: 9,
      hooks: [tell("b")],
    }),
    new NVE({ ...of, dt: 3, nSteps: 6, hooks: [tell("c")] }),
    { hooks: [losing], onWarning: () => {}, device },
  );
  await all.run(batch);
  return { batch, events, steps, where: all.device!.device };
}

slow(testOnGpu)("hooks of stages receive each event once when the device is lost", async () => {
  const known = await run(undefined, 0);
  const all: [loseAt: number | "event", keepSeconds: number][] = [
    [12, Infinity],
    [20, Infinity],
    [12, 0],
    ["event", Infinity],
    ["event", 0],
  ];
  for (const [loseAt, keepSeconds] of all) {
    const lost = await run(loseAt, keepSeconds);
    assertEquals(lost.where, "wasm");
    assertEquals(lost.events, known.events);
    assertEquals(lost.steps, known.steps);
    for (const name of ["stageSteps", "status", "time", "stepsDone"]) {
      assertEquals([...lost.batch.get(name)], [...known.batch.get(name)], name);
    }
    assertNear(lost.batch.get("positions"), known.batch.get("positions"), 1e-3, 1);
  }
  assert(known.events.length > 5);
});
