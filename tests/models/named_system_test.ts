import { assertRejects } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import { harmonicBonds, lennardJones, type Model, potential } from "../../src/models/mod.ts";
import { evaluate } from "../dynamics/atoms.ts";

const LJ = { sigma: 3, epsilon: 0.01 };

const REFUSED: Readonly<Record<string, { readonly model: Model; readonly message: string }>> = {
  "an element without parameters": {
    model: lennardJones({ species: { Ne: LJ }, cutoff: 8 }),
    message: "atom 0 of system 1 (salt_17) is Ar",
  },
  "an excluded pair of an atom that does not exist": {
    model: lennardJones({ ...LJ, cutoff: 8, exclude: { bonds: [[], [[0, 6]]] } }),
    message: "the 2 atoms of system 1 (salt_17)",
  },
  "a bond of an atom that does not exist": {
    model: harmonicBonds([[], [{ atoms: [0, 6], length: 1, stiffness: 1 }]]),
    message: "the 2 atoms of system 1 (salt_17); got atoms 0 and 6",
  },
  "a function that returns no number": {
    model: potential(({ system }) => system === 1 ? undefined as never : 0),
    message: "for system 1 (salt_17)",
  },
};

for (const [name, { model, message }] of Object.entries(REFUSED)) {
  Deno.test(`an error about ${name} names the system by its label`, async () => {
    const batch = Batch.from([
      { symbols: ["Ne"], positions: [0, 0, 0] },
      { symbols: ["Ar", "Ar"], positions: [0, 0, 0, 3, 0, 0], info: { label: "salt_17" } },
    ]);
    await assertRejects(async () => await evaluate(model, batch), Error, message);
  });
}
