/** Lennard-Jones argon against ASE in float64. See tests/data/argon_ase.ts. */
import { assertEquals } from "@std/assert";
import type { System } from "../../src/batch/mod.ts";
import { parseExtxyz } from "../../src/batch/extxyz/mod.ts";
import { lennardJones } from "../../src/models/mod.ts";
import { assertNear, evaluate } from "../dynamics/atoms.ts";
import { on, PAIR_BACKENDS } from "../dynamics/backends.ts";

const TEXT = await Deno.readTextFile(new URL("../data/argon_ase.xyz", import.meta.url));
const SYSTEMS: readonly System[] = parseExtxyz(TEXT);
const OPTIONS = { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 };
/** Relative tolerance of energies. */
const ENERGY = { reference: 1e-10, wasm: 1e-5 };
/** Tolerance relative to the largest value: rounding positions to 1e-10 Å affects derivatives more. */
const STRESS = { reference: 1e-9, wasm: 1e-5 };

function largest(values: Iterable<number>): number {
  let most = 0;
  for (const value of values) most = Math.max(most, Math.abs(value));
  return most;
}

Deno.test("the fixture contains the listed systems", () => {
  const labels = ["perfect32", "perfect108", "rattled32_0", "rattled32_1", "rattled32_2"];
  assertEquals(SYSTEMS.map(({ info }) => info.label), [...labels, "rattled108", "rattled500"]);
  assertEquals(SYSTEMS.map(({ info }) => info.pairs).slice(0, 2), [1248, 4212]);
});

Deno.test(
  "energies of argon are those of ASE, shifted and truncated",
  on(PAIR_BACKENDS, async (backend) => {
    const shifted = await evaluate(lennardJones(OPTIONS), SYSTEMS, backend);
    assertNear(shifted.energy, SYSTEMS.map(({ energy }) => energy!), ENERGY[backend]);
    const cut = await evaluate(lennardJones({ ...OPTIONS, truncation: "cut" }), SYSTEMS, backend);
    assertNear(cut.energy, SYSTEMS.map(({ info }) => info.truncated as number), ENERGY[backend]);
  }),
);

Deno.test(
  "forces on argon are those of ASE",
  on(PAIR_BACKENDS, async (backend) => {
    const { forces } = await evaluate(lennardJones(OPTIONS), SYSTEMS, backend);
    let at = 0;
    for (const system of SYSTEMS) {
      const known = system.get("forces");
      const own = forces.slice(at, at += known.length);
      // In a perfect crystal forces of about 0.01 eV/Å per pair cancel; only their rounding errors remain.
      const scale = Math.max(largest(known), 0.05);
      const most = backend === "reference" ? 1e-9 : 1e-5 * scale;
      const off = largest(own.map((f, i) => f - known[i]!));
      if (!(off <= most)) {
        throw new Error(`${system.info.label}: a force is off by ${off}, not ${most}`);
      }
    }
  }),
);

Deno.test(
  "stresses of argon are those of ASE",
  on(PAIR_BACKENDS, async (backend) => {
    const { stress } = await evaluate(lennardJones(OPTIONS), SYSTEMS, backend);
    const known = SYSTEMS.flatMap((system) => Array.from(system.get("stress")));
    assertNear(stress, known, STRESS[backend], largest(known));
  }),
);
