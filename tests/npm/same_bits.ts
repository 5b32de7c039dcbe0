/**
 * Hashes of 1,000 NVE steps and 200 FIRE steps, which are the same in every runtime.
 *
 * @module
 */

import { Batch, fcc, initVelocities, rattle } from "@hooke/hooke/batch";
import { FIRE, NVE } from "@hooke/hooke/dynamics";
import { lennardJones } from "@hooke/hooke/models";

/** Returns the SHA-256 of positions, velocities, forces and energies after both runs, in hexadecimal. */
export async function runHashes(): Promise<{ readonly nve: string; readonly fire: string }> {
  const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
  const crystals = [1, 2, 3].map((seed) =>
    rattle(fcc({ element: "Ar", a: 5.26, cells: 2 + seed % 2 }), 0.1, seed)
  );
  const moving = Batch.from(crystals);
  initVelocities(moving, 40, { seed: 1 });
  const dynamics = new NVE({ model, dt: 4, device: "wasm" });
  await dynamics.run(moving, 1000);
  await dynamics[Symbol.asyncDispose]();
  const relaxed = Batch.from(crystals);
  const relaxation = new FIRE({ model, dt: 0.5, device: "wasm" });
  await relaxation.run(relaxed, 200);
  await relaxation[Symbol.asyncDispose]();
  return { nve: await hashOf(moving), fire: await hashOf(relaxed) };
}

async function hashOf(batch: Batch): Promise<string> {
  const fields = ["positions", "velocities", "forces", "energy"].map((name) =>
    batch.get(name as "energy")
  );
  const bytes = fields.flatMap(({ buffer, byteOffset, byteLength }) => [
    ...new Uint8Array(buffer, byteOffset, byteLength),
  ]);
  const hash = await crypto.subtle.digest("SHA-256", Uint8Array.from(bytes));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
