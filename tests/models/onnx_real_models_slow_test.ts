/** Real potentials with default options, on all kinds of structures. */
import { assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { Batch, NVE, type SystemInput } from "@hooke/hooke";
import { type Backend, openWebGpu } from "@hooke/hooke/backend";
import { ModelMismatchError, OnnxModel, type OnnxModelOptions } from "@hooke/hooke/models/onnx";
import { device, lacksGpu } from "../backend/gpu.ts";
import { lacks } from "../machine.ts";
import { assertWithin, largest } from "../onnx/assert_within.ts";
import { modelTest, readModel } from "../onnx/shared_models.ts";
import { storedCrystals } from "./onnx_references.ts";
import {
  CRYSTAL_ENERGIES,
  perfectCrystals,
  POTENTIALS,
  rattledCrystals,
  type RealPotential,
  structuresFor,
} from "./real_potentials.ts";

/** Energies and forces per system. */
interface Computed {
  readonly energies: number[];
  readonly forces: number[][];
}

const open = ({ name, options }: RealPotential, kind: string, more: OnnxModelOptions = {}) =>
  OnnxModel.open(readModel(`${name}_${kind}.onnx`), { name, ...options, ...more });

async function compute(
  model: OnnxModel,
  systems: SystemInput[],
  backend?: Backend,
): Promise<Computed> {
  const batch = Batch.from(systems);
  await using md = new NVE({
    model,
    dt: 1,
    onWarning: () => {},
    ...(backend === undefined ? {} : { backend }),
  });
  await md.run(batch, 0);
  return computed(batch);
}

function computed(batch: Batch): Computed {
  const forces = batch.get("forces");
  return {
    energies: Array.from(batch.get("energy")),
    forces: Array.from(
      { length: batch.size },
      (_, s) =>
        Array.from(forces.subarray(3 * batch.nodeOffsets[s]!, 3 * batch.nodeOffsets[s + 1]!)),
    ),
  };
}

/** Compares energies to 1e-5 eV per atom or the given tolerance, and forces relative to the largest. */
function assertSame(
  what: string,
  actual: Computed,
  expected: Computed,
  forces: number,
  perAtom: number = 1e-5,
): void {
  const most = Math.max(0.1, largest(expected.forces.flat()));
  for (const [s, energy] of expected.energies.entries()) {
    const atoms = expected.forces[s]!.length / 3;
    assertAlmostEquals(actual.energies[s]!, energy, perAtom * atoms, `${what}, system ${s}`);
    assertWithin(`${what}, forces of ${s}`, actual.forces[s]!, expected.forces[s]!, forces * most);
  }
}

/** Returns all structures for a potential; the last is a cell of two atoms. */
function allFor({ isUniversal }: RealPotential): SystemInput[] {
  return [...Object.values(structuresFor(isUniversal)), ...isUniversal ? rattledCrystals() : []];
}

for (const potential of POTENTIALS) {
  const { name, isUniversal, hasForces, ignoresPadding, tolerance } = potential;

  if (potential.hasWholeLists) {
    modelTest(
      `${name} gives PyTorch's results for the stored crystals and molecules, with Hooke's lists`,
      async () => {
        await using model = await open(potential, "e");
        const { systems, ...expected } = storedCrystals(
          name,
          potential.species,
          potential.elements,
        );
        assertSame("stored", await compute(model, systems), expected, tolerance);
        if (!isUniversal) return;
        const { energies } = await compute(model, rattledCrystals());
        assertWithin("energies of ASE's calculator", energies, CRYSTAL_ENERGIES[name]!, 2e-4);
      },
    );
  }

  modelTest(
    `${name} gives the same results alone, in any batch, and with PyTorch's traced forces`,
    async () => {
      const systems = allFor(potential);
      await using model = await open(potential, "e");
      const together = await compute(model, systems);
      const turned = await compute(model, systems.toReversed());
      turned.energies.reverse(), turned.forces.reverse();
      assertSame("in another order", turned, together, tolerance);
      await using traced = await open(potential, hasForces ? "ef" : "e");
      for (const [s, system] of systems.entries()) {
        const own = { energies: [together.energies[s]!], forces: [together.forces[s]!] };
        assertSame(`alone ${s}`, await compute(model, [system]), own, tolerance);
        const { perAtom } = potential;
        assertSame(`traced ${s}`, await compute(traced, [system]), own, tolerance, perAtom);
      }
    },
  );

  modelTest(
    `${name} pads its lists if that changes nothing, and describe() says so if it does`,
    async () => {
      const systems = Object.values(structuresFor(isUniversal));
      await using padded = await open(potential, "e", { padding: true });
      if (!ignoresPadding) {
        const words = "must add nothing; with them ";
        return void await assertRejects(() => compute(padded, systems), ModelMismatchError, words);
      }
      await using bare = await open(potential, "e", { padding: false });
      assertSame("padded", await compute(padded, systems), await compute(bare, systems), 1e-5);
    },
  );

  modelTest(`${name} gives the same results in native code and on wasm`, async () => {
    const systems = allFor(potential);
    await using web = await open(potential, "e", { runtime: "web" });
    await using native = await open(potential, "e", { runtime: "native" });
    assertEquals(native.describe().includes("onnxruntime-node (native code)"), true);
    assertSame("native", await compute(native, systems), await compute(web, systems), tolerance);
  });

  modelTest(`${name} gives the same results after its lists have grown`, async () => {
    const systems = allFor(potential).filter(({ pbc }) => pbc !== undefined);
    const denser = systems.map((system) => strained(system, [-0.06, -0.06, -0.06, 0, 0, 0]));
    await using model = await open(potential, "e");
    const batch = Batch.from(systems);
    await using md = new NVE({ model, dt: 1, onWarning: () => {} });
    await md.run(batch, 0);
    const after = Batch.from(denser);
    for (const field of ["positions", "cell"]) batch.set(field, after.get(field));
    await md.run(batch, 0);
    assertSame("grown", computed(batch), await compute(model, denser), tolerance);
  });

  modelTest(`${name} gives stresses that are the slopes of its energies`, async () => {
    const [system] = allFor(potential).slice(-1); // two atoms, because larger cells take long
    const pressed = strained(
      system!,
      isUniversal ? [-0.05, -0.04, -0.045, 0.02, 0.01, -0.015] : [0.1, 0.11, 0.12, 0.01, 0, 0],
    );
    await using model = await open(potential, "e", { stress: true });
    const given = await stressOf(model, pressed), slopes = await slopesOf(model, pressed);
    assertWithin("stress", given, slopes, 1e-3 * largest(slopes));
  });

  modelTest(`${name} gives forces of 0 in perfect crystals`, async () => {
    const crystals = perfectCrystals(isUniversal);
    await using model = await open(potential, "e");
    const found = await compute(model, crystals);
    for (const force of found.forces.flat()) assertAlmostEquals(force, 0, 1e-4);
  });

  if (isUniversal) {
    modelTest(
      `${name} gives stresses of perfect crystals that are the slopes of their energies`,
      async () => {
        const structures = structuresFor(isUniversal);
        const crystals = [...perfectCrystals(isUniversal), structures["a cell of one atom"]!];
        await using model = await open(potential, "e", { stress: true });
        // Differences of small strains need energies in double precision.
        await using exact = await open(potential, "e", { runtime: "evaluator" });
        for (const crystal of crystals) {
          const pressed = strained(crystal, [-0.02, -0.02, -0.02, 0, 0, 0]); // angles of 180° do not change
          const stress = await stressOf(model, pressed);
          const slopes = await slopesOf(exact, pressed, 1e-3);
          assertWithin("stress", stress, slopes, 1e-3 * largest(slopes));
        }
      },
    );
  }

  Deno.test({
    name: `${name} gives the same results on WebGPU and wasm`,
    ignore: lacks("models") || lacksGpu(),
    fn: async () => {
      const { water, ...others } = structuresFor(isUniversal);
      const crystals = ["a slab", "a slab", "a slab", "rattled, of two elements"].map((what) =>
        others[what]!
      );
      const systems = [water!, others["an isolated atom"]!, ...crystals];
      await using model = await open(potential, "e");
      const expected = await compute(model, systems);
      const backend = await openWebGpu({ device: device! });
      try {
        const batch = Batch.from(systems);
        await using md = new NVE({ model, dt: 1, backend, onWarning: () => {} });
        await md.run(batch, 0);
        assertSame("on WebGPU", computed(batch), expected, 1e-3);
        // In the first run the lists of ANI-1x grow; the second compares padding at their new length.
        for (const by of [0.12, 0.13]) {
          const denser = systems.map((system) => squeezed(system, by));
          const given = Batch.from(denser);
          for (const field of ["positions", "cell"]) batch.set(field, given.get(field));
          await md.run(batch, 0);
          const grown = await compute(model, denser);
          assertSame(`on WebGPU, squeezed by ${by}`, computed(batch), grown, 1e-3);
        }
      } finally {
        backend.dispose();
      }
      const text = model.describe();
      // The host makes ordered triplets, so it also runs the model.
      const isCompared = ignoresPadding && potential.options.triplets !== "ordered";
      assertEquals(text.includes("give the same results"), isCompared, text.slice(-600));
    },
  });
}

/** Returns the stress of a system: xx, yy, zz, yz, xz, xy. */
async function stressOf(model: OnnxModel, system: SystemInput): Promise<number[]> {
  const batch = Batch.from([system]);
  batch.ensure("stress");
  await using md = new NVE({ model, dt: 1, onWarning: () => {} });
  await md.run(batch, 0);
  const stress = batch.get("stress");
  return [0, 4, 8, 5, 2, 1].map((k) => stress[k]!);
}

/** Returns a periodic system under a symmetric strain: xx, yy, zz, yz, xz, xy. */
function strained(system: SystemInput, [xx, yy, zz, yz, xz, xy]: readonly number[]): SystemInput {
  const strain = [1 + xx!, xy!, xz!, xy!, 1 + yy!, yz!, xz!, yz!, 1 + zz!];
  const moved = (rows: ArrayLike<number>) =>
    Array.from(rows, (_, i) => {
      const [row, k] = [3 * Math.floor(i / 3), i % 3];
      return [0, 1, 2].reduce((sum, j) => sum + rows[row + j]! * strain[3 * j + k]!, 0);
    });
  return {
    ...system,
    positions: moved(system.positions as ArrayLike<number>),
    cell: moved(system.cell as ArrayLike<number>),
  };
}

/** Periodic systems with more neighbors. */
function squeezed(system: SystemInput, by: number): SystemInput {
  return system.pbc === undefined ? system : strained(system, [-by, -by, -by, 0, 0, 0]);
}

/** dE/dε / V by xx, yy, zz, yz, xz, xy, to fourth order. */
async function slopesOf(
  model: OnnxModel,
  system: SystemInput,
  h = 0.003,
): Promise<number[]> {
  const WEIGHTS = [[-2, 1], [-1, -8], [1, 8], [2, -1]] as const;
  const systems = Array.from({ length: 6 }, (_, axis) =>
    WEIGHTS.map(([steps]) => {
      const strain = [0, 0, 0, 0, 0, 0];
      strain[axis] = steps * h;
      return strained(system, strain);
    })).flat();
  const { energies } = await compute(model, systems);
  const [a, b, c, d, e, f, g, i, j] = Array.from(system.cell as ArrayLike<number>);
  const volume = Math.abs(
    a! * (e! * j! - f! * i!) - b! * (d! * j! - f! * g!) + c! * (d! * i! - e! * g!),
  );
  return Array.from({ length: 6 }, (_, axis) => {
    const sum = WEIGHTS.reduce((sum, [, weight], k) => sum + weight * energies[4 * axis + k]!, 0);
    return sum / (12 * h) / volume / (axis < 3 ? 1 : 2); // off the diagonal two entries change
  });
}
