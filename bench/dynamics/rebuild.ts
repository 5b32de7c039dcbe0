import { openBackend } from "../../src/backend/mod.ts";
import { ARGON, argon } from "../kernels_force/argon.ts";
import { Nve } from "../kernels_force/nve.ts";
import { cpuOf } from "./cpu.ts";

const ATOMS = 32_000, SKIN = 1, TRIES = 10, CALLS = 5;

/**
 * Measures the time to rebuild the neighbor lists of 32000 atoms, relative to one force call with valid lists. All
 * atoms jump back and forth by more than the skin, so every step rebuilds the list.
 */
export async function rebuildInForceCalls(): Promise<number> {
  const nve = new Nve(openBackend("wasm"), [argon(ATOMS, 80, 1)], SKIN);
  nve.run(100);
  const rebuilds: number[] = [], forces: number[] = [];
  for (let i = 0; i < TRIES; i++) {
    const x = nve.backend.view(nve.positions), leap = i % 2 === 0 ? ARGON.cutoff : -ARGON.cutoff;
    for (let k = 0; k < x.length; k++) x[k]! += leap;
    const before = nve.builds();
    const both = await cpuOf(() => nve.backend.run(nve.force, 0, 1));
    if (nve.builds() !== before + 1) {
      throw new Error(`Cannot time a rebuild: there must be one: ${nve.builds() - before} were`);
    }
    const force = await cpuOf(() => nve.backend.run(nve.force, 0, CALLS)) / CALLS;
    forces.push(force);
    rebuilds.push(both - force);
  }
  return Math.min(...rebuilds) / Math.min(...forces);
}
