/**
 * Built-in Lennard-Jones potentials of noble gases.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import type { LennardJonesPair } from "../../models/pair/lennard_jones.ts";
import { UsageError } from "../frame/usage_error.ts";

/**
 * Lennard-Jones parameters of noble gases, eV and Å. Helium: J. de Boer, A. Michels, Physica 5, 945 (1938); the
 * others: N. Bernardes, Phys. Rev. 112, 1534 (1958).
 */
export const NOBLE_GASES: Readonly<Record<string, LennardJonesPair>> = {
  He: { epsilon: 0.00088, sigma: 2.56 },
  Ne: { epsilon: 0.0031, sigma: 2.74 },
  Ar: { epsilon: 0.0104, sigma: 3.4 },
  Kr: { epsilon: 0.014, sigma: 3.65 },
  Xe: { epsilon: 0.02, sigma: 3.98 },
};

/** Names of the elements, for `lj:argon`. */
const NAMES: Readonly<Record<string, string>> = {
  helium: "He",
  neon: "Ne",
  argon: "Ar",
  krypton: "Kr",
  xenon: "Xe",
};

/** Cutoff in units of the largest σ of the potential. */
const CUTOFF = 2.5;

/** Parameters of a mixture, as `lennardJones` takes them. */
export interface NobleGasMixture {
  readonly species: Readonly<Record<string, LennardJonesPair>>;
  readonly cutoff: number;
}

/** Returns whether the name of a potential is `lj`, or begins with `lj:`, so that it is no file. */
export function isBuiltInName(name: string): boolean {
  return /^lj(:|$)/i.test(name);
}

/**
 * Returns the parameters of a built-in potential: `lj` has those of all noble gases, and `lj:argon` or `lj:Ar` those
 * of one element. The parameters depend only on the name, so that the results of a structure do not depend on the
 * other structures of a command.
 *
 * @param symbols elements of the structures, as far as they are known
 * @param nameOf returns the beginning of a message about elements, such as `b.xyz has`
 * @throws {UsageError} if the name is not a built-in potential, or a structure has another element
 */
export function builtinPotential(
  name: string,
  symbols: readonly string[],
  nameOf: (strange: readonly string[]) => string = () => "the structures have",
): NobleGasMixture {
  const [, element] = /^lj(?::(.*))?$/i.exec(name) ?? [];
  const wanted = element === undefined ? Object.keys(NOBLE_GASES) : [symbolOf(element, name)];
  const species = Object.fromEntries(wanted.map((symbol) => [symbol, NOBLE_GASES[symbol]!]));
  if (element === undefined && symbols.length === 0) {
    throw new UsageError(`Cannot use --model ${name}: the structures have no atoms`);
  }
  const strange = symbols.find((symbol) => !Object.hasOwn(species, symbol));
  if (strange !== undefined) {
    throw new UsageError(
      `Cannot use --model ${name}: ${
        nameOf([strange])
      } ${strange}; pass a potential for it, such as a FILE.onnx`,
    );
  }
  return {
    species,
    cutoff: CUTOFF * Math.max(...Object.values(species).map(({ sigma }) => sigma)),
  };
}

function symbolOf(element: string, name: string): string {
  const plain = element.toLowerCase();
  const symbol = NAMES[plain] ?? Object.values(NAMES).find((each) => each.toLowerCase() === plain);
  if (symbol !== undefined) return symbol;
  throw new UsageError(
    `Cannot use --model ${name}: its element must be one of ${Object.keys(NAMES).join(", ")}${
      didYouMean(plain, Object.keys(NAMES))
    }`,
  );
}
