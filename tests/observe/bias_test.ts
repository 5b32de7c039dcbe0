// A bias by a hook equals a bias in a sum of models.
import { field } from "../../src/hooks/mod.ts";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { Batch } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  fireRelaxer,
  type Integrator,
  langevin,
  NVE,
  velocityVerlet,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { centerBias, type Model, potential, sum, tethers } from "../../src/models/mod.ts";
import {
  BiasedPotentialHook,
  type BiasedPotentialHookOptions,
  type BiasView,
  WrapPeriodicHook,
} from "../../src/observe/mod.ts";
import { ARGON, assertNear, bitsOf, crystals, MOVING } from "../dynamics/atoms.ts";
import { BACKENDS, type EngineBackend, on, where } from "../dynamics/backends.ts";
import { onEngines } from "../dynamics/on_engines.ts";
import { engine, sameHowever } from "./modified.ts";
import { test } from "../suite.ts";

/** A spring along z between each atom and the first, with its virial. */
function pull(view: Pick<BiasView, "positions" | "forces" | "virial">): number {
  const { positions, forces, virial } = view;
  const z = positions[2]!;
  forces[2]! -= 0.02 * z;
  virial[8]! -= 0.02 * z * z;
  return 0.01 * z * z;
}

const NAMES = [...MOVING, "stress"] as const;

function withStress(): Batch {
  const batch = crystals(2);
  batch.ensure("stress");
  return batch;
}

async function run(
  scheme: Integrator,
  backend: EngineBackend,
  model: Model,
  hooks: readonly object[],
): Promise<Record<string, number[]>> {
  await using md = engine(scheme, { model, ...where(backend), hooks });
  return bitsOf(await md.run(withStress(), 15), undefined, NAMES);
}

test(
  "a bias by a hook is bitwise identical to one in a sum: kernels, pairs and functions, stresses too",
  on(BACKENDS, async (backend) => {
    const center = centerBias({ stiffness: 0.5, center: [5, 5, 5] });
    const pinned = tethers({ stiffness: 0.01, anchors: [5, 5, 5] });
    const function_ = potential(pull, { givesStress: true });
    const cases: readonly (readonly [string, Model, BiasedPotentialHookOptions["bias"], Model])[] =
      [
        ["kernels", ARGON, center, sum(ARGON, center)],
        ["pairs", pinned, ARGON, sum(pinned, ARGON)],
        ["a function", ARGON, pull, sum(ARGON, function_)],
      ];
    for (const [name, model, bias, both] of cases) {
      for (const scheme of [() => velocityVerlet({ dt: 2 }), () => fireRelaxer({ dt: 0.3 })]) {
        const biased = await run(scheme(), backend, model, [new BiasedPotentialHook({ bias })]);
        assertEquals(biased, await run(scheme(), backend, both, []), name);
        const plain = await run(scheme(), backend, model, []);
        for (const field of ["positions", "forces", "energy", "stress"]) {
          assert(plain[field]!.some((x, i) => x !== biased[field]![i]), `${name} ${field}`);
        }
      }
    }
  }),
);

test(
  "biased runs are identical, however steps are done, at any frequency",
  on(BACKENDS, async (backend) => {
    const biases = [centerBias({ stiffness: 0.5, center: [5, 5, 5] }), pull];
    for (const bias of biases) {
      for (const frequency of [1, 4]) {
        const make = (more: readonly object[]) =>
          engine(langevin({ dt: 2, temperature: 40, friction: 0.01, seed: 5 }), {
            model: ARGON,
            ...where(backend),
            hooks: [...more, new BiasedPotentialHook({ bias, frequency })],
          });
        await sameHowever({ make, batch: () => crystals(2), steps: 15 });
      }
    }
  }),
);

Deno.test(
  "anchors of a bias move with atoms that are wrapped",
  onEngines(async (backend, name) => {
    const energies = async (hooks: readonly object[]) => {
      const batch = crystals(1);
      batch.set("velocities", Float64Array.from({ length: 96 }, (_, i) => i % 3 === 0 ? 0.02 : 0));
      const bias = new BiasedPotentialHook({ bias: tethers({ stiffness: 0.001 }) });
      await using md = engine(velocityVerlet({ dt: 2 }), {
        model: ARGON,
        ...where(backend),
        hooks: [...hooks, bias],
      });
      await md.run(batch, 120);
      return batch;
    };
    const [free, wrapped] = [await energies([]), await energies([new WrapPeriodicHook()])];
    assert(wrapped.get("images").some((n) => n !== 0));
    assertNear(wrapped.get("energy"), free.get("energy"), name === "reference" ? 1e-11 : 1e-3);
  }),
);

