/**
 * Names, units and titles of the columns of logs.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import { SCALAR_OF_COLUMN } from "../../observe/atoms/thermo_row.ts";
import { UsageError } from "../frame/usage_error.ts";

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/^energy(\/(max|kinetic|total))?$/, "eV"],
  [/^fmax/, "eV/Å"],
  [/^temperature/, "K"],
  [/^pressure/, "GPa"],
  [/^volume/, "Å³"],
  [/energyMAE$/, "meV/atom"],
  [/forcesMAE$/, "meV/Å"],
  [/stressMAE$/, "meV/Å³"],
  [/steps_per_s$/, "1/s"],
];

const TITLES: Readonly<Record<string, string>> = {
  "energy": "potential energy",
  "energy/kinetic": "kinetic energy",
  "energy/total": "total energy",
  "energy/max": "largest potential energy",
  "fmax": "largest force",
  "fmax/max": "largest force of all",
  "pressure_GPa": "pressure",
  "volume_A3": "volume",
};

/** Columns that are drawn by default, in this order. */
const SHOWN: readonly RegExp[] = [
  /^energy$/,
  /^energy\/kinetic$/,
  /^energy\/total$/,
  /^train\/loss$/,
  /^val\/loss$/,
  /^(val)\/(energy|forces|stress)MAE$/,
  /^loss\/total$/,
  /^fmax$/,
  /^temperature$/,
  /^pressure_GPa$/,
  /^volume_A3$/,
];

/** Columns whose scale is logarithmic if their values span more than a decade. */
const LOG = /^fmax|(^|\/)loss(\/|$)|MAE$/;

/** Returns the unit of a column; an empty text for a number without a unit. */
export function unitOf(name: string): string {
  return UNITS.find(([fits]) => fits.test(name))?.[1] ?? "";
}

/** Returns the title of a column with its unit. */
export function titleOf(name: string): string {
  const unit = unitOf(name);
  return `${TITLES[name] ?? name}${unit === "" ? "" : `, ${unit}`}`;
}

/** Returns whether a column is drawn on a logarithmic scale. */
export function isLogColumn(name: string, values: readonly number[]): boolean {
  const finite = values.filter(Number.isFinite);
  const [least, most] = [
    finite.reduce((a, b) => Math.min(a, b), Infinity),
    finite.reduce((a, b) => Math.max(a, b), -Infinity),
  ];
  return LOG.test(name) && least > 0 && most > 10 * least;
}

/** Returns the columns that are drawn by default. Columns of other programs are all drawn. */
export function defaultColumns(names: readonly string[]): readonly string[] {
  const known = SHOWN.flatMap((fits) => names.filter((name) => fits.test(name)));
  // The loss of batches repeats that of the epochs.
  if (known.includes("train/loss")) return known.filter((name) => name !== "loss/total");
  return known.length > 0 ? known : names.filter((name) => !/^(dynamics|training)\//.test(name));
}

/**
 * Returns the columns that a user means: their names in the log or in `log.csv`, in any case, or the last part of their
 * names, as `loss` for `train/loss` and `val/loss`. Units may be left out.
 *
 * @throws {UsageError} if there is no such column
 */
export function chosenColumns(
  wanted: readonly string[],
  names: readonly string[],
  action: string,
): readonly string[] {
  const plain = (name: string) => name.toLowerCase().replace(/_(gpa|a3)$/, "");
  const all = wanted.flatMap((text) => text.split(",")).map((text) => text.trim())
    .filter((text) => text !== "");
  const chosen = all.flatMap((text) => {
    const exact = names.filter((name) => name === text || name === SCALAR_OF_COLUMN[text]);
    if (exact.length > 0) return exact;
    const same = names.filter((name) => plain(name) === plain(text));
    const found = same.length > 0
      ? same
      : names.filter((name) => plain(name).endsWith(`/${plain(text)}`));
    if (found.length > 0) return found;
    const begun = names.filter((name) => plain(name).startsWith(plain(text)));
    if (begun.length === 1) return begun;
    const common = names.filter((name) => !/^(dynamics|training)\//.test(name));
    throw new UsageError(
      `Cannot ${action} column ${text}: the columns are ${common.join(", ")}${
        didYouMean(text, names)
      }`,
    );
  });
  return [...new Set(chosen)];
}
