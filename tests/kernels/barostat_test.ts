import { assertEquals } from "@std/assert";
import { call } from "../../src/backend/mod.ts";
import { barostatChain } from "../../src/kernels/barostats/barostat_chain.ts";
import { barostatKick, Coupling } from "../../src/kernels/barostats/barostat_kick.ts";
import { ACCELERATION, BOLTZMANN, TIME_UNIT_FS } from "../../src/kernels/constants.ts";
import { noseHoover } from "../../src/kernels/thermostats/nose_hoover.ts";
import { strainedDrift } from "../../src/kernels/barostats/strained_drift.ts";
import { strainedKick } from "../../src/kernels/barostats/strained_kick.ts";
import { assertNear, Lab, normals, onEach } from "./lab.ts";

const CUBE = [10, 0, 0, 0, 10, 0, 0, 0, 10];

/** Largest accepted error of numbers with twice the digits of float32. */
const SUM = 1e-12;

interface Kicked {
  velocities?: number[];
  cell?: number[];
  virial?: number[];
  rate?: number[];
  coupling?: number;
  freedom?: number;
  parameters?: number[];
}

/** Half a kick of the cell of one system, of atoms of 2 amu. */
async function kick(backend: string, given: Kicked) {
  const { velocities = new Array(12).fill(0), cell = CUBE, virial = new Array(9).fill(0) } = given;
  const { rate = new Array(9).fill(0), coupling = Coupling.TRICLINIC, freedom = 12 } = given;
  const { parameters = [2, 1e-3, 0.025, 100] } = given;
  const atoms = velocities.length / 3;
  using lab = await Lab.open(backend, [atoms]);
  const kicked = { rate: lab.f64(rate), bathEnergy: lab.f64([0]) };
  await lab.run([call(barostatKick, {
    ...kicked,
    velocities: lab.real(velocities),
    weights: lab.real(new Array(atoms).fill(ACCELERATION / 2)),
    cell: lab.real(cell),
    cellLow: lab.f64(new Array(9).fill(0)),
    virial: lab.f64(virial),
    parameters: lab.f64(parameters),
    freedom: lab.i32([freedom]),
    coupling,
  })]);
  return {
    rate: await lab.read(kicked.rate),
    bathEnergy: (await lab.read(kicked.bathEnergy))[0]!,
  };
}

onEach("barostat_kick has the golden inertia: 4 atoms, 300 K, 100 fs", async (backend) => {
  const parameters = [2, 1e-3, 300 * BOLTZMANN, 100];
  const { rate, bathEnergy } = await kick(backend, { parameters });
  // ν = −½ dt p V/W where nothing moves, with p V = 1 eV.
  const inertia = -1 / rate[0]!;
  // Known to eleven digits, by constants of CODATA 2014.
  assertNear([inertia / TIME_UNIT_FS ** 2], [12.471693931], 1e-7);
  assertNear([bathEnergy], [1 + 1.5 * inertia * rate[0]! ** 2], SUM);
});

onEach("barostat_kick is driven by Σ v⊗v/w + Ξ − p V + 2K/f", async (backend) => {
  const [x, y, z] = [1e-2, -2e-2, 3e-3].map(Math.fround) as [number, number, number];
  const mass = 2 / ACCELERATION;
  const virial = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const first = normals(6, 3, 1e-3);
  const before = [0, 3, 4, 3, 1, 5, 4, 5, 2].map((i) => first[i]!);
  const { rate, bathEnergy } = await kick(backend, {
    velocities: [x, y, z],
    virial,
    freedom: 3,
    rate: before,
  });
  const [xx, yy, zz] = [mass * x * x, mass * y * y, mass * z * z];
  const all = (xx + yy + zz) / 3 - 1;
  const force = [
    xx + 1 + all,
    mass * x * y + 3,
    mass * x * z + 5,
    mass * x * y + 3,
    yy + 5 + all,
    mass * y * z + 7,
    mass * x * z + 5,
    mass * y * z + 7,
    zz + 9 + all,
  ];
  const inertia = 2 * 0.025 * 1e4;
  const expected = force.map((f, k) => before[k]! + f / inertia);
  assertNear(rate, expected, 1e-7, 1e-2);
  const square = expected.reduce((sum, nu) => sum + nu * nu, 0);
  assertNear([bathEnergy], [1 + inertia / 2 * square], 3e-7);
});

