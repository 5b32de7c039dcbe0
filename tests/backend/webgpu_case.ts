/** Every kernel on ragged batches in skewed cells, and how near WGSL comes to what is written in TypeScript. */
import { type Buffer, type Call, call } from "../../src/backend/mod.ts";
import { addModel } from "../../src/kernels/add_model.ts";
import { advance } from "../../src/kernels/advance.ts";
import { alignCells } from "../../src/kernels/align_cells.ts";
import { centreBias } from "../../src/kernels/centre_bias.ts";
import { clampForces } from "../../src/kernels/clamp_forces.ts";
import { clear } from "../../src/kernels/clear.ts";
import { ACCELERATION, BOLTZMANN, TIME_UNIT_FS } from "../../src/kernels/constants.ts";
import { criterion, Level, Reduce } from "../../src/kernels/criterion.ts";
import { drift } from "../../src/kernels/drift.ts";
import { edges as edgesOf } from "../../src/kernels/edges.ts";
import { energyChange } from "../../src/kernels/energy_change.ts";
import { fire2Step } from "../../src/kernels/fire2_step.ts";
import { fireStep } from "../../src/kernels/fire_step.ts";
import { fmax } from "../../src/kernels/fmax.ts";
import { freezeAtoms } from "../../src/kernels/freeze_atoms.ts";
import { graduate } from "../../src/kernels/graduate.ts";
import { harmonicBonds } from "../../src/kernels/harmonic_bonds.ts";
import { kickDrift } from "../../src/kernels/kick_drift.ts";
import { kick } from "../../src/kernels/kick.ts";
import { kineticEnergy } from "../../src/kernels/kinetic_energy.ts";
import { lennardJones } from "../../src/kernels/lennard_jones.ts";
import { morse } from "../../src/kernels/morse.ts";
import { neighbours } from "../../src/kernels/neighbours.ts";
import { stress } from "../../src/kernels/stress.ts";
import { temperature } from "../../src/kernels/temperature.ts";
import { tethers } from "../../src/kernels/tethers.ts";
import { thermalize } from "../../src/kernels/thermalize.ts";
import { triplets } from "../../src/kernels/triplets.ts";
import { wrapPositions } from "../../src/kernels/wrap_positions.ts";
import { Lab, normals } from "../kernels/lab.ts";

/** A batch on a backend, with numbers for every argument there is. */
export interface World {
  readonly lab: Lab;
  readonly sizes: readonly number[];
  /** Numbers per system, and per atom. */
  readonly system: Buffers;
  readonly atom: Buffers;
}

type Buffers = Readonly<Record<string, Buffer<"real">>>;

/** A buffer, or numbers found from some: of lists that are right in any order. */
type Look = Buffer | (() => Promise<number[]>);

/** How a kernel is tried. */
export interface Trial {
  /** What is run, and what is to be looked at afterwards: buffer, tolerance, size that it is relative to at least. */
  (world: World): {
    readonly calls: readonly Call[];
    readonly looks: readonly (readonly [what: Look, tolerance: number, scale: number])[];
  };
}

/** Lattice vectors of a skewed cell with room for so many atoms 3.4 Å apart. */
function cellFor(atoms: number): number[] {
  const side = Math.max(1, Math.ceil(Math.cbrt(atoms)));
  return [1, 0, 0, 0.25, 1, 0, -0.125, 0.375, 1.125].map((x) => Math.fround(3.4 * side * x));
}

/** Atoms near the points of a lattice in their cell, some of them outside. */
function placesFor(atoms: number, seed: number): number[] {
  const side = Math.max(1, Math.ceil(Math.cbrt(atoms)));
  const cell = cellFor(atoms), noise = normals(3 * atoms, seed, 0.1);
  return Array.from({ length: atoms }, (_, i) => {
    const place = [i % side, Math.floor(i / side) % side, Math.floor(i / side / side)];
    return [0, 1, 2].map((d) =>
      Math.fround(
        noise[3 * i + d]! +
          place.reduce((sum, n, k) => sum + ((n + 0.5) / side - 0.25) * cell[3 * k + d]!, 0),
      )
    );
  }).flat();
}

