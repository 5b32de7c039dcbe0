/** Forces against energies, stresses against strains, and what symmetry asks of every potential. */
import { assertAlmostEquals } from "@std/assert";
import { cellVolume, fcc, rattle, System } from "../../src/batch/mod.ts";
import {
  centreBias,
  harmonicBonds,
  lennardJones,
  type Model,
  morse,
  potential,
  sum,
  tethers,
} from "../../src/models/mod.ts";
import { assertNear, evaluate } from "../dynamics/atoms.ts";

const [AR, KR] = [{ epsilon: 0.0104, sigma: 3.4 }, { epsilon: 0.014, sigma: 3.65 }];

/** Twelve atoms of two elements in a skewed, left-handed cell, some of them outside it. */
function skewed(): System {
  const plain = rattle(fcc({ element: "Ar", a: 5.3, cells: [3, 1, 1] }), 0.25, 4);
  const cell = [0.9, 5.2, 0.2, 15.9, 0.3, -0.7, 0.4, -0.5, 5.6];
  const positions = plain.positions.slice();
  for (let i = 0; i < 36; i += 3) positions[i]! += i === 9 ? 40 : 0;
  const symbols = Array.from({ length: 12 }, (_, i) => i % 3 === 0 ? "Kr" : "Ar");
  return new System({ symbols, positions, cell });
}

/** A chain of six atoms in the open. */
function molecule(): System {
  const positions = [0, 1, 2, 3, 4, 5].flatMap((i) => [
    3.4 * i + 0.1 * Math.sin(7 * i),
    Math.cos(3 * i),
    0.8 * Math.sin(2 * i + 1),
  ]);
  return new System({ symbols: ["Ar", "Ar", "Kr", "Ar", "Kr", "Ar"], positions });
}

const species = { Ar: AR, Kr: KR };
const pair = { depth: 0.3, width: 1.1, distance: 3.5 };
/** Potentials of the distances between atoms. */
const OF_PAIRS: Readonly<Record<string, Model>> = {
  "Lennard-Jones, cut": lennardJones({ species, cutoff: 7.3, truncation: "cut" }),
  "Lennard-Jones, shifted": lennardJones({ species, cutoff: 7.3 }),
  "Lennard-Jones, switched": lennardJones({
    ...{ species, cutoff: 7.3 },
    ...{ truncation: "switch", switchWidth: 3 },
  }),
  "Morse, shifted": morse({ ...pair, cutoff: 6.7 }),
  "Morse, switched": morse({ ...pair, cutoff: 7.9, truncation: "switch", switchWidth: 2 }),
  "bonds": harmonicBonds([
    { atoms: [0, 1], length: 3, stiffness: 2 },
    { atoms: [2, 5], length: 3.3, stiffness: 1.5 },
  ]),
  "a sum": sum(
    lennardJones({ species, cutoff: 7.3, truncation: "switch" }),
    morse({ ...pair, cutoff: 6, truncation: "switch" }),
  ),
};
/** Others. */
const OF_PLACES: Readonly<Record<string, Model>> = {
  "tethers": tethers({ stiffness: 0.7, anchors: [1, 2, 3] }),
  "a bias of the centre": centreBias({ stiffness: 3, centre: [1, 2, 3] }),
  "a potential of one's own": potential(({ positions, forces }) => {
    let energy = 0;
    for (const [i, x] of positions.entries()) {
      energy += x ** 4 / 4e4;
      forces[i]! -= x ** 3 / 1e4;
    }
    return energy;
  }),
};
const ALL: Readonly<Record<string, Model>> = { ...OF_PAIRS, ...OF_PLACES };

function moved(system: System, at: number, by: number): System {
  const positions = system.positions.slice();
  positions[at]! += by;
  return copy(system, positions);
}

function copy(system: System, positions: ArrayLike<number>, cell?: ArrayLike<number>): System {
  const { numbers } = system;
  const own = cell ?? (system.cell.some((x) => x !== 0) ? system.cell : undefined);
  return new System({
    numbers,
    positions: Float64Array.from(positions),
    ...(own && { cell: Float64Array.from(own) }),
  });
}

/** x ↦ x M, row by row. */
function times(rows: ArrayLike<number>, matrix: ArrayLike<number>): number[] {
  return Array.from({ length: rows.length }, (_, at) => {
    const [row, column] = [at - at % 3, at % 3];
    return rows[row]! * matrix[column]! + rows[row + 1]! * matrix[3 + column]! +
      rows[row + 2]! * matrix[6 + column]!;
  });
}

