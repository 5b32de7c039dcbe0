/** Pair potentials that are written as an expression: known answers, forces by differences, and errors. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { openThreads } from "../../src/backend/mod.ts";
import { System } from "../../src/batch/mod.ts";
import { pairKernel } from "../../src/kernels/pairs/pair_potential.ts";
import {
  buckingham,
  lennardJones,
  type Model,
  morse,
  type PairExpression,
  pairPotential,
  yukawa,
  zbl,
} from "../../src/models/mod.ts";
import { pairPotentialOf } from "../../src/models/pair/pair_potential.ts";
import { assertNear, evaluate } from "../dynamics/atoms.ts";
import { type EngineBackend, gpu } from "../dynamics/backends.ts";
import { ALL_BACKENDS, openOn, testOn } from "../kernels/lab.ts";
import { assertClose, PairBatch, uniform } from "../kernels/pair_case.ts";

/** Tolerance of each backend, relative to the largest number. */
const DIGITS = { reference: 1e-9, wasm: 1e-6, webgpu: 2e-6 } as const;

function onEach(name: string, test: (backend: EngineBackend, digits: number) => Promise<void>) {
  for (const on of ALL_BACKENDS) {
    testOn(on, name, () => test(on === "webgpu" ? gpu! : on, DIGITS[on]));
  }
}

function dimer(r: number, symbols = ["Ar", "Ar"]): System {
  return new System({ symbols, positions: [[0, 0, 0], [r, 0, 0]] });
}

/**
 * Sixteen atoms of two elements in a skewed cell that is smaller than the cutoffs, at distances of 1.7 Å or
 * more.
 */
function crowd(): System {
  const random = uniform(9);
  const cell = [5.4, 0, 0, 1, 5.2, 0, -0.8, 0.4, 5.6];
  const positions = Array.from({ length: 16 }, (_, i) => {
    const f = [i % 2, Math.floor(i / 2) % 2, Math.floor(i / 4) % 2].map((n, k) =>
      n / 2 + (i >= 8 && k < 2 ? 0.25 : 0) + 0.06 * random() + (i >= 8 && k === 2 ? 0.25 : 0)
    );
    return [0, 1, 2].map((d) => f[0]! * cell[d]! + f[1]! * cell[3 + d]! + f[2]! * cell[6 + d]!);
  });
  const symbols = Array.from({ length: 16 }, (_, i) => i % 3 === 0 ? "O" : "Si");
  return new System({ symbols, positions, cell });
}

onEach(
  "Buckingham, Yukawa and ZBL dimers have the energies of the formulas",
  async (on, digits) => {
    const cases: [Model, System, number, number?][] = [
      [
        buckingham({ strength: 1000, length: 0.3, dispersion: 30, cutoff: 9, truncation: "cut" }),
        dimer(2.5),
        0.11748947641951406,
        0.5063195880650468,
      ],
      [
        yukawa({ strength: 2.5, kappa: 0.8, cutoff: 9, truncation: "cut" }),
        dimer(3),
        0.07559829440784373,
      ],
      [
        zbl({ elements: ["Si"], cutoff: 9, truncation: "cut" }),
        dimer(1, ["Si", "Si"]),
        50.97436199121208,
      ],
      [
        zbl({ elements: ["O", "Si"], cutoff: 9, truncation: "cut" }),
        dimer(0.8, ["Si", "O"]),
        74.01655381151235,
      ],
    ];
    for (const [model, system, expected, force] of cases) {
      const { energy, forces } = await evaluate(model, [system], on);
      assertNear(energy, [expected], 5 * digits);
      if (force !== undefined) assertNear([forces[0]!, forces[3]!], [-force, force], 5 * digits);
    }
  },
);

const pairs = { "Si-Si": [700, 0.3, 5], "Si-O": [900, 0.25, 8], "O-O": [500, 0.35, 12] } as const;

