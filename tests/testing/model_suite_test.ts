/** The suite finds what is wrong with a model, and nothing else. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { lennardJones, type Model, outputsOf, potential } from "../../src/models/mod.ts";
import type { PotentialView } from "../../src/models/mod.ts";
import { modelSuite, type ModelSuiteOptions } from "../../src/testing/mod.ts";
import { failing } from "./failing.ts";

const TRIMER = { symbols: ["Ar", "Ar", "Kr"], positions: [0, 0, 0, 3.9, 0, 0, 1, 3.6, 0.5] };
const OPTIONS: ModelSuiteOptions = {
  systems: [TRIMER, { ...TRIMER, positions: TRIMER.positions.map((x) => 1.05 * x) }],
  isExact: true,
};

/** Springs of 1 eV/Å² between all atoms of a system, of no length; what is done to it afterwards. */
function springs(spoil: (view: PotentialView, energy: number) => number): Model {
  return potential((view) => {
    const { positions: x, forces } = view;
    let energy = 0;
    for (let i = 0; i < x.length; i += 3) {
      for (let j = 0; j < i; j += 3) {
        for (let k = 0; k < 3; k++) {
          const d = x[i + k]! - x[j + k]!;
          energy += d * d / 2;
          forces[i + k]! -= d;
          forces[j + k]! += d;
        }
      }
    }
    return spoil(view, energy);
  });
}

async function found(model: Model, options: Partial<ModelSuiteOptions> = {}): Promise<string[]> {
  // A spring that reaches as far as there are atoms is of no use to twice the atoms.
  const breaks = ["extensivity"] as const;
  return [...(await failing(modelSuite(() => model, { ...OPTIONS, breaks, ...options }))).keys()];
}

Deno.test("springs pass, and names are those of one case each", async () => {
  assertEquals(await found(springs((_, energy) => energy)), []);
  const cases = modelSuite(() => springs((_, energy) => energy), OPTIONS);
  assertEquals(new Set(cases.map(({ name }) => name)).size, cases.length);
  assertThrows(() => modelSuite(() => springs(() => 0), { systems: [] }), RangeError, "got 0");
});

Deno.test("forces of the wrong sign are no slopes of the energy, and it is said where", async () => {
  const wrong = springs(({ forces }, energy) => {
    forces[4]! *= -1;
    forces[1]! -= forces[4]!;
    return energy;
  });
  const names = await found(wrong);
  assert(names.includes("forces are the negative gradient of the energy"), String(names));
  const [first] = [
    ...await failing(
      modelSuite(() => springs((_, energy) => -energy), { ...OPTIONS, breaks: ["extensivity"] }),
    ),
  ] as [[string, string]];
  assertEquals(first[0], "forces are the negative gradient of the energy");
  assert(first[1].startsWith("forces of system 0: [0] is "), first[1]);
});

Deno.test("NaN is found, and what feels nothing", async () => {
  const all = "outputs are as declared and finite, and some forces are not 0";
  const nan = await found(springs(({ forces, system }, energy) => {
    if (system === 1) forces[8] = NaN;
    return energy;
  }));
  assert(
    nan.includes(all) && nan.includes("forces are the negative gradient of the energy"),
    String(nan),
  );
  assert((await found(springs(() => NaN))).includes(all));
  assert((await found(potential(() => 1))).includes(all));
  assertEquals(
    await found(springs((_, e) => e), { gives: ["energy", "forces", "stress"] }),
    [all, "stresses are derivatives of the energy by strain"],
  );
});

Deno.test("what depends on place, direction, order or number of the atoms is found", async () => {
  const field = springs(({ positions, forces }, energy) => {
    for (let i = 0; i < positions.length; i += 3) {
      energy += positions[i]! / 8;
      forces[i]! -= 1 / 8;
    }
    return energy;
  });
  const place = "results are invariant under translation, and forces sum to zero";
  const turned = "forces and stresses rotate with a system, and energies are invariant";
  assertEquals(await found(field), [place, turned]);
  assertEquals(await found(field, { breaks: ["extensivity", "translation", "rotation"] }), []);
  const first = springs(({ positions: [x, y, z], forces, numbers }, energy) => {
    if (numbers.length < 3) return energy;
    for (const [k, value] of [x!, y!, z!].entries()) forces[k]! -= value;
    return energy + (x! * x! + y! * y! + z! * z!) / 2;
  });
  assert((await found(first)).includes("results do not depend on the order of atoms"));
  const twice = "a doubled system has twice the energy, and the same forces";
  assert((await found(springs((_, energy) => energy), { breaks: [] })).includes(twice));
});

Deno.test("a model that depends on the batch, on chance, or sets what it must add to is found", async () => {
  const slot = springs(({ system, forces }, energy) => {
    forces[0]! *= 1 + 1e-9 * system;
    return energy;
  });
  assert((await found(slot)).includes("a system has the same results alone and in a batch"));
  let calls = 0;
  const chance = springs((_, energy) => energy * (1 + 1e-15 * calls++));
  assert((await found(chance)).includes("the same structures give the same results again"));
  const sets = springs(({ forces }, energy) => {
    forces[0] = 0.5;
    return energy;
  });
  const added = "outputs are added to existing values, and other fields do not change";
  assert((await found(sets)).includes(added));
});

Deno.test("a model that changes systems at rest is found, and one that forgets images", async () => {
  const awake: Model = {
    name: "awake",
    gives: ["energy", "forces"],
    open: (state) => ({
      compute() {
        const { energy } = outputsOf(state);
        state.backend.write(energy, state.backend.view(energy).map((e) => e + 1));
      },
    }),
  };
  const restless = await found(awake);
  assert(restless.includes("inactive systems do not change a bit"), String(restless));
  const cell = { cell: [9, 9, 9], systems: [{ ...TRIMER, cell: [9, 9, 9] }] };
  const images = await found(springs((_, energy) => energy), { systems: cell.systems });
  assert(images.includes("results do not depend on periodic images"), String(images));
  const argon = lennardJones({ epsilon: 0.01, sigma: 3.4, cutoff: 7, truncation: "switch" });
  const gives = ["energy", "forces", "stress"] as const;
  assertEquals(await found(argon, { systems: cell.systems, gives, breaks: [] }), []);
});
