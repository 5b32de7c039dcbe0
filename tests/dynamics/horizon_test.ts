/** Multi-step calls are bitwise identical to single steps, with any observers. */
import { field } from "../../src/hooks/mod.ts";
import { assertEquals, assertGreater, assertNotEquals } from "@std/assert";
import { call } from "../../src/backend/mod.ts";
import {
  bussi,
  ConvergenceHook,
  Dynamics,
  DynamicsStage,
  fire2Relaxer,
  fireRelaxer,
  type Integrator,
  type KernelDevice,
  langevin,
  lbfgsRelaxer,
  noseHoover,
  velocityVerlet,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { defineKernel } from "../../src/kernels/mod.ts";
import { clampForces } from "../../src/kernels/modify/clamp_forces.ts";
import { ARGON, assertSameBits, bitsOf, crystals, idle } from "./atoms.ts";
import { type EngineBackend, where } from "./backends.ts";
import { onEngines, onEnginesAndGpu } from "./on_engines.ts";

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

/** Bits after steps with hooks of any kind. */
async function bitsAfter(
  scheme: Integrator,
  backend: EngineBackend,
  hooks: readonly unknown[],
  options: { steps?: number; verify?: boolean } = {},
): Promise<Record<string, number[]>> {
  const batch = crystals(3);
  await using engine = new Dynamics(scheme, {
    model: ARGON,
    ...where(backend),
    hooks: hooks as never,
    verify: options.verify ?? false,
  });
  await engine.run(batch, options.steps ?? 60);
  return bitsOf(batch);
}

/** Looks at everything, now and then. */
function observer(frequency: number) {
  let seen = 0;
  const look = hook({
    name: `look ${frequency}`,
    frequency,
    reads: ["energy", "fmax", "temperature", "kineticEnergy", "energyChange", "positions", "time"],
    on: {
      dynamics: {
        AFTER_STEP: (ctx) => {
          for (const values of Object.values(ctx.read)) seen += (values as ArrayLike<number>)[0]!;
        },
      },
    },
  });
  return look;
}

const steps = 20;

for (const [i, scheme] of SCHEMES.entries()) {
  Deno.test(
    `${scheme.name}: many steps in one call have the bits of steps that are visited`,
    (i === 1 ? onEnginesAndGpu : onEngines)(async (backend) => {
      const unvisited = await bitsAfter(scheme, backend, [], { steps });
      assertSameBits(await bitsAfter(scheme, backend, [idle()], { steps }), unvisited);
      assertNotEquals(unvisited.positions, bitsOf(crystals(3)).positions);
    }),
  );

  Deno.test(
    `${scheme.name}: observers change no bit`,
    (i === 4 ? onEnginesAndGpu : onEngines)(async (backend) => {
      const alone = await bitsAfter(scheme, backend, [], { steps });
      const ways: [number, boolean][] = [[7, true], [1, false], [1, true], [7, false]];
      for (const [frequency, verify] of i % 2 === 0 ? ways.slice(0, 2) : ways.slice(2)) {
        const seen = await bitsAfter(scheme, backend, [observer(frequency)], { steps, verify });
        assertSameBits(seen, alone);
      }
    }),
  );

  Deno.test(
    `${scheme.name}: convergence has the same bits unvisited and visited`,
    onEngines(async (backend) => {
      const converge = () => new ConvergenceHook({ criteria: { key: "fmax", threshold: 0.4 } });
      const unvisited = await bitsAfter(scheme, backend, [converge()]);
      assertSameBits(await bitsAfter(scheme, backend, [converge(), idle()]), unvisited);
      assertSameBits(await bitsAfter(scheme, backend, [observer(3), converge()]), unvisited);
      assertGreater(unvisited.status!.indexOf(1), -1);
    }),
  );
}

/** Holds forces below a limit, by a kernel. */
class Clamp {
  readonly stage = DynamicsStage.AFTER_COMPUTE;
  readonly writes = ["forces"] as const;
  readonly frequency: number;

  constructor(frequency: number) {
    this.frequency = frequency;
  }

  kernels({ state }: KernelDevice) {
    return [call(clampForces, { forces: state.field("forces"), limit: 0.05 })];
  }
}

for (const frequency of [1, 2, 3]) {
  Deno.test(
    `a modifier by a kernel at every ${frequency}. step has the same bits unvisited, visited, looked at, and in parts`,
    onEngines(async (backend) => {
      // Each scheme has a modifier of one frequency.
      const some = SCHEMES.filter((_, i) => i % 3 === frequency % 3);
      for (const scheme of some) {
        const unvisited = await bitsAfter(scheme, backend, [new Clamp(frequency)], { steps: 10 });
        for (const others of [[idle()], [observer(1)], [observer(4)]]) {
          const hooks = [new Clamp(frequency), ...others];
          const seen = await bitsAfter(scheme, backend, hooks, { steps: 10 });
          assertSameBits(
            seen,
            unvisited,
            `${scheme.name} with ${(others[0] as { name: string }).name}`,
          );
        }
        const batch = crystals(3);
        const hooks = [new Clamp(frequency)];
        await using engine = new Dynamics(scheme, {
          model: ARGON,
          ...where(backend),
          hooks: hooks as never,
        });
        for (const steps of [1, 3, 4, 2]) await engine.run(batch, steps);
        assertSameBits(bitsOf(batch), unvisited, `${scheme.name} in parts`);
        assertNotEquals(unvisited, await bitsAfter(scheme, backend, [], { steps: 10 }));
      }
    }),
  );
}

Deno.test(
  "forces of systems at rest stay what a modifier made of them in their last step",
  onEngines(async (backend) => {
    // System 0 comes to rest in step 0, of which forces are clamped; the last step is 3, of which they are not.
    const after = async (others: readonly unknown[], runs: readonly number[]) => {
      const batch = crystals(3);
      batch.set("load", [0, 5, 5], { level: "system", dtype: "f64" });
      const rest = new ConvergenceHook({
        criteria: { key: field<Float64Array>()("load"), threshold: 1 },
      });
      const hooks = [new Clamp(2), rest, ...others] as never;
      await using engine = new Dynamics(fireRelaxer({ dt: 0.3 }), {
        model: ARGON,
        ...where(backend),
        hooks,
      });
      for (const steps of runs) await engine.run(batch, steps);
      return bitsOf(batch);
    };
    const unvisited = await after([], [4]);
    assertEquals(unvisited.stepsDone, [1, 4, 4]);
    for (const others of [[idle()], [observer(1)], [observer(3)]]) {
      assertSameBits(await after(others, [4]), unvisited, others[0]!.name);
    }
    assertSameBits(await after([], [1, 1, 2]), unvisited, "in parts");
  }),
);

/** Makes cells a little smaller in each step. */
const shrink = defineKernel("shrink", { cell: "real changed" }, ({ cell }) => {
  for (let k = 0; k < cell.length; k++) cell[k]! *= 0.999;
});

for (const stage of [DynamicsStage.AFTER_POST_UPDATE, DynamicsStage.AFTER_STEP]) {
  Deno.test(`${stage}: a kernel there changes the stress of the next step, visited or not`, async () => {
    const stresses: number[][] = [];
    for (const others of [[], [idle()]]) {
      const batch = crystals(3);
      batch.ensure("stress");
      const kernels = ({ state }: KernelDevice) => [call(shrink, { cell: state.field("cell") })];
      const reader = hook({
        name: "reader",
        frequency: 100,
        reads: ["energyChange"],
        on: { dynamics: { AFTER_STEP: () => {} } },
      });
      await using engine = new Dynamics(velocityVerlet({ dt: 2 }), {
        model: ARGON,
        device: "reference",
        hooks: [{ stage, frequency: 1, writes: ["cell"], kernels }, reader, ...others] as never,
      });
      await engine.run(batch, 5);
      stresses.push([...batch.get("stress")]);
    }
    assertEquals(stresses[0], stresses[1]);
  });
}
