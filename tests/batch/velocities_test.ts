import { assertAlmostEquals, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import {
  Batch,
  degreesOfFreedom,
  fcc,
  initVelocities,
  kineticEnergies,
  rattle,
  System,
  temperatureOf,
} from "../../src/batch/mod.ts";
import { BOLTZMANN, TIME_UNIT_FS } from "../../src/kernels/constants.ts";
import { gaussians, philox, Stream } from "../../src/kernels/philox.ts";

const water = () =>
  new System({
    symbols: ["O", "H", "H"],
    positions: [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]],
  });
const carbonDioxide = () =>
  new System({ symbols: ["C", "O", "O"], positions: [[1, 1, 1], [2, 2, 2], [0, 0, 0]] });

/** Σ m v and Σ m r × v of a system, about the origin. */
function momenta(batch: Batch): { linear: number[]; angular: number[] } {
  const [r, v, m] = [batch.get("positions"), batch.get("velocities"), batch.get("masses")];
  const [linear, angular] = [[0, 0, 0], [0, 0, 0]];
  for (let i = 0; i < batch.nodeCount; i++) {
    for (let k = 0; k < 3; k++) {
      const [p, q] = [(k + 1) % 3, (k + 2) % 3];
      linear[k]! += m[i]! * v[3 * i + k]!;
      angular[k]! += m[i]! *
        (r[3 * i + p]! * v[3 * i + q]! - r[3 * i + q]! * v[3 * i + p]!);
    }
  }
  return { linear, angular };
}

Deno.test("an atom of 1 amu with ½ eV has 3868.1727 K over its three degrees of freedom", () => {
  const batch = Batch.from([{
    symbols: ["H"],
    masses: [1],
    positions: [0, 0, 0],
    velocities: [0, 1 / TIME_UNIT_FS, 0],
  }]);
  assertAlmostEquals(kineticEnergies(batch)[0]!, 0.5, 1e-15);
  assertAlmostEquals(temperatureOf(batch)[0]!, 3868.1727, 1e-4);
  assertAlmostEquals(temperatureOf(batch, 1)[0]!, 3 * 3868.1727, 3e-4);
});

Deno.test("initVelocities() gives exactly the temperature, at rest, and says which freedoms it took", () => {
  const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 }), water(), water()]);
  initVelocities(batch, [80, 300, 0], { seed: 3 });
  const temperatures = temperatureOf(batch);
  for (const [i, expected] of [80, 300, 0].entries()) {
    assertAlmostEquals(temperatures[i]!, expected, 1e-10);
  }
  assertEquals([...degreesOfFreedom(batch)], [93, 6, 6]);
  const { linear } = momenta(batch.select([0]));
  for (const part of linear) assertAlmostEquals(part, 0, 1e-13);
});

Deno.test("initVelocities() with removeRotation leaves no angular momentum, also of atoms on a line", () => {
  for (const [system, dof] of [[water(), 3], [carbonDioxide(), 4]] as const) {
    const batch = Batch.from([system]);
    initVelocities(batch, 300, { seed: 5, removeRotation: true });
    const { linear, angular } = momenta(batch);
    for (const part of [...linear, ...angular]) assertAlmostEquals(part, 0, 1e-14);
    assertEquals(degreesOfFreedom(batch)[0], dof);
    assertAlmostEquals(temperatureOf(batch)[0]!, 300, 1e-10);
  }
  const pair = Batch.from([{ symbols: ["Ar", "Ar"], positions: [[0, 0, 0], [0, 3, 2]] }]);
  initVelocities(pair, 100, { removeRotation: true });
  assertEquals(degreesOfFreedom(pair)[0], 1);
  assertAlmostEquals(temperatureOf(pair)[0]!, 100, 1e-10);
});

Deno.test("initVelocities() leaves one atom at rest when its drift is taken, and not when it is not", () => {
  const batch = Batch.from([{ symbols: ["Ar"], positions: [1, 2, 3] }]);
  for (let seed = 0; seed < 50; seed++) {
    // m v / m is not always v: nothing is left of the drift all the same.
    batch.set("masses", 1 + seed / 7);
    initVelocities(batch, 300, { seed, removeRotation: true, rescale: seed % 2 === 0 });
    assertEquals([...batch.get("velocities")], [0, 0, 0]);
  }
  assertEquals(temperatureOf(batch)[0], 0);
  initVelocities(batch, 300, { removeCom: false });
  assertAlmostEquals(temperatureOf(batch)[0]!, 300, 1e-10);
  assertEquals(degreesOfFreedom(batch)[0], 3);
});

Deno.test("initVelocities() gives a system the same bits alone and in any place of a batch", () => {
  const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
  const own = new System({
    symbols: crystal.symbols,
    positions: crystal.positions,
    cell: crystal.cell,
    id: 17,
  });
  const alone = Batch.from([own]);
  const many = Batch.from([water(), own, crystal]);
  initVelocities(alone, 80, { seed: 9 });
  initVelocities(many, 80, { seed: 9 });
  assertEquals(many.select([1]).get("velocities"), alone.get("velocities"));
  assertNotEquals(many.select([2]).get("velocities"), alone.get("velocities"));
  initVelocities(many, 80, { seed: 10 });
  assertNotEquals(many.select([1]).get("velocities"), alone.get("velocities"));
});

