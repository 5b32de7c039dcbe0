// Checkpoints in mid-run: the run goes on to the same bits, and so does what begins with them.
import { assertEquals, assertRejects } from "@std/assert";
import {
  bussi,
  type Dynamics,
  fireRelaxer,
  type Integrator,
  langevin,
  noseHoover,
  type SavedDynamics,
  velocityVerlet,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { engine } from "../observe/modified.ts";
import { ARGON, bitsOf, crystals } from "./atoms.ts";
import { where } from "./backends.ts";
import { onEngines, onEnginesAndGpu } from "./on_engines.ts";
import { test } from "../suite.ts";

const FIELDS = [
  "positions",
  "velocities",
  "forces",
  "energy",
  "status",
  "stepsDone",
  "systemId",
] as const;
const SCHEMES: Readonly<Record<string, () => Integrator>> = {
  "velocity Verlet": () => velocityVerlet({ dt: 2 }),
  Langevin: () => langevin({ dt: 2, temperature: 50, friction: 0.02, seed: 3 }),
  "Nosé–Hoover": () => noseHoover({ dt: 2, temperature: 50, thermostatTime: 40 }),
  Bussi: () => bussi({ dt: 2, temperature: 50, thermostatTime: 40, seed: 3 }),
  FIRE: () => fireRelaxer({ dt: 0.5 }),
};

for (const [name, scheme] of Object.entries(SCHEMES)) {
  Deno.test(
    `${name}: a run that is saved in its middle has the same bits, and so has one that goes on from there`,
    (name === "Langevin" ? onEnginesAndGpu : onEngines)(async (backend, name) => {
      const saved: SavedDynamics[] = [], times: number[][] = [];
      const make = (isSaving: boolean): Dynamics => {
        const sums = { count: 0 };
        const saving = hook({
          name: "saving",
          frequency: 1,
          reads: ["time"],
          on: {
            dynamics: {
              AFTER_STEP({ stepCount, read }) {
                sums.count++;
                times[stepCount] = Array.from(read.time);
                if (!isSaving || (stepCount !== 17 && stepCount !== 29)) return;
                void md.betweenSteps(async () => saved.push(structuredClone(await md.save())));
              },
            },
          },
          save: () => ({ ...sums }),
          load: (state: { count: number }) => void (sums.count = state.count),
        });
        const md = engine(scheme(), { model: ARGON, ...where(backend), hooks: [saving] });
        return md;
      };
      await using plain = make(false), other = make(true);
      const want = bitsOf(await plain.run(crystals(2), 40), undefined, FIELDS);
      const wantTimes = structuredClone(times);
      assertEquals(bitsOf(await other.run(crystals(2), 40), undefined, FIELDS), want);
      // On a device, observers are called later. A state saved then is of a later step, and complete.
      if (name !== "webgpu") assertEquals(saved.map(({ loop }) => loop.stepCount), [18, 30]);
      assertEquals(saved.length, 2);
      for (const state of saved) {
        const { stepCount } = state.loop;
        assertEquals(state.loop.hooks.saving!.state, { count: stepCount });
        await using again = make(false);
        const batch = await again.load(state);
        times.length = stepCount;
        assertEquals(bitsOf(await again.run(batch, 40 - again.stepCount), undefined, FIELDS), want);
        assertEquals(times.slice(stepCount), wantTimes.slice(stepCount));
      }
    }),
  );
}

test("a state cannot be saved in the middle of a step", async () => {
  const md = engine(velocityVerlet({ dt: 2 }), { model: ARGON, device: "reference", hooks: [] });
  md.hooks.add({
    name: "early",
    stage: "dynamics/AFTER_STEP",
    frequency: 1,
    onError: "throw",
    call: async () => void await md.save(),
  } as never);
  await assertRejects(() => md.run(crystals(1), 2), Error, "save a batch");
});
