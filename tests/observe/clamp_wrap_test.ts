// Forces within a limit, and atoms within their cells.
import { assert, assertEquals, assertThrows } from "@std/assert";
import { Batch, System, unwrappedPositions } from "../../src/batch/mod.ts";
import { fireRelaxer, langevin, NVE, velocityVerlet } from "../../src/dynamics/mod.ts";
import { potential } from "../../src/models/mod.ts";
import {
  MaxForceClampHook,
  NaNDetectorHook,
  NotFiniteFieldError,
  SnapshotHook,
  WrapPeriodicHook,
} from "../../src/observe/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { ARGON, assertNear, atomAt, crystals } from "../dynamics/atoms.ts";
import { BACKENDS, on, TOLERANCE, where } from "../dynamics/backends.ts";
import { onEngines } from "../dynamics/on_engines.ts";
import { engine, sameHowever } from "./modified.ts";
import { test } from "../suite.ts";

Deno.test(
  "forces beyond the limit are scaled to it and keep their direction; others, and energies, do not change",
  onEngines(async (backend, name) => {
    const given = [3, 4, 0, 0.3, 0.4, 0, 0, 0, -30];
    const model = potential(({ forces }) => {
      forces.set(given);
      return 7;
    });
    const symbols = ["Ar", "Ar", "Ar"];
    const positions = [[0, 0, 0], [5, 0, 0], [0, 5, 0]];
    const batch = Batch.from([{ symbols, positions }]);
    const hooks = [new MaxForceClampHook({ maxForce: 2.5 })];
    await using md = new NVE({ model, dt: 1, ...where(backend), hooks });
    await md.run(batch, 1);
    const forces = batch.get("forces");
    assertNear(forces, [1.5, 2, 0, 0.3, 0.4, 0, 0, 0, -2.5], TOLERANCE[name]);
    assertEquals(batch.get("energy")[0], 7);
    // v = a dt with both halves of the step by clamped forces, the first of which was before step 0
    const a = 1 / 10.180505710759414 ** 2 / batch.get("masses")[2]!;
    assertNear([batch.get("velocities")[8]!], [-2.5 * a], TOLERANCE[name]);
  }),
);

test(
  "an infinite force becomes the limit along its infinite components, never NaN; NaN stays for a detector",
  on(BACKENDS, async (backend) => {
    const run = async (x: number, y: number) => {
      const model = potential(({ forces }) => {
        forces[0] = x;
        forces[1] = y;
        return 0;
      });
      const hooks = [new NaNDetectorHook(), new MaxForceClampHook({ maxForce: 2 })];
      await using md = new NVE({ model, dt: 1, ...where(backend), hooks });
      const batch = atomAt(0);
      await md.run(batch, 2);
      return [...batch.get("forces")];
    };
    assertEquals(await run(-Infinity, 5), [-2, 0, 0]);
    assertNear(await run(Infinity, Infinity), [Math.SQRT2, Math.SQRT2, 0], TOLERANCE[backend]);
    assertEquals(await run(1e30, 0), [2, 0, 0]);
    const error = await run(NaN, Infinity).catch((error) => error);
    assert(error instanceof NotFiniteFieldError, String(error)); // before DivergedError: nothing has moved
  }),
);

test(
  "clamped runs are identical, however steps are done, also if only some systems are clamped",
  on(BACKENDS, async (backend) => {
    for (const frequency of [1, 3]) {
      const make = (more: readonly object[]) =>
        engine(fireRelaxer({ dt: 0.5 }), {
          model: ARGON,
          ...where(backend),
          hooks: [...more, new MaxForceClampHook({ maxForce: 0.02, frequency })],
        });
      const batch = await sameHowever({ make, batch: () => crystals(2, 0), steps: 11 });
      await using free = engine(fireRelaxer({ dt: 0.5 }), {
        model: ARGON,
        ...where(backend),
        hooks: [],
      });
      const other = await free.run(crystals(2, 0), 11);
      assert(batch.get("positions")[0] !== other.get("positions")[0]);
    }
  }),
);

