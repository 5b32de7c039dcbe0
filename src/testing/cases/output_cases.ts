/**
 * Test cases for the outputs of a model, and for values that it must not change.
 *
 * @module
 */

import { claim } from "../claims.ts";
import {
  type Bench,
  compareEvaluations,
  given,
  largest,
  type ModelSetting,
  onBench,
} from "../model_bench.ts";
import type { Evaluation } from "../evaluation.ts";
import type { TestCase } from "./test_case.ts";

/**
 * Returns cases which check that outputs are declared, finite, added to existing values and reproducible, and that
 * nothing else changes.
 */
export function outputCases(setting: ModelSetting): TestCase[] {
  const on = (name: string, test: (bench: Bench) => Promise<void>) => onBench(setting, name, test);
  return [
    on("outputs are as declared and finite, and some forces are not 0", numbers),
    on("outputs are added to existing values, and other fields do not change", adds),
    on("forces do not depend on which other outputs are requested", wanted),
    on("the same structures give the same results again", again),
    on("inactive systems do not change a bit", rest),
    on("a system has the same results alone and in a batch", alone),
  ];
}

async function numbers({ structures, ask, gives, says }: Bench): Promise<void> {
  const [must, are] = [gives, says].map((outputs) => outputs.toSorted().join(", "));
  claim(must === are, () => `It declares the outputs ${are}, not ${must}`);
  for (const [s, { energy, forces, virial }] of (await ask(structures)).entries()) {
    const wrong = [energy, ...forces, ...virial].find((x) => !Number.isFinite(x));
    claim(wrong === undefined, () => `An output of system ${s} is ${wrong}`);
    claim(largest(forces) > 0, () => `All forces of system ${s} are 0: pass another structure`);
  }
}

async function adds(bench: Bench): Promise<void> {
  const { structures, ask, tolerance } = bench;
  const begin = 2;
  const [plain, added] = [await ask(structures), await ask(structures, { begin })];
  const outputs = given(bench);
  const expected = plain.map(({ energy, forces, virial }) => ({
    energy: energy + begin,
    forces: forces.map((f) => f + begin),
    virial: virial.map((w) => w + begin),
  }));
  compareEvaluations(added, expected, { what: "added to 2", outputs, tolerance });
  const untouched = structures.map(({ numbers }) => ({
    energy: begin,
    forces: Array(3 * numbers.length).fill(begin),
    virial: Array(9).fill(begin),
  }));
  const rest = (["energy", "forces", "virial"] as const).filter((name) => !outputs.includes(name));
  compareEvaluations(added, untouched, { what: "not given", outputs: rest });
}

async function wanted(bench: Bench): Promise<void> {
  const { structures, ask, isExact, tolerance } = bench;
  const all = await ask(structures);
  const how = { outputs: ["forces"] as const, ...(isExact ? {} : { tolerance }) };
  for (const energy of [false, true]) {
    const some = await ask(structures, { wanted: { energy, stress: false } });
    compareEvaluations(some, all, {
      what: energy ? "energy alone wanted" : "nothing wanted",
      ...how,
    });
  }
}

async function again(bench: Bench): Promise<void> {
  const { structures, ask, isExact, tolerance } = bench;
  const [once, twice] = [await ask(structures), await ask(structures)];
  const how = { outputs: given(bench), ...(isExact ? {} : { tolerance }) };
  compareEvaluations(twice, once, { what: "again", ...how });
}

async function rest(bench: Bench): Promise<void> {
  const { structures, ask, isExact, tolerance } = bench;
  const twice = [...structures, ...structures];
  const active = twice.map((_, s) => s % 2);
  const [said, all] = [await ask(twice, { active, begin: 1 }), await ask(twice, { begin: 1 })];
  for (const [s, { numbers }] of twice.entries()) {
    const still = {
      energy: 1,
      forces: Array(3 * numbers.length).fill(1),
      virial: Array(9).fill(1),
    };
    if (active[s] === 0) {
      const what = `at rest as system ${s} of the batch`;
      compareEvaluations([said[s]!], [still], { what, outputs: ["energy", "forces", "virial"] });
    } else {
      const how = { outputs: given(bench), ...(isExact ? {} : { tolerance }) };
      compareEvaluations([said[s]!], [all[s]!], { what: "beside systems at rest", ...how });
    }
  }
}

/**
 * Compares a system alone with the same system in a batch. The batch contains a single atom without neighbors,
 * unless the model depends on particular atoms.
 */
async function alone(bench: Bench): Promise<void> {
  const { structures, ask, isExact, tolerance, breaks } = bench;
  const [number] = structures[0]!.numbers as [number];
  const atom = { numbers: [number], positions: [1, 2, 3], cell: Array(9).fill(0), pbc: [0, 0, 0] };
  const lone = breaks.includes("permutation") ? [] : [atom];
  const batch = [...structures, ...lone, ...structures.toReversed(), ...lone];
  const together = await ask(batch);
  const how = { outputs: given(bench), ...(isExact ? {} : { tolerance }) };
  const said: Evaluation[] = [];
  for (const structure of batch) said.push((await ask([structure]))[0]!);
  compareEvaluations(together, said, { what: "in a batch", ...how });
}
