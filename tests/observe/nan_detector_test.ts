// Values that are not finite are found before they move atoms, and named.
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Batch, type System } from "../../src/batch/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { field } from "../../src/hooks/mod.ts";
import { type Model, potential } from "../../src/models/mod.ts";
import {
  AverageStressHook,
  BiasedPotentialHook,
  EnergyDriftMonitorHook,
  NaNDetectorHook,
  type NaNDetectorHookOptions,
  NotFiniteFieldError,
  RadialDistributionHook,
} from "../../src/observe/mod.ts";
import { ARGON, argon, bitsOf, crystals } from "../dynamics/atoms.ts";
import { BACKENDS, on, where } from "../dynamics/backends.ts";

/** A potential that fails at its n-th evaluation: forces of atom 1 and energy of system 1. */
function breaking(at: number, value: number, systems = 3): Model {
  let calls = 0;
  return potential(({ system, forces }) => {
    if (Math.floor(calls++ / systems) < at || system !== 1) return 0;
    forces[3] = forces[5] = value;
    return value;
  });
}

/** Records the steps in which atoms were moved. */
function noting(steps: number[]): ReturnType<typeof hook> {
  return hook({
    name: "noting",
    on: { dynamics: { AFTER_PRE_UPDATE: ({ stepCount }) => void steps.push(stepCount) } },
  });
}

Deno.test(
  "NaN and infinite forces and energies stop the run in their step with an error that names all of them",
  on(BACKENDS, async (backend) => {
    for (const value of [NaN, Infinity, -Infinity]) {
      const hooks = [new NaNDetectorHook()];
      await using md = new NVE({ model: breaking(6, value), dt: 1, ...where(backend), hooks });
      const error = await assertRejects(() => md.run(crystals(3), 20), NotFiniteFieldError);
      assertEquals(
        error.message,
        "NVE cannot go on: values are not finite in step 5: forces: 2 numbers of system 1 " +
          "(atom 1 of system 1 first); energy: 1 number of system 1",
      );
      assertEquals([error.step, error.systems], [5, [1]]);
      assertEquals(error.fields, [
        { field: "forces", count: 2, systems: [1], atom: 1 },
        { field: "energy", count: 1, systems: [1], atom: undefined },
      ]);
      assertEquals(md.stepCount, 5);
    }
  }),
);

Deno.test("values that are wrong from the start are found before the first step moves an atom", async () => {
  const begun: number[] = [];
  const hooks = [new NaNDetectorHook({ frequency: 10 }), noting(begun)];
  await using md = new NVE({ model: breaking(0, NaN), dt: 1, device: "reference", hooks });
  const batch = crystals(3);
  const before = bitsOf(batch, undefined, ["positions", "velocities"]);
  const error = await assertRejects(
    () => md.run(batch, 20),
    NotFiniteFieldError,
    "in step 0: forces",
  );
  assertEquals([error.step, begun], [0, []]);
  assertEquals(bitsOf(batch, undefined, ["positions", "velocities"]), before);
});

Deno.test("values that were damaged between two runs are found before the next step, too", async () => {
  let value = 0;
  const model = potential(({ forces }) => {
    forces[0] = value;
    return 0;
  });
  const begun: number[] = [];
  const hooks = [new NaNDetectorHook(), noting(begun)];
  await using md = new NVE({ model, dt: 1, device: "reference", hooks });
  const batch = await md.run(crystals(1), 3);
  value = NaN;
  batch.get("positions")[0]! += 0.1;
  const before = bitsOf(batch, undefined, ["positions"]);
  const error = await assertRejects(() => md.run(batch, 3), NotFiniteFieldError);
  assertEquals([error.step, bitsOf(batch, undefined, ["positions"])], [3, before]);
  assertEquals(begun, [0, 1, 2]);
});

