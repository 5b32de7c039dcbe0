/** Runs of constant energy that the tests measure. */
import { type Batch, kineticEnergies, type System } from "../../src/batch/mod.ts";
import { parseExtxyz } from "../../src/batch/extxyz/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import type { Model } from "../../src/models/mod.ts";
import { ARGON } from "../dynamics/atoms.ts";
import { type BackendName, where } from "../dynamics/backends.ts";

/** Frames of ASE's runs: 108 atoms, then 32, at steps 0, 100 … 1000 of 1 fs. See tests/data/argon_ase.ts. */
export async function aseFrames(atoms: 108 | 32): Promise<System[]> {
  const url = new URL("../data/argon_nve_ase.xyz", import.meta.url);
  const frames = parseExtxyz(await Deno.readTextFile(url));
  return frames.filter(({ info }) => info.label === `nve${atoms}`);
}

/** Returns the largest deviation of the total energy of a system from its initial value, eV per atom. */
export async function drift(
  batch: Batch,
  backend: BackendName,
  options: { dt: number; steps: number; model?: Model },
): Promise<number> {
  const { dt, steps, model = ARGON } = options;
  let first = NaN, most = 0;
  const watch = hook({
    name: "watch",
    reads: ["energy", "kineticEnergy"],
    on: {
      dynamics: {
        AFTER_STEP: ({ read }) => {
          const total = read.energy[0]! + read.kineticEnergy[0]!;
          most = Math.max(most, Math.abs(total - first));
        },
      },
    },
  });
  await using md = new NVE({ model, dt, ...where(backend), hooks: [watch] });
  await md.run(batch, 0);
  first = batch.get("energy")[0]! + kineticEnergies(batch)[0]!;
  await md.run(batch, steps);
  return most / batch.nodeCount;
}