/** Makes it. */
export async function worldOn(backend: string, sizes: readonly number[]): Promise<World> {
  const atoms = sizes.reduce((sum, size) => sum + size, 0);
  const active = sizes.map((_, s) => s % 5 === 3 ? 0 : 1);
  const lab = await Lab.open(backend, sizes, { active, ages: sizes.map((_, s) => 11 * s) });
  const each = (from: (s: number) => number) => lab.real(sizes.map((_, s) => Math.fround(from(s))));
  const seeded = (seed: number, width: number, scale: number) =>
    lab.real(normals(width * atoms, seed, scale));
  return {
    lab,
    sizes,
    system: {
      cell: lab.real(sizes.flatMap(cellFor)),
      dt: each((s) => 0.5 + s / 8),
      temperature: each((s) => 100 + 50 * s),
      friction: each((s) => s % 4 === 1 ? 0 : 0.01 * (1 + s)),
      stiffness: each((s) => s === 2 ? 0 : 0.5 + s),
      centre: lab.real(normals(3 * sizes.length, 4, 5)),
    },
    atom: {
      positions: lab.real(sizes.flatMap((size, s) => placesFor(size, s + 1))),
      anchors: lab.real(sizes.flatMap((size, s) => placesFor(size, s + 100))),
      velocities: seeded(2, 3, 1e-2),
      forces: seeded(3, 3, 1),
      low: seeded(5, 3, 1e-8),
      weights: lab.real(normals(atoms, 6).map((x) => Math.fround(ACCELERATION / (2 + x * x)))),
      masses: lab.real(normals(atoms, 7).map((x) => x > 0 ? Math.fround(1 + x) : 0)),
      stiffness: lab.real(normals(atoms, 8).map((x) => Math.max(0, x))),
    },
  };
}

/** Flags of every kind, and whole lattice vectors, where the trials need some. */
function wholes({ lab, sizes }: World) {
  const atoms = sizes.reduce((sum, size) => sum + size, 0);
  return {
    pbc: lab.i32(sizes.flatMap((_, s) => [1, s % 2, Number(s % 3 < 2)])),
    images: lab.i32(Array.from({ length: 3 * atoms }, (_, i) => i * 7 % 5 - 2)),
    frozen: lab.i32(Array.from({ length: atoms }, (_, i) => Number(i % 3 === 0))),
  };
}

function sumsOf({ lab, sizes, atom }: World) {
  return {
    forces: atom.forces!,
    energy: lab.f64(normals(sizes.length, 20)),
    virial: lab.f64(normals(9 * sizes.length, 21)),
  };
}

/** Forces, energy and virial of a potential that is added to those. Sums of many terms are as large as these are many. */
function potential(add: (world: World, sums: ReturnType<typeof sumsOf>) => Call[]): Trial {
  return (world) => {
    const sums = sumsOf(world);
    const many = Math.max(...world.sizes, 1);
    return {
      calls: add(world, sums),
      looks: [[sums.forces, 2e-5, 10], [sums.energy, 1e-6, many], [sums.virial, 5e-6, 5 * many]],
    };
  };
}

function pairs(world: World, kernel: typeof lennardJones | typeof morse, parameters: number[]) {
  return (sums: ReturnType<typeof sumsOf>): Call[] => {
    const { lab, atom: { positions }, system: { cell } } = world;
    const list = lab.backend.pairs(lab.frame, { cutoff: 5, skin: 0.5 });
    const place = { pairs: list, positions: positions!, cell: cell! };
    const { pbc } = wholes(world);
    return [
      call(neighbours, { ...place, pbc }),
      call(kernel, {
        ...{ ...place, images: undefined, species: undefined },
        ...{ parameters: lab.real(parameters), ...sums, switchWidth: 1, want: 3 },
      }),
    ];
  };
}

/** Edges and triplets, each atom's as a sum that knows nothing of their order, nor of what is just about the cutoff. */
function listing(world: World, cutoff: number, reach: number) {
  const { lab, atom: { positions }, system: { cell } } = world;
  const { pbc, images } = wholes(world);
  const list = lab.backend.pairs(lab.frame, { cutoff: 5, skin: 0.5 });
  const edges = lab.backend.edges(lab.frame, { pairs: list, cutoff, isHalf: false, reach });
  const place = { positions: positions!, cell: cell!, images };
  const calls = [
    call(neighbours, { pairs: list, ...place, pbc }),
    call(edgesOf, { edges, ...place }),
  ];
  const look = async () => {
    const { index, shifts, counts, triplets: both } = edges;
    const [x, i, by, many, t] = await lab.readAll([positions!, index, shifts, counts, both]);
    const vector = (e: number) =>
      [0, 1, 2].map((d) => {
        return x![3 * i![edges.capacity + e]! + d]! - x![3 * i![e]! + d]! + by![3 * e + d]!;
      });
    return { vector, sources: i!, counts: many!, triplets: t! };
  };
  const sums = async () => {
    const { vector, sources, counts } = await look();
    const all = Array(4 * (positions!.length / 3)).fill(0);
    for (let e = 0; e < counts[0]!; e++) {
      const r = vector(e), weight = fade(r, cutoff);
      [weight, ...r.map((x) => weight * x)].forEach((x, k) => all[4 * sources[e]! + k] += x);
    }
    return all;
  };
  const fans = async () => {
    const { vector, sources, counts, triplets } = await look();
    const all = Array(positions!.length / 3).fill(0);
    for (let t = 0; t < counts[1]!; t++) {
      const [r, q] = [triplets[t]!, triplets[edges.tripletCapacity + t]!].map(vector);
      const angle = r!.reduce((sum, x, d) => sum + x * q![d]!, 0);
      all[sources[triplets[t]!]!] += fade(r!, reach) * fade(q!, reach) * (2 + angle);
    }
    return all;
  };
  return { calls, edges, positions: positions!, sums, fans };
}