for (const [name, model] of Object.entries(ALL)) {
  Deno.test(`forces are minus the gradient of the energy: ${name}`, async () => {
    const h = 1e-5;
    for (const system of [skewed(), molecule()]) {
      const { forces } = await evaluate(model, [system]);
      const places = system.positions.map((_, i) => i);
      // One batch holds all displaced systems.
      const ends = Array.from(places, (i) => [moved(system, i, h), moved(system, i, -h)]).flat();
      const { energy } = await evaluate(model, ends);
      const slopes = Array.from(places, (i) => -(energy[2 * i]! - energy[2 * i + 1]!) / (2 * h));
      const scale = Math.max(...forces.map(Math.abs));
      // A pair may cross a plain cutoff within h only if it is that near to it: none here is.
      assertNear(slopes, forces, 1e-6, scale);
    }
  });
}

/** What gives stresses; the points that some pull to go with the strain. */
const STRAINED: Readonly<Record<string, (point: number[]) => Model>> = {
  ...Object.fromEntries(Object.entries(OF_PAIRS).map(([name, model]) => [name, () => model])),
  "tethers": (point) => tethers({ stiffness: 0.7, anchors: point }),
  "a bias of the centre": (point) => centreBias({ stiffness: 3, centre: point }),
};

for (const [name, modelTo] of Object.entries(STRAINED)) {
  Deno.test(`stress is the derivative of the energy by strain: ${name}`, async () => {
    const system = skewed();
    const h = 1e-5;
    const point = [1, 2, 3];
    const { stress } = await evaluate(modelTo(point), [system]);
    const volume = cellVolume(system.cell);
    const scale = Math.max(...stress.map(Math.abs));
    for (let k = 0; k < 9; k++) {
      const [more, less] = await Promise.all([h, -h].map(async (e) => {
        const strain = [1, 0, 0, 0, 1, 0, 0, 0, 1];
        strain[k]! += e;
        const strained = copy(
          system,
          times(system.positions, strain),
          times(system.cell, strain),
        );
        return (await evaluate(modelTo(times(point, strain)), [strained])).energy[0]!;
      }));
      assertAlmostEquals((more! - less!) / (2 * h * volume), stress[k]!, 1e-6 * scale);
    }
  });
}

for (const [name, model] of Object.entries(OF_PAIRS)) {
  Deno.test(`forces add up to nothing: ${name}`, async () => {
    const { forces } = await evaluate(model, [skewed()]);
    const scale = Math.max(...forces.map(Math.abs));
    for (const axis of [0, 1, 2]) {
      const total = forces.filter((_, i) => i % 3 === axis).reduce((sum, f) => sum + f, 0);
      assertAlmostEquals(total, 0, 1e-13 * scale);
    }
  });

  Deno.test(`energies and forces do not depend on where a system is, and turn with it: ${name}`, async () => {
    const [a, b] = [0.7, 1.9];
    const turn = [
      ...[Math.cos(a), Math.sin(a) * Math.cos(b), Math.sin(a) * Math.sin(b)],
      ...[-Math.sin(a), Math.cos(a) * Math.cos(b), Math.cos(a) * Math.sin(b)],
      ...[0, -Math.sin(b), Math.cos(b)],
    ];
    for (const system of [skewed(), molecule()]) {
      const one = await evaluate(model, [system]);
      const scale = Math.max(...one.forces.map(Math.abs));
      const away = system.positions.map((x, i) => x + [13.7, -8.1, 3.3][i % 3]!);
      const there = await evaluate(model, [copy(system, away)]);
      assertNear(there.energy, one.energy, 1e-11);
      assertNear(there.forces, one.forces, 1e-11, scale);
      const turned = copy(system, times(system.positions, turn), times(system.cell, turn));
      const then = await evaluate(model, [
        system.cell.some((x) => x !== 0) ? turned : copy(turned, turned.positions),
      ]);
      assertNear(then.energy, one.energy, 1e-11);
      assertNear(then.forces, times(one.forces, turn), 1e-11, scale);
    }
  });
}

Deno.test("a sum has the energies, forces and stresses of its parts", async () => {
  const [one, other] = [OF_PAIRS["Morse, switched"]!, OF_PAIRS["bonds"]!];
  const [a, b] = [await evaluate(one, [skewed()]), await evaluate(other, [skewed()])];
  const both = await evaluate(sum(one, other), [skewed()]);
  for (const key of ["energy", "forces", "stress"] as const) {
    const expected = a[key].map((value, i) => value + b[key][i]!);
    assertNear(both[key], expected, 1e-12, Math.max(...expected.map(Math.abs)));
  }
});
