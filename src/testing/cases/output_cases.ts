/**
 * What a model gives, and what it leaves alone.
 *
 * @module
 */

import { claim } from "../claims.ts";
import {
  type Bench,
  compareSaid,
  given,
  largest,
  type ModelSetting,
  onBench,
} from "../model_bench.ts";
import type { Said } from "../evaluation.ts";
import type { TestCase } from "./test_case.ts";

/** Outputs are numbers, are added, are the same again; nothing else is touched. */
export function outputCases(setting: ModelSetting): TestCase[] {
  const on = (name: string, test: (bench: Bench) => Promise<void>) => onBench(setting, name, test);
  return [
    on("it gives what it is to give: numbers, and some forces that are not 0", numbers),
    on("what it gives is added to what is there, and what it does not give stays as it was", adds),
    on("forces are the same whatever is wanted besides", wanted),
    on("the same structures give the same again", again),
    on("systems at rest stay as they were, to the bit", rest),
    on("a system gives the same alone as in a batch", alone),
  ];
}

async function numbers({ structures, ask, gives, says }: Bench): Promise<void> {
  const [must, are] = [gives, says].map((outputs) => outputs.toSorted().join(", "));
  claim(must === are, () => `It says that it gives ${are}, not ${must}`);
  for (const [s, { energy, forces, virial }] of (await ask(structures)).entries()) {
    const wrong = [energy, ...forces, ...virial].find((x) => !Number.isFinite(x));
    claim(wrong === undefined, () => `Something that it gives of system ${s} is ${wrong}`);
    claim(largest(forces) > 0, () => `No atom of system ${s} feels a force: try another structure`);
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
  compareSaid(added, expected, { what: "added to 2", outputs, tolerance });
  const untouched = structures.map(({ numbers }) => ({
    energy: begin,
    forces: Array(3 * numbers.length).fill(begin),
    virial: Array(9).fill(begin),
  }));
  const rest = (["energy", "forces", "virial"] as const).filter((name) => !outputs.includes(name));
  compareSaid(added, untouched, { what: "not given", outputs: rest });
}

async function wanted(bench: Bench): Promise<void> {
  const { structures, ask, isExact, tolerance } = bench;
  const all = await ask(structures);
  const how = { outputs: ["forces"] as const, ...(isExact ? {} : { tolerance }) };
  for (const energy of [false, true]) {
    const some = await ask(structures, { wanted: { energy, stress: false } });
    compareSaid(some, all, { what: energy ? "energy alone wanted" : "nothing wanted", ...how });
  }
}

async function again(bench: Bench): Promise<void> {
  const { structures, ask, isExact, tolerance } = bench;
  const [once, twice] = [await ask(structures), await ask(structures)];
  const how = { outputs: given(bench), ...(isExact ? {} : { tolerance }) };
  compareSaid(twice, once, { what: "again", ...how });
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
      compareSaid([said[s]!], [still], { what, outputs: ["energy", "forces", "virial"] });
    } else {
      const how = { outputs: given(bench), ...(isExact ? {} : { tolerance }) };
      compareSaid([said[s]!], [all[s]!], { what: "beside systems at rest", ...how });
    }
  }
}

/** One atom by itself, which has no neighbors, is part of the batch, unless the model is one of certain atoms. */
async function alone(bench: Bench): Promise<void> {
  const { structures, ask, isExact, tolerance, breaks } = bench;
  const [number] = structures[0]!.numbers as [number];
  const atom = { numbers: [number], positions: [1, 2, 3], cell: Array(9).fill(0), pbc: [0, 0, 0] };
  const lone = breaks.includes("permutation") ? [] : [atom];
  const batch = [...structures, ...lone, ...structures.toReversed(), ...lone];
  const together = await ask(batch);
  const how = { outputs: given(bench), ...(isExact ? {} : { tolerance }) };
  const said: Said[] = [];
  for (const structure of batch) said.push((await ask([structure]))[0]!);
  compareSaid(together, said, { what: "in a batch", ...how });
}
