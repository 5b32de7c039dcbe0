/**
 * Units of H5MD files.
 *
 * @module
 */

/** Units in Å, fs, eV and amu, by their names in lower case. */
const FACTORS: Readonly<Record<string, number>> = {
  angstrom: 1,
  "å": 1,
  a: 1,
  nm: 10,
  pm: 0.01,
  bohr: 0.529177210903,
  fs: 1,
  ps: 1e3,
  ns: 1e6,
  s: 1e15,
  ev: 1,
  hartree: 27.211386245988,
  kj: 1e3 / 1.602176634e-19,
  kcal: 4184 / 1.602176634e-19,
  mol: 6.02214076e23,
  // u and Da name masses, and so does "amu".
  u: 1,
  da: 1,
  amu: 1,
};

/**
 * Returns the factor that converts a unit of the module "units" of H5MD, such as `nm ps-1`, to Å, fs, eV and amu;
 * `undefined` if a name in it is unknown.
 */
export function unitFactor(unit: string): number | undefined {
  let factor = 1;
  for (
    const part of unit.replaceAll(/[*·]/g, " ").replaceAll("/", " /").split(/\s+/).filter(Boolean)
  ) {
    const [, divided, name = "", sign = "", digits = "1"] =
      /^(\/?)([^\d+/^-]+)\^?([+-]?)(\d*)$/.exec(part) ?? [];
    const one = FACTORS[name.toLowerCase()];
    if (one === undefined) return undefined;
    const power = Number(digits === "" ? 1 : digits) * (sign === "-" ? -1 : 1);
    factor *= one ** (divided === "/" ? -power : power);
  }
  return factor;
}