/** Every potential, and one with every operation. */
const ALL: Readonly<Record<string, Model>> = {
  "Buckingham": buckingham({
    pairs: Object.fromEntries(
      Object.entries(pairs).map(([name, [strength, length, dispersion]]) => [
        name,
        { strength, length, dispersion },
      ]),
    ),
    cutoff: 6.1,
    truncation: "switch",
  }),
  "Buckingham, mixed": buckingham({
    species: {
      Si: { strength: 700, length: 0.3, dispersion: 5 },
      O: { strength: 500, length: 0.35, dispersion: 12 },
    },
    cutoff: 6.1,
    truncation: "switch",
    switchWidth: 2,
  }),
  "Yukawa": yukawa({ strength: -2.5, kappa: 0.4, cutoff: 6.3, truncation: "switch" }),
  "ZBL": zbl({ elements: ["Si", "O"], cutoff: 4, truncation: "switch" }),
  "a potential with every operation": pairPotential({
    name: "mixed",
    parameters: { a: "any", b: "positive" },
    energy: (r, { a, b }) =>
      r.mul(b).add(1).log().sqrt().div(r.pow(2.5)).sub(a.mul(r.pow(-3)))
        .add(b.sub(r).pow(2).neg().exp().mul(2)).div(r.sub(1).add(a.sqrt()).pow(1.5)),
  })({ a: 2, b: 1.5, cutoff: 5.5, truncation: "switch" }),
};

for (const [name, model] of Object.entries(ALL)) {
  onEach(`forces are the slopes of the energy: ${name}`, async (on, digits) => {
    const system = crowd();
    const { forces, stress } = await evaluate(model, [system], on);
    const slopes = await differences(model, system);
    const size = Math.max(...slopes.map(Math.abs));
    assert(size > 0.01, "there is a force to compare");
    assertNear(forces, slopes, Math.max(1e-7, 6 * digits), size);
    const exact = await evaluate(model, [system]);
    assertNear(stress, exact.stress, 20 * digits, Math.max(...exact.stress.map(Math.abs)));
  });
}

/** Fractional powers of expressions that may be negative, with distances and the energies there. */
const ROOTS: Readonly<
  Record<string, [(r: PairExpression) => PairExpression, readonly [number, number][]]>
> = {
  "|r − 3|": [(r) => r.sub(3).pow(2).sqrt(), [[2, 1], [3.5, 0.5]]],
  "√(5 − r)": [(r) => r.sub(5).neg().sqrt(), [[1, 2], [4.75, 0.5]]],
  "((r − 3)²)^1.5": [(r) => r.sub(3).pow(2).pow(1.5), [[2, 1], [5, 8], [3, 0]]],
  "√(2r (r − 3)²)": [(r) => r.mul(2).mul(r.sub(3).pow(2)).sqrt(), [[2, 2], [4.5, 4.5]]],
  "|r − 3| |r − 3| (r − 3)": [
    (r) => r.sub(3).pow(2).sqrt().mul(r.sub(3)).mul(r.sub(3).pow(2).sqrt()),
    [[2, -1], [5, 8]],
  ],
  "√(3 − r) √(3 − r)": [(r) => r.sub(3).neg().sqrt().pow(2), [[2, 1]]],
  "√((r e^r)²) e^−r": [(r) => r.mul(r.exp()).pow(2).sqrt().mul(r.neg().exp()), [[2, 2]]],
};

for (const [name, [energy, values]] of Object.entries(ROOTS)) {
  onEach(`energies and forces of ${name}`, async (on, digits) => {
    const model = pairPotential({ name, parameters: { unused: "any" }, energy })({
      unused: 0,
      cutoff: 9,
      truncation: "cut",
    });
    for (const [r, expected] of values) {
      const { energy, forces } = await evaluate(model, [dimer(r)], on);
      assertNear(energy, [expected], 5 * digits, Math.max(1, Math.abs(expected)));
      const slopes = await differences(model, dimer(r));
      assertNear(forces, slopes, Math.max(1e-6, 6 * digits), 1);
    }
  });
}