/** From 1 where atoms meet to 0 at the cutoff. */
function fade(r: readonly number[], cutoff: number): number {
  return (1 - r.reduce((sum, x) => sum + x * x, 0) / cutoff ** 2) ** 2;
}

function relaxing(isFire2: boolean): Trial {
  return ({ lab, sizes, atom }) => {
    const { positions, velocities, forces, weights } = atom;
    const state = {
      dt: lab.f64(sizes.map((_, s) => 0.3 + 0.01 * s)),
      alpha: lab.f64(sizes.map(() => 0.08)),
      positive: lab.i32(sizes.map((_, s) => s % 9)),
      parameters: lab.f64(
        sizes.flatMap(() => [TIME_UNIT_FS, 0.02 * TIME_UNIT_FS, 0.2, 5, 0.5, 1.1, 0.1, 0.99]),
      ),
    };
    const moved = { positions: positions!, velocities: velocities!, forces: forces! };
    const step = isFire2
      ? call(fire2Step, { ...moved, ...state })
      : call(fireStep, { ...moved, weights: weights!, ...state });
    return {
      calls: [step, step, step],
      looks: [
        ...[[positions!, 2e-6, 1], [velocities!, 5e-6, 1e-2], [state.dt, 1e-6, 0]] as const,
        ...[[state.alpha, 1e-12, 0], [state.positive, 0, 0]] as const,
      ],
    };
  };
}