Deno.test("initVelocities() draws from Philox's stream of velocities, by seed, id and atom", () => {
  const batch = Batch.from([
    new System({ symbols: ["Ar", "Ne"], positions: [0, 0, 0, 3, 0, 0], id: 5 }),
  ]);
  const seed = 7 + 3 * 2 ** 32;
  initVelocities(batch, 80, { seed, removeCom: false, rescale: false });
  const [words, normal] = [new Uint32Array(4), new Float64Array(4)];
  philox(1, 0, 5, Stream.VELOCITIES, 7, 3, words);
  gaussians(words, normal);
  const width = Math.sqrt(BOLTZMANN * 80 / 20.1797) / TIME_UNIT_FS;
  for (let k = 0; k < 3; k++) {
    assertAlmostEquals(batch.get("velocities")[3 + k]!, width * normal[k]!, 1e-17);
  }
});

Deno.test("initVelocities() without rescale has the mean and variance of Maxwell and Boltzmann", () => {
  const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 10 })]);
  initVelocities(batch, 80, { rescale: false, removeCom: false, seed: 2 });
  // 12,000 numbers: the temperature's standard error is √(2/12000) of it, 1.3 %.
  assertAlmostEquals(temperatureOf(batch)[0]! / 80, 1, 0.05);
  const v = batch.get("velocities");
  const variance = v.reduce((sum, x) => sum + x * x, 0) / v.length;
  const kurtosis = v.reduce((sum, x) => sum + x ** 4, 0) / v.length / variance ** 2;
  assertAlmostEquals(kurtosis, 3, 0.2);
});

Deno.test("initVelocities() refuses what it cannot do, naming the system", () => {
  const batch = Batch.from([water(), fcc({ element: "Ar", a: 5.26 })]);
  assertThrows(() => initVelocities(batch, -1), RangeError, "got -1 for system 0");
  assertThrows(() => initVelocities(batch, [1, NaN]), RangeError, "got NaN for system 1");
  assertThrows(
    () => initVelocities(batch, [1, 2, 3]),
    RangeError,
    "one number, or a list of 2, one per system",
  );
  assertThrows(
    () => initVelocities(batch, 1, { sed: 1 } as never),
    TypeError,
    'must be among seed, removeCom, removeRotation, rescale; got "sed"',
  );
  assertThrows(
    () => initVelocities(batch, 1, 7 as never),
    TypeError,
    "options must be an object; got 7",
  );
  assertThrows(() => initVelocities(batch, 1, { seed: 0.5 }), RangeError, "got 0.5");
  assertThrows(
    () => initVelocities(batch, 1, { removeRotation: true }),
    TypeError,
    "system 1 is periodic along a",
  );
  assertEquals(batch.has("velocities"), false);
});

Deno.test("fcc() has twelve nearest neighbors at a/√2, in the order of cells", () => {
  const crystal = fcc({ element: "Ar", a: 5.26, cells: [3, 2, 1] });
  assertEquals(crystal.nodeCount, 24);
  assertEquals([...crystal.cell], [3 * 5.26, 0, 0, 0, 2 * 5.26, 0, 0, 0, 5.26]);
  assertEquals([...crystal.positions.subarray(12, 18)], [0, 5.26, 0, 0, 1.5 * 5.26, 2.63]);
  const { positions, cell } = fcc({ element: "Ar", a: 5.26, cells: 2 });
  let near = 0;
  for (let j = 3; j < positions.length; j += 3) {
    let square = 0;
    for (let k = 0; k < 3; k++) {
      const d = positions[j + k]! - positions[k]!;
      square += (d - cell[0]! * Math.round(d / cell[0]!)) ** 2;
    }
    if (Math.abs(Math.sqrt(square) - 5.26 / Math.SQRT2) < 1e-9) near++;
  }
  assertEquals(near, 12);
});

Deno.test("rattle() moves by its deviation, the same for the same seed, and forgets old forces", () => {
  const crystal = fcc({ element: "Ar", a: 5.26, cells: 6 });
  const known = new System({
    symbols: crystal.symbols,
    positions: crystal.positions,
    cell: crystal.cell,
    energy: -1,
  });
  const moved = rattle(known, 0.1, 4);
  const d = moved.positions.map((x, i) => x - known.positions[i]!);
  const variance = d.reduce((sum, x) => sum + x * x, 0) / d.length;
  assertAlmostEquals(Math.sqrt(variance), 0.1, 0.005);
  assertEquals(moved.energy, undefined);
  assertEquals(moved.positions, rattle(known, 0.1, 4).positions);
  assertNotEquals(moved.positions, rattle(known, 0.1, 5).positions);
  assertThrows(() => rattle(known, -1), RangeError, "got -1");
});