Deno.test("powers of a product of positive parts are those of its parts", () => {
  const operations = (energy: (r: PairExpression) => PairExpression) =>
    pairPotential({ name: "any", parameters: {}, energy }).kernel.pair.operations;
  assertEquals(operations((r) => r.pow(2).sqrt()), operations((r) => r));
  assertEquals(
    operations((r) => r.add(1).pow(2).mul(4).sqrt()),
    operations((r) => r.add(1).mul(2)),
  );
});

/** Returns forces by central differences of the energy in float64. */
async function differences(model: Model, { numbers, cell, positions }: System): Promise<number[]> {
  const h = 1e-5;
  const moved = (k: number, by: number) =>
    new System({ numbers, cell, positions: positions.map((x, i) => i === k ? x + by : x) });
  const all = Array.from(positions, (_, k) => [moved(k, h), moved(k, -h)]);
  const { energy } = await evaluate(model, all.flat());
  return all.map((_, k) => (energy[2 * k + 1]! - energy[2 * k]!) / (2 * h));
}

Deno.test("generated functions give the results of hand-written kernels", async () => {
  const cases = [
    [lennardJones, [{ epsilon: 0.01, sigma: 2.2 }, { epsilon: 0.02, sigma: 2.4 }]],
    [morse, [{ depth: 0.4, width: 1.3, distance: 2.4 }, { depth: 0.5, width: 1.1, distance: 2.6 }]],
  ] as const;
  for (const [potential, [a, b]] of cases) {
    for (const types of [1, 2]) {
      for (const switchWidth of [0, 1.3]) {
        for (const want of [0, 3]) {
          const rows = types === 1 ? [a] : [a, b, b, a];
          const options = {
            parameters: rows.flatMap((values) => potential.row(values as never, 6, true)),
            cutoff: 6,
            switchWidth,
            want,
          };
          const { positions, cell, numbers } = crowd();
          const system = {
            positions: [...positions],
            cell: [...cell],
            ...(types > 1 && { species: Array.from(numbers, (z) => z === 8 ? 0 : 1) }),
          };
          const sums = async (kernel: typeof potential.kernel) => {
            const batch = new PairBatch(await openOn("wasm"), [system], { kernel, ...options });
            batch.run();
            return [batch.get("forces"), batch.get("energy"), batch.get("virial")] as const;
          };
          const [byHand, generated] = [
            await sums(potential.kernel),
            await sums(pairKernel(potential.kernel.pair)),
          ];
          for (const [i, expected] of byHand.entries()) {
            assertClose(await generated[i]!, await expected, 2e-6);
          }
        }
      }
    }
  }
});

onEach("pairs without a well exert no force", async (on) => {
  const none = lennardJones({ epsilon: 0, sigma: 3.4, cutoff: 6 });
  const { energy, forces, stress } = await evaluate(none, [crowd()], on);
  assertEquals([...energy, ...forces, ...stress].filter((x) => x !== 0), []);
  const mixture = lennardJones({
    species: { Si: { epsilon: 0.02, sigma: 2.1 }, O: { epsilon: 0, sigma: 1 } },
    cutoff: 6,
  });
  const half = await evaluate(mixture, [dimer(2.3, ["Si", "O"]), dimer(2.3, ["Si", "Si"])], on);
  assertEquals(half.forces.slice(0, 6).filter((x) => x !== 0), []);
  assert(half.forces[6]! !== 0);
});

Deno.test("generated potentials give bitwise identical results on threads", async () => {
  const systems = [crowd(), dimer(2.1, ["Si", "O"]), crowd(), dimer(3, ["O", "O"])];
  const model = ALL["Buckingham"]!;
  const threads = openThreads(2);
  try {
    assertEquals(await evaluate(model, systems, threads), await evaluate(model, systems, "wasm"));
  } finally {
    threads.dispose();
  }
  const [alone] = await Promise.all([evaluate(model, [systems[2]!], "wasm")]);
  const together = await evaluate(model, systems, "wasm");
  assertEquals(together.forces.slice(54, 102), alone.forces);
});

