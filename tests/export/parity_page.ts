/**
 * The page docs/parity.md.
 *
 * @module
 */

import { limitOf } from "../../src/models/onnx/reference/compare.ts";
import type { OnnxReferenceTolerance } from "../../src/models/onnx/reference/reference.ts";
import {
  type Agreement,
  type Difference,
  type Figures,
  isMeasured,
  type Measured,
  type Tasks,
} from "./figures.ts";
import { ACCEPTED_PUBLISHED, PUBLISHED_BY, SALT_ENERGIES } from "./published.ts";
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

${publishedTable(rows)}

${driftTable(real)}

${relaxTable(real)}

${tuneTable(real)}

${timeTable(real)}
`;
}

const HEAD = `# Agreement with other programs' own code

This page compares exported potentials with the Python code of their authors.
[\`python/hooke_export\`](../python/README.md) exports them, \`OnnxModel\` opens them, and onnxruntime-web runs them
on the processor in float32. Columns about native code are measured with onnxruntime-node.

\`deno task test:export\` exports the potentials and compares energies, forces and stresses. \`deno task parity\`
also runs dynamics, relaxations, fine-tunings and timings. Both commands write this page from their measurements.
Cells without a measurement say "not measured".

## Energies, forces and stresses

Each cell lists the largest differences of energies, forces and stresses among all structures of a kind:

- **Energy**: eV per atom. The limit is 1e-5.
- **Forces**: relative to the largest force component of the structure, or to 1 eV/Å if that is larger. The limit
  is 1e-4.
- **Stress**: relative to the largest stress component, or to 0.01 eV/Å³ if that is larger. The limit is 1e-4.

If four times the error of PyTorch in float32 on rattled crystals, strained cells and molecules is larger, it is the
limit instead, but never more than 1e-4, 1e-3 and 1e-2. The reference is in float64, unless a note below the table
says otherwise. The last column has the largest differences of all structures in native code.

- **✗**: the difference exceeds the limit.
- †: the difference exceeds the limit, and so does that of PyTorch in float32 on this structure.
- –: the potential does not support the elements.
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
    return [name, ...cells, ...LABELS.slice(cells.length).map(() => ""), inNative(figures?.native)];
  });
  return table(["potential", ...LABELS, "all, native code"], lines);
}

function inNative(native: Measured<Agreement> | undefined): string {
  if (isMeasured(native)) return cell(native, undefined);
  return native === undefined ? "not measured" : `**✗** ${native.failed}`;
}

/** Shows the largest differences of structures of a kind; of all without one. */
function cell(agreement: Agreement, label: string | undefined): string {
  const { differences, refused } = agreement;
  const isOwn = (one: Difference) => label === undefined || one.label === label;
  const own = differences.filter(isOwn);
  if (own.length === 0) return refused?.some((one) => one.label === label) ? "refused" : "–";
  const most = (numbers: readonly number[]) => Math.max(...numbers).toExponential(0);
  const stresses = own.flatMap(({ stress }) => stress === undefined ? [] : [stress]);
  const text = [
    most(own.map(({ energy }) => energy)),
    most(own.map(({ forces }) => forces)),
    ...(stresses.length === 0 ? [] : [most(stresses)]),
  ].join(", ");
  const verdicts = differences.flatMap((one, i) => isOwn(one) ? [verdict(agreement, i)] : []);
  if (verdicts.includes("differs")) return `**✗** ${text}`;
  return verdicts.includes("float32") ? `${text} †` : text;
}

/** Returns the section on energies that others have published. */
function publishedTable(rows: readonly ParityRow[]): string {
  const head = ["potential", "published, eV", "Hooke, eV", "difference, eV per atom"];
  const lines = rows.flatMap(({ potential: { file }, figures }) => {
    const published = SALT_ENERGIES[file], agreement = figures?.agreement;
    if (published === undefined) return [];
    const own = isMeasured(agreement) ? agreement.salt : undefined;
    const name = `\`${file}\``, wanted = published.toFixed(5);
    if (own === undefined) return [[name, wanted, "not measured", ""]];
    const apart = Math.abs(own - published) / 8;
    const text = apart.toExponential(0);
    return [[name, wanted, own.toFixed(5), apart <= ACCEPTED_PUBLISHED ? text : `**✗** ${text}`]];
  });
  return `## Published energies

The table above compares with the installed packages. This table compares with energies that others have
published for the same weights and other versions of the packages, in ${PUBLISHED_BY}. The
structure is perfect NaCl with 8 atoms and a = 5.64 Å. **✗**: differs by more than
${ACCEPTED_PUBLISHED.toExponential(0)} eV per atom.

${table(head, lines)}

Since version 3, matgl sums the messages of M3GNet at the source of an edge instead of its target. It still loads
weights of older versions, without a warning. With the older weights m3gnet-mp-2021, the original matgl 4.1.2
computes -18.44949 eV, which is 1 eV per atom too high. For these weights, \`hooke-export\` sums at targets, both in
the exported file and in the code of matgl that the file is compared with.`;
}

/** Names of tasks on the page. */
const TASKS: Readonly<Record<keyof Tasks, string>> = {
  agreement: "agreement",
  native: "native code",
  md: "dynamics",
  relax: "relaxation",
  tune: "fine-tuning",
  time: "times",
};

function inWords({ earlier = [] }: Figures): string {
  const names = earlier.map((task) => TASKS[task]);
  return names.length === 0
    ? ""
    : `; ${names.join(", ")} with an earlier export of the same weights`;
}

function notes({ potential: { file, family, name }, figures }: ParityRow): string {
  const said = figures === undefined
    ? "not measured"
    : `${figures.producer}, ${figures.precision}; measured on ${figures.date}${inWords(figures)}`;
  return `- \`${file}\` (\`hooke-export ${family} ${name}\`): ${said}.`;
}
