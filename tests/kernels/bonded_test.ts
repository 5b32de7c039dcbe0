import { assertEquals } from "@std/assert";
import { call, type KernelCall } from "../../src/backend/mod.ts";
import { centerBias } from "../../src/kernels/bonded/center_bias.ts";
import { clear } from "../../src/kernels/clear.ts";
import { harmonicBonds } from "../../src/kernels/bonded/harmonic_bonds.ts";
import { stress } from "../../src/kernels/measure/stress.ts";
import { tethers } from "../../src/kernels/bonded/tethers.ts";
import { assertNear, Lab, normals, onEach } from "./lab.ts";

const ALL = 3;

/** Input of a potential: a system of atoms in a cell, and its points and lengths. */
interface World {
  positions: number[];
  cell: number[];
  anchors: number[];
  center: number[];
}

/** A potential's call on buffers that are made from a world. */
type Make = (lab: Lab, world: World, sums: Sums, want: number) => KernelCall;

type Sums =
  & Record<"forces", ReturnType<Lab["real"]>>
  & Record<
    "energy" | "virial",
    ReturnType<Lab["f64"]>
  >;

const ATOMS = 6;
const IMAGES = [0, 1, 0, -1, 0, 0, 0, 0, 2, 0, 0, 0, 1, -1, 0, 0, 0, 0];

const place = (lab: Lab, { positions, cell }: World) => ({
  positions: lab.real(positions),
  cell: lab.real(cell),
  images: lab.i32(IMAGES),
});

const POTENTIALS: Record<string, Make> = {
  tethers: (lab, world, sums, want) =>
    call(tethers, {
      ...place(lab, world),
      anchors: lab.real(world.anchors),
      stiffness: lab.real([1, 0.5, 0, 2, 0.25, 3]),
      ...sums,
      want,
    }),
  harmonic_bonds: (lab, world, sums, want) =>
    call(harmonicBonds, {
      starts: lab.i32([0, 4]),
      bonds: lab.i32([0, 1, 1, 2, 5, 3, 4, 4]),
      shifts: lab.i32([0, 0, 0, 1, 0, 0, 0, -1, 1, 0, 1, 0]),
      lengths: lab.real([1, 2, 3, 4]),
      stiffness: lab.real([0.5, 1, 0.25, 0.75]),
      ...place(lab, world),
      ...sums,
      want,
    }),
  center_bias: (lab, world, sums, want) =>
    call(centerBias, {
      ...place(lab, world),
      masses: lab.real([1, 0, 16, 12, 0, 4]),
      center: lab.real(world.center),
      stiffness: lab.real([0.75]),
      ...sums,
      want,
    }),
};

function randomWorld(seed: number): World {
  return {
    positions: normals(3 * ATOMS, seed, 3),
    cell: normals(9, seed + 1, 4),
    anchors: normals(3 * ATOMS, seed + 2, 3),
    center: normals(3, seed + 3, 3),
  };
}

interface Found {
  forces: number[];
  energy: number;
  virial: number[];
}

async function compute(
  backend: string,
  make: Make,
  world: World,
  want = ALL,
  active = 1,
): Promise<Found> {
  using lab = await Lab.open(backend, [ATOMS], { active: [active] });
  const sums = {
    forces: lab.real(new Array(3 * ATOMS).fill(0)),
    energy: lab.f64([0]),
    virial: lab.f64(new Array(9).fill(0)),
  };
  await lab.run([call(clear, sums), make(lab, world, sums, want)]);
  return {
    forces: await lab.read(sums.forces),
    energy: (await lab.read(sums.energy))[0]!,
    virial: await lab.read(sums.virial),
  };
}

/** Every vector of a world times 1 + ε. */
function strained(world: World, strain: number[]): World {
  const turn = (vectors: number[]) =>
    vectors.map((x, k) => {
      const at = k - k % 3;
      return x +
        [0, 1, 2].reduce((sum, i) => sum + strain[3 * (k % 3) + i]! * vectors[at + i]!, 0);
    });
  const { positions, cell, anchors, center } = world;
  return {
    positions: turn(positions),
    cell: turn(cell),
    anchors: turn(anchors),
    center: turn(center),
  };
}