onEach("barostat_kick changes only free components of the cell", async (backend) => {
  const given = { velocities: normals(12, 5, 1e-2), virial: normals(9, 6, 3) };
  const full = (await kick(backend, given)).rate;
  const axes = (await kick(backend, { ...given, coupling: Coupling.ANISOTROPIC })).rate;
  const even = (await kick(backend, { ...given, coupling: Coupling.ISOTROPIC })).rate;
  assertEquals([full[1], full[2], full[5]], [full[3], full[6], full[7]]); // it does not turn
  assertEquals(axes, full.map((nu, k) => k % 4 === 0 ? nu : 0));
  const mean = (full[0]! + full[4]! + full[8]!) / 3;
  assertNear(even, full.map((_, k) => k % 4 === 0 ? mean : 0), SUM);
  assertEquals([even[4], even[8]], [even[0], even[0]]); // exactly: the shape stays
});

/** A rate of strain that is 1e-2, 2e-2 and −3e-2 along axes turned by 30° about z. */
const [COS, SIN] = [Math.cos(Math.PI / 6), Math.sin(Math.PI / 6)];
const AXES = [[COS, SIN, 0], [-SIN, COS, 0], [0, 0, 1]];
const RATES = [1e-2, 2e-2, -3e-2];
const turned = (of: readonly number[]) =>
  [0, 1, 2].flatMap((i) =>
    [0, 1, 2].map((j) => of.reduce((sum, r, k) => sum + r * AXES[k]![i]! * AXES[k]![j]!, 0))
  );
const applied = (matrix: readonly number[], [x, y, z]: readonly number[]) =>
  [0, 3, 6].map((k) => matrix[k]! * x! + matrix[k + 1]! * y! + matrix[k + 2]! * z!);

onEach(
  "strained_kick solves v̇ = w F − (ν + Tr ν/f) v exactly along the axes of ν",
  async (backend) => {
    using lab = await Lab.open(backend, [5]);
    const weight = Math.fround(ACCELERATION / 4);
    const [v, forces] = [normals(15, 1, 1e-2), normals(15, 2, 1)];
    const velocities = lab.real(v);
    // Four degrees of freedom for a trace of 0 would hide the trace: one more along z.
    const rates = RATES.map((r, k) => k === 2 ? r + 0.04 : r);
    await lab.run([call(strainedKick, {
      velocities,
      forces: lab.real(forces),
      weights: lab.real(new Array(5).fill(weight)),
      dt: lab.real([4]),
      rate: lab.f64(turned(rates)),
      freedom: lab.i32([12]),
    })]);
    const slow = rates.map((r) => r + 0.04 / 12);
    const keep = turned(slow.map((k) => Math.exp(-2 * k)));
    const add = turned(slow.map((k) => -Math.expm1(-2 * k) / k));
    const expected = [0, 3, 6, 9, 12].flatMap((at) => {
      const kept = applied(keep, v.slice(at, at + 3));
      const added = applied(add, forces.slice(at, at + 3));
      return kept.map((x, i) => x + weight * added[i]!);
    });
    assertNear(await lab.read(velocities), expected, backend === "reference" ? 1e-13 : 1e-6, 1e-2);
  },
);

onEach(
  "strained_drift solves ẋ = v + ν x exactly along the axes of ν, and the cell as x",
  async (backend) => {
    using lab = await Lab.open(backend, [5]);
    const [x, v] = [normals(15, 1, 5), normals(15, 2, 1e-2)];
    const h = [10, 1, 0, 0, 9, 2, -1, 0, 11];
    const [positions, cell] = [lab.real(x), lab.real(h)];
    const cellLow = lab.f64(new Array(9).fill(0)), low = lab.real(new Array(15).fill(0));
    const velocities = lab.real(v), rate = lab.f64(turned(RATES));
    await lab.run([
      call(strainedDrift, { positions, velocities, cell, dt: lab.real([4]), rate, low, cellLow }),
    ]);
    const keep = turned(RATES.map((k) => Math.exp(4 * k)));
    const add = turned(RATES.map((k) => Math.expm1(4 * k) / k));
    const expected = [0, 3, 6, 9, 12].flatMap((at) => {
      const added = applied(add, v.slice(at, at + 3));
      return applied(keep, x.slice(at, at + 3)).map((x, i) => x + added[i]!);
    });
    const near = backend === "reference" ? 1e-14 : 1e-6;
    assertNear(await lab.read(positions), expected, near, 10);
    const grown = [0, 3, 6].flatMap((at) => applied(keep, h.slice(at, at + 3)));
    assertNear(await lab.read(cell), grown, near, 10);
    // What rounding took off the cell is kept: together they are as good as numbers of twice the digits.
    const [high, rest] = [await lab.read(cell), await lab.read(cellLow)];
    assertNear(high.map((x, k) => x + rest[k]!), grown, backend === "webgpu" ? 1e-7 : 1e-14, 10);
  },
);