Deno.test("further fields are checked if they are named, of atoms and of systems", async () => {
  const batch = crystals(3);
  const load = Float64Array.from({ length: 96 }, (_, i) => i === 70 || i === 71 ? NaN : i);
  batch.set("load", load, { level: "node" });
  const hooks = [new NaNDetectorHook({ extraKeys: [field<Float64Array>()("load"), "time"] })];
  await using md = new NVE({ model: ARGON, dt: 1, device: "reference", fields: ["load"], hooks });
  await assertRejects(
    () => md.run(batch, 20),
    NotFiniteFieldError,
    "in step 0: load: 2 numbers of system 2 (atom 6 of system 2 first)",
  );
});

Deno.test("the frequency applies, and long lists of systems are cut", async () => {
  const many = Batch.from(Array.from({ length: 12 }, (_, seed): System => argon(1, seed)));
  let calls = 0;
  const model = potential(() => ++calls > 12 * 4 ? NaN : 0);
  const hooks = [new NaNDetectorHook({ frequency: 3 })];
  await using md = new NVE({ model, dt: 1, device: "reference", hooks });
  await assertRejects(
    () => md.run(many, 20),
    NotFiniteFieldError,
    "in step 3: energy: 12 numbers of systems 0, 1, 2, 3, 4, 5, 6, 7, … 12 in all",
  );
});

Deno.test(
  "finite values cause no change and no message",
  on(BACKENDS, async (backend) => {
    const run = async (hooks: NaNDetectorHook[], verify = false) => {
      const onWarning = ({ error }: { error: unknown }) => {
        throw error;
      };
      await using md = new NVE({
        model: ARGON,
        dt: 1,
        ...where(backend),
        hooks,
        verify,
        onWarning,
      });
      return bitsOf(await md.run(crystals(2), 15));
    };
    const plain = await run([]);
    assertEquals(await run([new NaNDetectorHook()], true), plain);
    assertEquals(await run([new NaNDetectorHook({ frequency: 4 })]), plain);
  }),
);

Deno.test("wrong options of a NaN detector are named", () => {
  const wrong: readonly (readonly [unknown, typeof Error, string])[] = [
    [null, TypeError, "options must be an object"],
    [{ frequency: 0.5 }, RangeError, "frequency"],
    [{ extraKeys: "energy" }, TypeError, "extraKeys must be an array of field names"],
    [{ extra_keys: [] }, TypeError, "did you mean"],
  ];
  for (const [options, error, message] of wrong) {
    assertThrows(() => new NaNDetectorHook(options as NaNDetectorHookOptions), error, message);
  }
});

Deno.test("a field that the engine does not have is refused when the hook is added", () => {
  const hooks = [new NaNDetectorHook({ extraKeys: [field<Float64Array>()("load")] })];
  assertThrows(
    () => new NVE({ model: ARGON, dt: 1, device: "reference", hooks }),
    TypeError,
    '"load"',
  );
});

Deno.test("errors and warnings of hooks name a system by the label in its info", async () => {
  const messages: string[] = [];
  const onWarning = ({ error }: { readonly error: unknown }) =>
    void messages.push((error as Error).message);
  const atoms = { symbols: ["Ar"], positions: [0, 0, 0], info: { label: "water_17" } };
  const run = async (hook: object, model = potential(() => 0), steps = 1) => {
    await using md = new NVE({ model, dt: 1, device: "reference", onWarning });
    md.hooks.add(hook as never, { onError: "warn" });
    await md.run(Batch.from([atoms]), steps).catch(({ message }) => messages.push(message));
  };
  let energy = 0;
  const broken = potential(() => NaN), drifting = potential(() => energy++);
  await run(new NaNDetectorHook(), broken);
  await run(new EnergyDriftMonitorHook({ threshold: 0 }), drifting, 2);
  await run(new AverageStressHook(), ARGON);
  await run(new RadialDistributionHook({ cutoff: 3 }));
  await run(new BiasedPotentialHook({ bias: (() => "much") as never }));
  for (
    const part of [
      "energy: 1 number of system 0 (water_17)",
      "the energy of system 0 (water_17) has drifted by 1",
      "the cell of system 0 (water_17) has no volume",
      "system 0 (water_17) is not periodic",
      "Cannot bias system 0 (water_17): ",
    ]
  ) assert(messages.some((message) => message.includes(part)), `${part}\n${messages.join("\n")}`);
});
