/**
 * Energies that others have published for the same weights, computed with other versions of a family's package. They
 * show what no comparison with the installed package can: that this version still gives the energies that the weights
 * were trained for.
 *
 * @module
 */

/** The source of all of them. */
export const PUBLISHED_BY = "the tests of janus-core 0.8.2";

/** eV for 8 atoms of perfect NaCl, a = 5.64 Å. */
export const SALT_ENERGIES: Readonly<Record<string, number>> = {
  chgnet: -29.331436157226562,
  m3gnet: -26.729949951171875,
  mace_mp_small: -27.035127799332745,
  sevennet0: -27.061979293823242,
};

/** Accepted, eV per atom: float32 and the published structure's digits. */
export const ACCEPTED_PUBLISHED = 1e-4;

/** Returns whether a structure is the one of the published energies. */
export function isPublishedSalt(
  { label, symbols, cell }: {
    readonly label?: string;
    readonly symbols: readonly string[];
    readonly cell: readonly number[] | null;
  },
): boolean {
  const count = (symbol: string) => symbols.filter((one) => one === symbol).length;
  return label === "perfect crystal" && symbols.length === 8 && count("Na") === 4 &&
    count("Cl") === 4 && cell?.[0] === 5.64;
}