Deno.test("the Buckingham example is a potential in one short file", async () => {
  const text = await Deno.readTextFile(new URL("../../examples/buckingham.ts", import.meta.url));
  assert(text.trimEnd().split("\n").length <= 40);
});

Deno.test("an energy must be an expression of its own distance and parameters", () => {
  const define = (energy: (r: PairExpression) => unknown) =>
    pairPotential({ name: "wrong", parameters: {}, energy: energy as never });
  let stolen: PairExpression | undefined;
  define((r) => stolen = r.mul(2));
  const refuses = (energy: (r: PairExpression) => unknown, message: string) =>
    assertThrows(() => define(energy), TypeError, message);
  refuses(() => 3, "got 3");
  refuses((r) => r.add(stolen!), "an expression of another potential");
  refuses((r) => r.mul(NaN), "got NaN");
  refuses((r) => r.mul("2" as never), "got 2");
  refuses((r) => r.pow("2" as never), "the exponent must be a finite number; got 2");
});

Deno.test("the package's potentials record their energies when they are used, custom ones at once", () => {
  let records = 0;
  const energy = (r: PairExpression) => {
    records++;
    return r.mul(2);
  };
  const late = pairPotentialOf(undefined, { name: "late", parameters: {}, energy });
  assertEquals(records, 0);
  const model = late({ cutoff: 3 });
  assertEquals([model.name, records], ["a late potential", 1]);
  assertEquals([late.kernel === late.kernel, records], [true, 1]);
  pairPotential({ name: "custom", parameters: {}, energy });
  assertEquals(records, 2);
});

Deno.test("the numbers of an energy must be finite in float32", () => {
  const refuses = (energy: (r: PairExpression) => PairExpression, value: string) =>
    assertThrows(
      () => pairPotential({ name: "wrong", parameters: {}, energy }),
      RangeError,
      `must be between −3.4e38 and 3.4e38, the limits of float32; got ${value}`,
    );
  refuses((r) => r.mul(1e40), "1e+40");
  refuses((r) => r.mul(1e200).mul(1e200), "Infinity");
  refuses((r) => r.mul(0).pow(-1).add(r), "Infinity");
  refuses((r) => r.neg().sqrt(), "NaN");
  refuses((r) => r.pow(1e30).mul(1e10), "1e+40"); // its slope
  pairPotential({ name: "fine", parameters: {}, energy: (r) => r.mul(1e40).mul(1e-40) });
});

Deno.test("a pair potential names the parameter that is wrong", () => {
  const good = { strength: 700, length: 0.3, dispersion: 5 };
  const refuses = (options: unknown, message: string) =>
    assertThrows(() => buckingham(options as never), Error, message);
  refuses(
    { ...good, length: 0, cutoff: 6 },
    "length must be above 0 and finite; got 0",
  );
  refuses({ ...good, dispersion: -1, cutoff: 6 }, "dispersion must be 0 or more and finite");
  refuses({ ...good, strength: "7", cutoff: 6 }, 'strength must be a number; got "7"');
  refuses({ species: {}, cutoff: 6 }, "species must name at least one element");
  refuses({ species: { Si: good }, mixing: "none", cutoff: 6 }, "mixing must be geometric");
  refuses({ pairs: { "Si-O": good }, cutoff: 6 }, "got no Si-Si");
  refuses(
    { ...good, mixing: "nonsense", cutoff: 6 },
    'mixing must be left out without species; got "nonsense"',
  );
  refuses(
    { ...good, pairs: { "Si-O": good }, cutoff: 6 },
    'parameters of all atoms must be left out if pairs is given; got "strength"',
  );
  refuses(
    { length: 1, species: { Si: good }, cutoff: 6 },
    "must be left out if species is given",
  );
  refuses({ ...good, cutoff: 6, rho: 1 }, "among strength, length, dispersion, species");
  const [Cu, Ni] = [{ depth: 1, width: 1, distance: 2 }, { depth: 1, width: 1, distance: 3 }];
  const unmixed = () => morse({ species: { Cu, Ni }, cutoff: 6 });
  assertThrows(unmixed, RangeError, "got no Cu-Ni");
});
