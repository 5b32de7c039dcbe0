/**
 * Largest accepted relative difference of the losses of the first steps, because float32 sums have different orders.
 */
const APART = 1e-4;

/** Throws an `Error` where contenders do not begin with the losses of ours: then they do not train the same. */
export function assertSameLosses(
  about: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): void {
  const ours = about.ours!.losses as number[];
  for (const [name, { losses }] of Object.entries(about)) {
    const theirs = losses as number[];
    const worst = Math.max(...ours.map((loss, i) => Math.abs(loss - theirs[i]!) / loss));
    if (worst <= APART && theirs.length === ours.length) continue;
    throw new Error(
      `Cannot compare with ${name}: its first losses must be ours to ${APART} of them: they are ${worst} apart`,
    );
  }
}