for (const [name, make] of Object.entries(POTENTIALS)) {
  Deno.test(`${name}: forces are minus the gradient of the energy`, async () => {
    const world = randomWorld(5), { forces } = await compute("reference", make, world);
    const step = 1e-4;
    for (let k = 0; k < 3 * ATOMS; k++) {
      const at = async (by: number) => {
        const positions = world.positions.with(k, world.positions[k]! + by);
        return (await compute("reference", make, { ...world, positions })).energy;
      };
      assertNear([forces[k]!], [-(await at(step) - await at(-step)) / (2 * step)], 1e-7, 1);
    }
  });

  Deno.test(`${name}: the virial is minus the derivative of the energy by strain`, async () => {
    const world = randomWorld(6), { virial } = await compute("reference", make, world);
    const step = 1e-5;
    for (let k = 0; k < 9; k++) {
      const at = async (by: number) =>
        (await compute("reference", make, strained(world, new Array(9).fill(0).with(k, by))))
          .energy;
      assertNear([virial[k]!], [-(await at(step) - await at(-step)) / (2 * step)], 1e-7, 1);
    }
  });

  onEach(`${name} computes only what is wanted, with the same bits`, async (backend) => {
    const world = randomWorld(7), all = await compute(backend, make, world);
    const none = new Array(9).fill(0);
    assertEquals(await compute(backend, make, world, 0), { ...all, energy: 0, virial: none });
    assertEquals(await compute(backend, make, world, 1), { ...all, virial: none });
    assertEquals(await compute(backend, make, world, 2), { ...all, energy: 0 });
  });
}

onEach("a tether, a bond and a bias have known energies and forces", async (backend) => {
  using lab = await Lab.open(backend, [2]);
  const forces = lab.real([0, 0, 0, 0, 0, 0]), energy = lab.f64([0]);
  const virial = lab.f64(new Array(9).fill(0));
  const sums = { forces, energy, virial, want: ALL };
  const free = { positions: lab.real([0, 0, 0, 3, 4, 0]), cell: undefined, images: undefined };
  const [zeros, still] = [lab.real([0, 0, 0, 0, 0, 0]), lab.real([0, 2])];
  const read = async () => [
    await lab.read(forces),
    await lab.read(energy),
    (await lab.read(virial)).slice(0, 2),
  ];
  await lab.run([call(tethers, { ...free, anchors: zeros, stiffness: still, ...sums })]);
  assertEquals(await read(), [[0, 0, 0, -6, -8, 0], [25], [-18, -24]]);
  const bond = { starts: lab.i32([0, 1]), bonds: lab.i32([0, 1]), shifts: undefined };
  const [length, stiffness] = [lab.real([2.5]), lab.real([4])];
  await lab.run([
    call(clear, { forces, energy, virial }),
    call(harmonicBonds, { ...bond, lengths: length, stiffness, ...free, ...sums }),
  ]);
  // Stretched by 2.5 Å: 10 eV/Å along (0.6, 0.8).
  assertEquals(await read(), [[6, 8, 0, -6, -8, 0], [12.5], [-18, -24]]);
  const group = { masses: lab.real([1, 3]), center: lab.real([0.25, 3, 0]) };
  await lab.run([
    call(clear, { forces, energy, virial }),
    call(centerBias, { ...free, ...group, stiffness, ...sums }),
  ]);
  // The center is at (2.25, 3, 0): 8 eV/Å, shared one to three.
  assertEquals(await read(), [[-2, 0, 0, -6, 0, 0], [8], [-16, 0]]);
});

onEach("a bond of length 0 and an empty group have no forces", async (backend) => {
  using lab = await Lab.open(backend, [2]);
  const forces = lab.real([0, 0, 0, 0, 0, 0]), energy = lab.f64([0]);
  const virial = lab.f64(new Array(9).fill(0));
  const sums = { forces, energy, virial, want: ALL };
  const free = { positions: lab.real([1, 1, 1, 1, 1, 1]), cell: undefined, images: undefined };
  const stiffness = lab.real([4]);
  const bond = { starts: lab.i32([0, 1]), bonds: lab.i32([0, 1]), shifts: undefined };
  await lab.run([
    call(harmonicBonds, { ...bond, lengths: lab.real([1]), stiffness, ...free, ...sums }),
    call(centerBias, {
      ...free,
      masses: lab.real([0, 0]),
      center: lab.real([0, 0, 0]),
      stiffness,
      ...sums,
    }),
  ]);
  assertEquals([await lab.read(forces), await lab.read(energy)], [[0, 0, 0, 0, 0, 0], [2]]);
});

onEach(
  "stress is minus the virial over the volume, for cells of either handedness",
  async (backend) => {
    using lab = await Lab.open(backend, [1, 1, 1, 1], { active: [1, 1, 1, 0] });
    const virial = lab.f64(Array.from({ length: 36 }, (_, k) => k));
    const right = [2, 0, 0, 1, 3, 0, 0, 0, 4], left = [2, 0, 0, 1, 3, 0, 0, 0, -4];
    const cell = lab.real([...right, ...left, ...new Array(9).fill(0), ...right]);
    const found = lab.f64(new Array(36).fill(-1));
    await lab.run([call(stress, { virial, cell, stress: found })]);
    const values = await lab.read(found);
    const last = backend === "webgpu" ? 1e-14 : 1e-15;
    assertNear(values.slice(0, 18), Array.from({ length: 18 }, (_, k) => -k / 24), last);
    assertEquals(values.slice(18, 27), new Array(9).fill(0));
    assertNear(values.slice(27), Array.from({ length: 9 }, (_, k) => -(27 + k) / 24), last); // at rest, too
  },
);
