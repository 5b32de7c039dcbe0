/**
 * Largest accepted difference of energies, eV. Energies of one peer include those of the atoms, which are large in
 * float32.
 */
const APART = 5e-3;

/** Throws an `Error` where contenders have not the energies of ours before the first step. */
export function assertSameEnergies(
  about: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): void {
  const ours = about.ours!.energy as number[];
  for (const [name, { energy }] of Object.entries(about)) {
    const theirs = energy as number[];
    const worst = Math.max(...ours.map((e, i) => Math.abs(e - theirs[i]!)));
    if (worst <= APART && theirs.length === ours.length) continue;
    throw new Error(
      `Cannot compare with ${name}: its energies must be ours to ${APART} eV: they are ${worst} eV apart`,
    );
  }
}