/** Fast atoms that leave a cell of any shape, and another system that is not periodic. */
function leavers(): Batch {
  const cell = [[11, 0, 0], [4, 12, 0], [-3, 2, 13]];
  const positions = Array.from({ length: 5 }, (_, i) => [i * 4.1, i * 5.3, i * 2.2]);
  const system = (pbc: boolean[] | boolean) =>
    new System({ symbols: ["Ar", "Ar", "Ar", "Ar", "Ar"], positions, cell, pbc });
  const batch = Batch.from([system(true), system([true, false, true]), system(false)]);
  batch.set("velocities", Float64Array.from({ length: 45 }, (_, i) => Math.sin(7 * i) / 30));
  return batch;
}

Deno.test(
  "wrapped atoms are in their cells along periodic directions only, and follow the same path as without wrapping",
  onEngines(async (backend, name) => {
    const run = async (hooks: readonly object[]) => {
      await using md = engine(velocityVerlet({ dt: 4 }), {
        model: ARGON,
        ...where(backend),
        hooks,
      });
      return await md.run(leavers(), 120);
    };
    const [free, wrapped] = [await run([]), await run([new WrapPeriodicHook()])];
    const images = wrapped.get("images");
    assert(images.slice(0, 15).some((n) => n !== 0) && images.some((n) => n < 0), images.join());
    for (let i = 0; i < 15; i++) if (i % 3 === 1) assertEquals(images[15 + i], 0);
    assert(images.slice(30).every((n) => n === 0));
    const scale = name === "reference" ? 1e-12 : 2e-3; // collisions amplify rounding
    assertNear(unwrappedPositions(wrapped), free.get("positions"), scale, 1);
    assertNear(wrapped.get("energy"), free.get("energy"), scale, 0.01);
    const x = wrapped.get("positions"), h = wrapped.get("cell");
    for (let atom = 0; atom < 10; atom++) {
      const c = x[3 * atom + 2]! / h[8]!;
      const b = (x[3 * atom + 1]! - c * h[7]!) / h[4]!;
      const a = (x[3 * atom]! - b * h[3]! - c * h[6]!) / h[0]!;
      for (const at of atom < 5 ? [a, b, c] : [a, c]) assert(at > -2e-6 && at < 1 + 2e-6, `${at}`);
    }
  }),
);

test(
  "wrapped runs are identical, however steps are done, at any frequency, and frames have the image counters",
  on(BACKENDS, async (backend) => {
    const { AFTER_STEP, AFTER_POST_UPDATE } = {
      AFTER_STEP: "dynamics/AFTER_STEP",
      AFTER_POST_UPDATE: "dynamics/AFTER_POST_UPDATE",
    } as const;
    for (const [frequency, stage] of [[1, AFTER_POST_UPDATE], [4, AFTER_STEP]] as const) {
      const scheme = () => langevin({ dt: 4, temperature: 300, friction: 0.02, seed: 3 });
      const make = (more: readonly object[]) =>
        engine(scheme(), {
          model: ARGON,
          ...where(backend),
          hooks: [...more, new WrapPeriodicHook({ frequency, stage })],
        });
      const batch = await sameHowever({ make, batch: leavers, steps: 61 });
      const sink = new MemorySink();
      await using md = make([new SnapshotHook({ sink, frequency: 60 })]);
      await md.run(leavers(), 61);
      const last = sink.read().select([3, 4, 5]);
      assertEquals(last.get("images"), batch.get("images"));
      assert(last.get("images").some((n) => n !== 0));
      assertEquals(last.get("positions"), batch.get("positions"));
    }
  }),
);

test("wrong options of a clamp and of wrapping are named", () => {
  const wrong: readonly (readonly [unknown, typeof Error, string])[] = [
    [undefined, TypeError, "options must be an object"],
    [{}, TypeError, "maxForce is required: the largest force"],
    [{ maxForce: 0 }, RangeError, "above 0 and finite"],
    [{ maxForce: Infinity }, RangeError, "above 0 and finite"],
    [{ maxForce: "1" }, TypeError, "a number"],
    [{ maxForce: 1, frequency: -2 }, RangeError, "frequency"],
    [{ max_force: 1 }, TypeError, "did you mean"],
  ];
  for (const [options, error, message] of wrong) {
    assertThrows(() => new MaxForceClampHook(options as { maxForce: number }), error, message);
  }
  const stage = "dynamics/BEFORE_COMPUTE" as "dynamics/AFTER_STEP";
  assertThrows(() => new WrapPeriodicHook({ stage }), TypeError, "dynamics/AFTER_STEP");
  assertThrows(() => new WrapPeriodicHook({ frequency: NaN }), RangeError, "frequency");
});
