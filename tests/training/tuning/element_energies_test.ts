/** Energies of elements that made data were made of, found again. */
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { fitElementEnergies } from "../../../src/training/mod.ts";

const TRUE = { H: -13.587222780835477, C: -1029.4889999755786, O: -2041.9816003861047 } as const;
type Known = keyof typeof TRUE;

/** A system of these atoms, with the energy that its elements have, and more. */
function system(symbols: readonly Known[], more = 0, key = "energy") {
  const energy = symbols.reduce((sum, symbol) => sum + TRUE[symbol], more);
  return { symbols, positions: symbols.map((_, i) => [2 * i, 0, 0]), info: { [key]: energy } };
}
const MOLECULES: readonly Known[][] = [
  ["H", "H"],
  ["O", "H", "H"],
  ["C", "O"],
  ["C", "O", "O"],
  ["C", "H", "H", "H", "H"],
];

Deno.test("energies of elements are found to 1e-9 eV, under another key and for many frames too", () => {
  const many = [...MOLECULES, ...Array<Known[]>(200).fill(["O", "H", "H"])];
  for (const key of ["energy", "REF_energy"]) {
    const fit = fitElementEnergies(many.map((one) => system(one, 0, key)), { energy: key });
    assertEquals(Object.keys(fit), ["H", "C", "O"]);
    for (const [symbol, energy] of Object.entries(TRUE)) {
      assertAlmostEquals(fit[symbol]!, energy, 1e-9);
    }
  }
});

Deno.test("what a model gives is taken off before the fit", () => {
  const model = MOLECULES.map((_, i) => -5 + i);
  const fit = fitElementEnergies(MOLECULES.map((one, i) => system(one, model[i])), { model });
  assertAlmostEquals(fit.C!, TRUE.C, 1e-9);
  assertThrows(
    () => fitElementEnergies(MOLECULES.map((one) => system(one)), { model: [1] }),
    RangeError,
    "5 energies",
  );
});

Deno.test("elements that always come together keep their sum and stay close to where they begin", () => {
  const water = [system(["O", "H", "H"]), system(["O", "H", "H", "O", "H", "H"])];
  const total = TRUE.O + 2 * TRUE.H;
  const base = { H: -13, O: -2042 };
  const fit = fitElementEnergies(water, { base });
  assertAlmostEquals(fit.O! + 2 * fit.H!, total, 1e-9);
  // The shortest shift is along the composition: two for hydrogen to one for oxygen.
  assertAlmostEquals((fit.H! - base.H) / (fit.O! - base.O), 2, 1e-9);
  const plain = fitElementEnergies(water);
  assertAlmostEquals(plain.H! / plain.O!, 2, 1e-9);
});

Deno.test("a ridge is that of the normal equations", () => {
  // One element, two systems of 1 and 2 atoms: x = Σ n E / (Σ n² + ridge).
  const frames = [system(["H"], 1), system(["H", "H"], -3)];
  const wanted = (TRUE.H + 1 + 2 * (2 * TRUE.H - 3)) / (5 + 0.7);
  assertAlmostEquals(fitElementEnergies(frames, { ridge: 0.7 }).H!, wanted, 1e-12);
  // Two elements that always come together, from the same base: no distance is left out.
  const water = [system(["O", "H", "H"])], base = { H: -13, O: -2042 };
  const rest = TRUE.O + 2 * TRUE.H - base.O - 2 * base.H;
  const fit = fitElementEnergies(water, { ridge: 2, base });
  assertAlmostEquals(fit.H!, base.H + 2 * rest / (5 + 2), 1e-9);
  assertThrows(() => fitElementEnergies(water, { ridge: -1 }), RangeError, "ridge");
});

Deno.test("frames without an energy are left out, and none at all is an error", () => {
  const bare = { symbols: ["H"], positions: [[0, 0, 0]] };
  const fit = fitElementEnergies([bare, system(["H"])]);
  assertAlmostEquals(fit.H!, TRUE.H, 1e-9);
  assertThrows(() => fitElementEnergies([bare]), RangeError, "got none in 1 systems");
  assert(!("O" in fit));
  assertThrows(() => fitElementEnergies([bare], { key: 1 } as never), TypeError, "key");
});