onEach(
  "strained_drift without strain is a drift, and without velocities keeps fractional positions",
  async (backend) => {
    using lab = await Lab.open(backend, [2, 2]);
    const positions = lab.real([1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6]);
    const cell = lab.real([...CUBE, ...CUBE]);
    const rate = lab.f64([0, 0, 0, 0, 0, 0, 0, 0, 0, 1e-3, 0, 0, 0, 2e-3, 0, 0, 0, 3e-3]);
    await lab.run([call(strainedDrift, {
      positions,
      cell,
      rate,
      dt: lab.real([2, 2]),
      cellLow: lab.f64(new Array(18).fill(0)),
      velocities: lab.real([0.5, 0, 0, 0, 0.25, 0, 0, 0, 0, 0, 0, 0]),
    })]);
    const places = await lab.read(positions), h = await lab.read(cell);
    assertEquals(places.slice(0, 6), [2, 2, 3, 4, 5.5, 6]);
    assertEquals(h.slice(0, 9), CUBE);
    const inside = places.slice(6).map((x, i) => x / h[9 + 4 * (i % 3)]!);
    assertNear(inside, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], backend === "reference" ? 1e-14 : 2e-7);
    assertNear([h[9]!, h[13]!, h[17]!], [2e-3, 4e-3, 6e-3].map((e) => 10 * Math.exp(e)), 1e-7);
  },
);

onEach(
  "barostat_chain agrees with nose_hoover for a cell and an atom of equal temperature",
  async (backend) => {
    using lab = await Lab.open(backend, [1, 1]);
    const [dt, temperature, time] = [4, 300, 40];
    const weight = Math.fround(ACCELERATION / 2);
    const chain = () => [lab.f64([0.1, 0, -0.2, 0, 0, 0]), lab.f64([1e-3, -2e-3, 5e-4, 0, 0, 0])];
    const [eta, etaDot] = chain(), [cellEta, cellEtaDot] = chain();
    const v = [1e-2, 2e-2, -1e-2].map(Math.fround);
    const twice = v.reduce((sum, x) => sum + x * x, 0) / weight;
    const inertia = 2 * BOLTZMANN * temperature * time * time;
    const velocities = lab.real([...v, 0, 0, 0]);
    const rate = lab.f64([Math.sqrt(twice / inertia), ...new Array(17).fill(0)]);
    const bathEnergy = lab.f64([0, 0]), cellEnergy = lab.f64([5, 0]);
    const links = { length: 3, parts: 3 };
    const row = [dt, 0, BOLTZMANN * temperature, time];
    await lab.run([
      call(noseHoover, {
        velocities,
        weights: lab.real([weight, weight]),
        dt: lab.real([dt, dt]),
        ...links,
        temperature: lab.real([temperature, temperature]),
        time: lab.real([time, time]),
        freedom: lab.i32([3, 0]),
        eta: eta!,
        etaDot: etaDot!,
        bathEnergy,
      }),
      call(barostatChain, {
        rate,
        parameters: lab.f64([...row, ...row]),
        freedom: lab.i32([3, 0]),
        ...links,
        eta: cellEta!,
        etaDot: cellEtaDot!,
        bathEnergy: cellEnergy,
        coupling: 3,
        others: lab.f64([7, 0]),
      }),
    ]);
    const near = backend === "reference" ? 1e-12 : 2e-6;
    assertNear((await lab.read(cellEta!)).slice(0, 3), (await lab.read(eta!)).slice(0, 3), near);
    assertNear(
      (await lab.read(cellEtaDot!)).slice(0, 3),
      (await lab.read(etaDot!)).slice(0, 3),
      near,
    );
    const [after] = await lab.read(velocities), [nu] = await lab.read(rate);
    assertNear([nu! / Math.sqrt(twice / inertia)], [after! / v[0]!], near);
    const less = twice / 2 * ((after! / v[0]!) ** 2 - 1);
    const [energy] = await lab.read(cellEnergy), [own] = await lab.read(bathEnergy);
    assertNear([energy!], [5 + 7 + own! + less], near);
  },
);
