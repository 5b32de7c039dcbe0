/**
 * The page docs/parity.md.
 *
 * @module
 */

import { limitOf } from "../../src/models/onnx/reference/compare.ts";
import type { OnnxReferenceTolerance } from "../../src/models/onnx/reference/reference.ts";
import { type Agreement, type Difference, isMeasured } from "./figures.ts";
import { type ParityRow, table } from "./table.ts";
import { driftTable, relaxTable, timeTable, tuneTable } from "./run_tables.ts";

const LABELS = [
  "rattled crystal",
  "strained cell",
  "molecule",
  "slab",
  "perfect crystal",
  "isolated atom",
] as const;

/** Returns whether a difference is accepted. */
function isWithin(one: Difference, tolerance: OnnxReferenceTolerance): boolean {
  return one.energy <= tolerance.energy && one.forces <= tolerance.forces &&
    (one.stress ?? 0) <= tolerance.stress;
}

/** Judges a potential on a structure: `"float32"` if PyTorch itself is off by a fourth of it or more in float32. */
export function verdict(agreement: Agreement, index: number): "ok" | "float32" | "differs" {
  const one = agreement.differences[index]!;
  if (isWithin(one, agreement.tolerance)) return "ok";
  const limit = (name: "energy" | "forces" | "stress") => limitOf(agreement, index, name);
  const own = { energy: limit("energy"), forces: limit("forces"), stress: limit("stress") };
  return isWithin(one, own) ? "float32" : "differs";
}

/** Returns the text of the page. */
export function parityPage(rows: readonly ParityRow[]): string {
  const real = rows.filter(({ potential }) => potential.hasWeights);
  return `${HEAD}
${agreementTable(rows)}
${rows.map(notes).join("\n")}

${driftTable(real)}

${relaxTable(real)}

${tuneTable(real)}

${timeTable(real)}
`;
}

const HEAD = `# Agreement with other programs' own code

Potentials exported by [\`python/hooke_export\`](../python/README.md), opened with \`OnnxModel\` and run by
onnxruntime-web on the processor in float32, compared with the Python code of their own authors.
\`deno task test:export\` exports them and compares energies, forces and stresses; \`deno task parity\` also runs
dynamics, relaxations, fine-tunings and timings. Both write this page from what they measured. What has not been
measured says so.

## Energies, forces and stresses

Each cell has the largest difference of all structures of a kind: **energy** in eV per atom, **forces**
relative to the largest force component of the structure (or to 1 eV/Å if that is larger), **stress** relative
to the largest stress component (or to 0.01 eV/Å³). The reference is in float64, except where a note below the
table says otherwise; accepted are 1e-5, 1e-4 and 1e-4, or four times what PyTorch itself is off by in float32
on rattled crystals, strained cells and molecules, but never more than 1e-4, 1e-3 and 1e-2.

- **✗**: differs by more.
- †: differs by more, and PyTorch in float32 does so on this structure, too.
- –: the potential does not know the elements.
- refused: the potential's own code does not accept such a structure.
`;

function agreementTable(rows: readonly ParityRow[]): string {
  const lines = rows.map((row) => {
    const { potential: { file, hasWeights }, figures } = row;
    const agreement = figures?.agreement;
    const cells = isMeasured(agreement)
      ? LABELS.map((label) => cell(agreement, label))
      : [agreement === undefined ? "not measured" : `**✗** ${agreement.failed}`];
    const name = hasWeights ? `\`${file}\`` : `\`${file}\` (random weights)`;
    return [name, ...cells, ...LABELS.slice(cells.length).map(() => "")];
  });
  return table(["potential", ...LABELS], lines);
}

function cell(agreement: Agreement, label: string): string {
  const { differences, refused } = agreement;
  const own = differences.filter((one) => one.label === label);
  if (own.length === 0) return refused?.some((one) => one.label === label) ? "refused" : "–";
  const most = (numbers: readonly number[]) => Math.max(...numbers).toExponential(0);
  const stresses = own.flatMap(({ stress }) => stress === undefined ? [] : [stress]);
  const text = [
    most(own.map(({ energy }) => energy)),
    most(own.map(({ forces }) => forces)),
    ...(stresses.length === 0 ? [] : [most(stresses)]),
  ].join(", ");
  const verdicts = differences.flatMap((one, i) =>
    one.label === label ? [verdict(agreement, i)] : []
  );
  if (verdicts.includes("differs")) return `**✗** ${text}`;
  return verdicts.includes("float32") ? `${text} †` : text;
}

function notes({ potential: { file, family, name }, figures }: ParityRow): string {
  const said = figures === undefined
    ? "not measured"
    : `${figures.producer}, ${figures.precision}; measured on ${figures.date}`;
  return `- \`${file}\` (\`hooke-export ${family} ${name}\`): ${said}.`;
}
