/** docs/parity.md has the figures that are kept in tests/export/figures, and nothing else. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Figures, readFigures } from "./figures.ts";
import { parityPage } from "./parity_page.ts";
import { POTENTIALS } from "./potentials.ts";

const SALT = {
  label: "NaCl",
  cell: true,
  start: [5.75, 5.75, 5.75],
  ase: { energy: -3, lengths: [5.6, 5.6, 5.6], steps: 20, converged: true },
  hooke: { energy: -3, lengths: [5.6, 5.6, 5.6], steps: 20, converged: true },
  apart: 0,
};
const MEASURED: Figures = {
  model: "",
  date: "2026-11-19",
  producer: "a program",
  precision: "float64",
  relax: [SALT],
  md: { label: "NaCl", dt: 1, steps: 200, ase: 0, hooke: 0.1, apart: 0.2 },
};

/** The lines of a section about a potential. */
function linesOf(figures: Figures | undefined, section: string): string[] {
  const [potential] = POTENTIALS;
  const page = parityPage([{ potential: potential!, figures }]);
  const text = page.split(`\n## ${section}\n`)[1]!.split("\n## ")[0]!;
  return text.split("\n").filter((line) => line.startsWith(`| \`${potential!.file}\``));
}

/** The cells of all tables, and what is between them, without what formatting changes. */
const cells = (text: string) => text.replaceAll(/-{2,}/g, "--").split(/\s+/).join(" ").split(" | ");

Deno.test("docs/parity.md is what the figures say (deno task parity writes both)", async () => {
  const rows = await Promise.all(
    POTENTIALS.map(async (potential) => ({
      potential,
      figures: await readFigures(potential.file),
    })),
  );
  const page = await Deno.readTextFile(new URL("../../docs/parity.md", import.meta.url));
  assertEquals(cells(page), cells(parityPage(rows)));
});

Deno.test("a relaxation that ends elsewhere, or not at all, is marked", () => {
  const lines = (change: Partial<typeof SALT>) =>
    linesOf({ ...MEASURED, relax: [{ ...SALT, ...change }] }, "Relaxation");
  assert(!lines({})[0]!.includes("✗"));
  const collapsed = { ...SALT.hooke, energy: -40, lengths: [3.05, 3.05, 3.05] };
  assertEquals(lines({ hooke: collapsed })[0]!.split("✗").length, 3);
  assertStringIncludes(lines({ hooke: collapsed })[0]!, "**✗** 3.050, 3.050, 3.050");
  assertStringIncludes(lines({ apart: 0.1 })[0]!, "**✗** 0.1000");
  const endless = { ...SALT.hooke, converged: false };
  assertStringIncludes(lines({ hooke: endless })[0]!, "**✗** 20, 20 (not converged)");
});

Deno.test("an energy that is not the published one is marked", () => {
  const potential = POTENTIALS.find(({ file }) => file === "m3gnet")!;
  const line = (salt?: number) => {
    const agreement = { differences: [], tolerance: { energy: 1, forces: 1, stress: 1 } };
    const figures = { ...MEASURED, agreement: { ...agreement, ...(salt && { salt }) } };
    const page = parityPage([{ potential, figures }]);
    const text = page.split("\n## Published energies\n")[1]!.split("\n## ")[0]!;
    return text.split("\n").find((one) => one.startsWith("| `m3gnet`"))!;
  };
  assertStringIncludes(line(-26.72999), "| -26.72995 | -26.72999 | 5e-6 |");
  // What matgl 4 gives with weights of matgl 1.
  assertStringIncludes(line(-18.44949), "**✗** 1e+0");
  assertStringIncludes(line(), "not measured");
});

Deno.test("a drift that is not that of ASE is marked", () => {
  assert(!linesOf(MEASURED, "Dynamics")[0]!.includes("✗"));
  const drifting = { ...MEASURED, md: { ...MEASURED.md!, hooke: 3 } } as Figures;
  assertStringIncludes(linesOf(drifting, "Dynamics")[0]!, "**✗** 3.0000");
});

Deno.test("what was measured on an earlier export says so", () => {
  const [potential] = POTENTIALS;
  const figures: Figures = { ...MEASURED, earlier: ["relax", "md"] };
  const page = parityPage([{ potential: potential!, figures }]);
  assertStringIncludes(page, "; relaxation, dynamics with an earlier export of the same weights.");
});

Deno.test("what has failed or has not been measured says so", () => {
  const failed = { ...MEASURED, md: { failed: "the cell | collapsed" } };
  assertStringIncludes(linesOf(failed, "Dynamics")[0]!, "| **✗** the cell \\| collapsed |");
  for (const section of ["Fine-tuning", "Time per step"]) {
    assertStringIncludes(linesOf(MEASURED, section)[0]!, "| not measured |");
  }
  const sections = ["Energies, forces and stresses", "Dynamics", "Relaxation"];
  for (const section of sections) {
    assertStringIncludes(linesOf(undefined, section)[0]!, "| not measured |");
  }
});
