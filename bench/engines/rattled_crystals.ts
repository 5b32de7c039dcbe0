import { fcc, rattle } from "../../src/batch/mod.ts";

const CRYSTALS = 640, GOLDEN = 0.6180339887;

/** Input of Hooke and of the peer. */
export interface Crystals {
  readonly systems: readonly {
    readonly cell: readonly number[];
    /** Å, three per atom. */
    readonly positions: readonly number[];
  }[];
}

/** Returns crystals of argon, displaced by 0.02 to 0.3 Å, in no order. */
export function rattledCrystals(count: number = CRYSTALS): Crystals {
  const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
  const systems = Array.from({ length: count }, (_, i) => {
    const { cell, positions } = rattle(crystal, 0.02 + 0.28 * (i * GOLDEN % 1), i);
    return { cell: [...cell], positions: [...positions] };
  });
  return { systems };
}