test("fields that hooks read, and convergence criteria, include the bias", async () => {
  const seen: number[][] = [];
  const look = hook({
    name: "look",
    reads: ["energy", "fmax"],
    on: {
      dynamics: { AFTER_COMPUTE: ({ read }) => void seen.push([read.energy[0]!, read.fmax[0]!]) },
    },
  });
  const bias = ({ forces }: BiasView) => {
    forces[0]! += 3;
    return 100;
  };
  const hooks = [look, ConvergenceHook.fromFmax(2), new BiasedPotentialHook({ bias })];
  await using md = engine(velocityVerlet({ dt: 0.01 }), {
    model: ARGON,
    device: "reference",
    hooks,
  });
  const batch = await md.run(crystals(1, 0), 3);
  assert(seen.every(([energy, fmax]) => energy! > 97 && energy! < 98 && fmax! > 2.8), seen.join());
  assertEquals([batch.get("status")[0], seen.length], [0, 3]);
});

test(
  "a bias may be enabled and disabled during a run",
  on(BACKENDS, async (backend) => {
    for (
      const bias of [
        centerBias({ stiffness: 0.5, center: [5, 5, 5] }),
        tethers({ stiffness: 1, anchors: [0, 0, 0] }),
        () => 1,
      ]
    ) {
      const energies: number[] = [];
      const toggle = hook({
        name: "toggle",
        reads: ["energy"],
        on: {
          dynamics: {
            AFTER_STEP: (ctx) => {
              energies.push(ctx.read.energy[0]!);
              if (ctx.stepCount === 1) md.hooks.add(new BiasedPotentialHook({ bias }));
              if (ctx.stepCount === 3) md.hooks.disable("BiasedPotentialHook");
            },
          },
        },
      });
      await using md = new NVE({ model: ARGON, dt: 0.1, ...where(backend), hooks: [toggle] });
      await md.run(crystals(1, 0), 6);
      const isBiased = energies.map((energy) => energy > energies[0]! + 0.001);
      assertEquals(isBiased, [false, false, true, true, false, false], energies.join());
    }
  }),
);

test("converged systems are not biased, and the function is not called", async () => {
  const asked: number[] = [];
  const bias = ({ system, systemId, stepsDone, masses, numbers, cell }: BiasView) => {
    asked.push(system, systemId, stepsDone);
    assertEquals([masses.length, numbers[0], cell.length], [32, 18, 9]);
    return 0;
  };
  const hooks = [
    new ConvergenceHook({ criteria: { key: field<Int32Array>()("systemId2"), threshold: 4 } }),
  ];
  const batch = crystals(2);
  batch.set("systemId", [3, 8]);
  batch.set("systemId2", [3, 8], { level: "system", dtype: "f64" });
  await using md = engine(velocityVerlet({ dt: 1 }), {
    model: ARGON,
    device: "reference" as const,
    hooks: [...hooks, new BiasedPotentialHook({ bias })],
  });
  await md.run(batch, 2);
  // before the first step, in it, and in the second, in which only one is active
  assertEquals(asked, [0, 3, 0, 1, 8, 0, 0, 3, 0, 1, 8, 0, 1, 8, 1]);
});

test("errors name values that are not a bias", async () => {
  const wrong: readonly (readonly [unknown, typeof Error, string])[] = [
    [{}, TypeError, "bias is required: a model or a function"],
    [{ bias: 3 }, TypeError, "bias must be a model, or a function"],
    [{ bias: null }, TypeError, "bias must be a model, or a function"],
    [{ bias: { name: "x" } }, TypeError, "bias must be a model, or a function"],
    [{ bias: pull, frequency: 0.5 }, RangeError, "frequency"],
    [{ bias_fn: pull }, TypeError, "among bias, frequency"],
  ];
  for (const [options, error, message] of wrong) {
    assertThrows(
      () => new BiasedPotentialHook(options as BiasedPotentialHookOptions),
      error,
      message,
    );
  }
  const run = async (bias: BiasedPotentialHookOptions["bias"]) => {
    const hooks = [new BiasedPotentialHook({ bias })];
    await using md = new NVE({ model: ARGON, dt: 1, device: "reference", hooks });
    await md.run(crystals(1), 1);
  };
  await assertRejects(
    () => run(potential(pull, { name: "a pull" })),
    TypeError,
    "Cannot bias by a pull: the model is not made of kernels",
  );
  await assertRejects(
    () => run((() => {}) as unknown as () => number),
    TypeError,
    "Cannot bias system 0: the function must return its energy, a number; got undefined",
  );
});