/** Kernel → how it is tried. */
export const TRIALS: Readonly<Record<string, Trial>> = {
  kick({ atom: { velocities, forces, weights }, system: { dt } }) {
    const args = { velocities: velocities!, forces: forces!, weights: weights!, dt: dt! };
    return { calls: [call(kick, args)], looks: [[velocities!, 5e-7, 1e-2]] };
  },
  kick_drift({ atom: { positions, velocities, forces, weights, low }, system: { dt } }) {
    const args = {
      ...{ positions: positions!, velocities: velocities!, forces: forces! },
      ...{ weights: weights!, dt: dt!, low: low! },
    };
    return {
      calls: [call(kickDrift, args)],
      looks: [[positions!, 2e-7, 1], [velocities!, 5e-7, 1e-2]],
    };
  },
  drift({ atom: { positions, velocities }, system: { dt } }) {
    const args = { positions: positions!, velocities: velocities!, dt: dt!, fraction: 0.75 };
    return { calls: [call(drift, args)], looks: [[positions!, 2e-7, 1]] };
  },
  thermalize({ atom: { velocities, weights }, system: { dt, temperature, friction } }) {
    const args = {
      ...{ velocities: velocities!, weights: weights!, dt: dt!, temperature: temperature! },
      ...{ friction: friction!, seedLow: 0xfedcba98, seedHigh: 3 },
    };
    const width = Math.sqrt(BOLTZMANN * 500 * ACCELERATION);
    return { calls: [call(thermalize, args)], looks: [[velocities!, 2e-6, width]] };
  },
  clear(world) {
    const sums = sumsOf(world);
    return {
      calls: [call(clear, sums)],
      looks: Object.values(sums).map((buffer) => [buffer, 1e-13, 0]),
    };
  },
  advance: ({ lab: { frame } }) => ({ calls: [call(advance, {})], looks: [[frame.ages, 0, 0]] }),
  fmax({ lab, sizes, atom: { forces } }) {
    const found = lab.f64(sizes.map(() => 1));
    return { calls: [call(fmax, { forces: forces!, fmax: found })], looks: [[found, 3e-7, 0]] };
  },
  kinetic_energy({ lab, sizes, atom: { velocities, weights } }) {
    const kinetic = lab.f64(sizes.map(() => 1));
    const args = { velocities: velocities!, weights: weights!, kinetic };
    return { calls: [call(kineticEnergy, args)], looks: [[kinetic, 3e-7, 0]] };
  },
  temperature({ lab, sizes }) {
    const found = lab.f64(sizes.map(() => 1));
    const kinetic = lab.f64(sizes.map((_, s) => 0.1 * s));
    const freedom = lab.i32(sizes.map((size) => 3 * size));
    const args = { kinetic, freedom, temperature: found };
    return { calls: [call(temperature, args)], looks: [[found, 1e-12, 0]] };
  },
  energy_change({ lab, sizes }) {
    const energy = lab.f64(sizes.map((_, s) => -1000 / (s + 1)));
    const previous = lab.f64(sizes.map((_, s) => s === 1 ? NaN : -1000 / (s + 1) + 1e-9));
    const change = lab.f64(sizes.map(() => 1));
    const args = { energy, previous, change };
    return { calls: [call(energyChange, args)], looks: [[change, 1e-10, 1], [previous, 1e-13, 0]] };
  },
  stress({ lab, sizes, system: { cell } }) {
    const virial = lab.f64(normals(9 * sizes.length, 30)),
      found = lab.f64(normals(9 * sizes.length, 31));
    const args = { virial, cell: cell!, stress: found };
    return { calls: [call(stress, args)], looks: [[found, 1e-12, 0]] };
  },
  criterion({ lab, sizes, atom: { forces } }) {
    const met = lab.i32(sizes.map(() => 1)), level = Level.NODE;
    const reduce = Reduce.NORM, threshold = 3.1;
    const args = { real: forces!, f64: undefined, width: 3, level, reduce, threshold, met };
    return { calls: [call(criterion, args)], looks: [[met, 0, 0]] };
  },
  graduate({ lab, sizes }) {
    const i32 = (from: (s: number) => number) => lab.i32(sizes.map((_, s) => from(s)));
    const [met, converged, status] = [i32((s) => s % 2), i32(() => 7), i32((s) => s % 3)];
    const args = { met, converged, status, source: 1, target: 9, stop: 1 };
    const all = [met, converged, status, lab.frame.active];
    return { calls: [call(graduate, args)], looks: all.map((buffer) => [buffer, 0, 0]) };
  },
  fire_step: relaxing(false),
  fire2_step: relaxing(true),
  clamp_forces: ({ atom: { forces } }) => ({
    calls: [call(clampForces, { forces: forces!, limit: 1.5 })],
    looks: [[forces!, 5e-7, 0]],
  }),
  freeze_atoms(world) {
    const { atom: { positions, velocities, forces, anchors }, system: { cell } } = world;
    const held = { positions: positions!, velocities: velocities!, forces: forces! };
    const { frozen, images } = wholes(world);
    const args = { ...held, frozen, anchors: anchors!, images, cell: cell!, what: 7 };
    return {
      calls: [call(freezeAtoms, args)],
      looks: Object.values(held).map((buffer) => [buffer, 1e-6, 100]),
    };
  },
  wrap_positions(world) {
    const { atom: { positions }, system: { cell } } = world;
    const { images, pbc } = wholes(world);
    const args = { positions: positions!, images, cell: cell!, pbc };
    return {
      calls: [call(wrapPositions, args)],
      looks: [[positions!, 1e-6, 100], [images, 0, 0]],
    };
  },
  align_cells(world) {
    const { atom: { positions, velocities, forces }, system: { cell }, lab, sizes } = world;
    // Turned, so that there is something to be done.
    const turned = lab.real(sizes.flatMap((size) => {
      const h = cellFor(size);
      return [0, 3, 6].flatMap((k) => [h[k + 1]!, h[k + 2]!, h[k]!]);
    }));
    const all = { positions: positions!, velocities: velocities!, forces: forces! };
    const { pbc } = wholes(world);
    return {
      calls: [
        call(alignCells, { cell: turned, ...all, pbc }),
        call(alignCells, { cell: cell!, ...all, pbc }),
      ],
      looks: [turned, cell!, ...Object.values(all)].map((buffer) => [buffer, 1e-6, 50]),
    };
  },
  tethers: potential((world, sums) => {
    const { atom: { positions, anchors, stiffness }, system: { cell } } = world;
    const place = { positions: positions!, cell: cell!, images: undefined };
    return [
      call(tethers, { ...place, anchors: anchors!, stiffness: stiffness!, ...sums, want: 3 }),
    ];
  }),
  harmonic_bonds: potential((world, sums) => {
    const { lab, sizes, atom: { positions }, system: { cell } } = world;
    const counts = sizes.map((size) => Math.max(0, size - 1));
    const starts = counts.reduce((all, count) => [...all, all.at(-1)! + count], [0]);
    const bonds = counts.flatMap((count) => Array.from({ length: count }, (_, i) => [i, i + 1]));
    const many = bonds.length;
    return [call(harmonicBonds, {
      ...{ starts: lab.i32(starts), bonds: lab.i32(bonds.flat()), shifts: undefined },
      ...{ lengths: lab.real(Array(many).fill(3)), stiffness: lab.real(Array(many).fill(0.1)) },
      ...{ positions: positions!, cell: cell!, images: undefined, ...sums, want: 3 },
    })];
  }),
  centre_bias: potential((world, sums) => {
    const { atom: { positions, masses }, system: { cell, centre, stiffness } } = world;
    const place = { positions: positions!, cell: cell!, images: undefined };
    const group = { masses: masses!, centre: centre!, stiffness: stiffness! };
    return [call(centreBias, { ...place, ...group, ...sums, want: 3 })];
  }),
  neighbours: potential((world, sums) => pairs(world, lennardJones, [1, 1, 25, 0])(sums)),
  edges(world) {
    const { calls, sums } = listing(world, 4.5, 0);
    return { calls, looks: [[sums, 2e-5, 1]] };
  },
  triplets(world) {
    const { calls, edges, positions, fans } = listing(world, 4.5, 4);
    return { calls: [...calls, call(triplets, { edges, positions })], looks: [[fans, 5e-5, 1]] };
  },
  add_model(world) {
    const { lab, sizes, atom: { velocities }, system: { cell } } = world;
    const { forces, energy, virial } = sumsOf(world), many = Math.max(...sizes, 1);
    const atoms = sizes.reduce((sum, size) => sum + size, 0);
    const real = (length: number, seed: number) => lab.real(normals(length, seed));
    const given = { atomForces: velocities!, stresses: real(9 * sizes.length, 41), cell: cell! };
    const to = {
      forces,
      energy,
      virial,
      forceUnit: 1.1,
      energyUnit: 0.0367,
      stressUnit: 1 / 160.2,
    };
    const constants = lab.f64(normals(sizes.length, 42, 1e4));
    const args = { ...given, ...to, constants };
    return {
      calls: [
        call(addModel, { ...args, energies: real(sizes.length, 43), perAtom: 0 }),
        call(addModel, { ...args, energies: real(atoms, 44), perAtom: 1 }),
      ],
      looks: [
        ...[[forces, 5e-7, 1], [energy, 1e-12, many]] as const,
        ...[[virial, 1e-11, 5 * many], [lab.frame.control, 0, 0]] as const,
      ],
    };
  },
  lennard_jones: potential((world, sums) =>
    pairs(world, lennardJones, [4e-2 * 3.1 ** 12, 4e-2 * 3.1 ** 6, 25, 1e-3])(sums)
  ),
  morse: potential((world, sums) => pairs(world, morse, [0.05, 1.4, 3.3, 25, 1e-3])(sums)),
};

/** Where WGSL is further from TypeScript than a trial allows: kernel, place, both values. */
export async function compare(name: string, sizes: readonly number[]): Promise<string[]> {
  const found: number[][][] = [];
  let looks: ReturnType<Trial>["looks"] = [];
  for (const backend of ["reference", "webgpu"]) {
    const world = await worldOn(backend, sizes);
    using lab = world.lab;
    const trial = TRIALS[name]!(world);
    looks = trial.looks;
    await lab.run(trial.calls);
    const seen = looks.map(([look]) => typeof look === "function" ? look() : lab.read(look));
    found.push(await Promise.all(seen));
  }
  const [exact, fast] = found as [number[][], number[][]];
  return looks.flatMap(([, tolerance, scale], i) =>
    exact[i]!.flatMap((e, k) => {
      const a = fast[i]![k]!;
      const isNear = Object.is(a, e) || Math.abs(a - e) <= tolerance * Math.max(Math.abs(e), scale);
      return a === e || isNear ? [] : [`${name}, value ${i} [${k}]: ${a}, not ${e}`];
    })
  );
}
