/**
 * Initial velocities.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import { temperatureOf } from "../../batch/temperature.ts";
import { initVelocities } from "../../batch/velocities.ts";
import type { Structure } from "../run/structures.ts";
import type { MdSettings } from "./settings.ts";

/**
 * Draws the velocities of all systems whose file has none, or of all systems with `--draw-velocities`. Returns a
 * sentence that says where the velocities come from.
 */
export function setVelocities(
  batch: Batch,
  structures: readonly Structure[],
  settings: MdSettings,
): string {
  const { temperature, seed, drawVelocities } = settings;
  // Langevin noise moves the center of mass, too, so its three degrees of freedom have the temperature.
  const removeCom = settings.ensemble !== "nvt" || settings.thermostat !== "langevin";
  const isKept = structures.map(({ system }) => !drawVelocities && system.has("velocities"));
  const kept = isKept.filter((one) => one).length;
  if (kept === structures.length) return `Velocities: from the files${coldText(batch, settings)}`;
  if (kept === 0) {
    initVelocities(batch, temperature, { seed, removeCom });
    return `Velocities: drawn at ${temperature} K with seed ${seed}`;
  }
  const drawn = batch.clone();
  initVelocities(drawn, temperature, { seed, removeCom });
  const velocities = drawn.get("velocities"), removed = drawn.get("dofRemoved");
  const own = batch.get("velocities"), { nodeOffsets } = batch;
  for (const [i, keeps] of isKept.entries()) {
    if (!keeps) continue;
    const [from, to] = [3 * nodeOffsets[i]!, 3 * nodeOffsets[i + 1]!];
    velocities.set(own.subarray(from, to), from);
    removed[i] = batch.has("dofRemoved") ? batch.get("dofRemoved")[i]! : 0;
  }
  batch.set("velocities", velocities);
  batch.set("dofRemoved", removed);
  return `Velocities: from the files for ${kept} of ${structures.length} structures, others drawn ` +
    `at ${temperature} K with seed ${seed}`;
}

/** Returns the temperature of velocities, with advice if it is far from that of the thermostat. */
function coldText(batch: Batch, { temperature, ensemble }: MdSettings): string {
  const all = Array.from(temperatureOf(batch));
  const mean = all.reduce((sum, one) => sum + one, 0) / all.length;
  const isFar = ensemble !== "nve" && Math.abs(mean - temperature) > 0.5 * temperature;
  const advice = isFar ? `; --draw-velocities draws them at ${temperature} K` : "";
  return `, ${mean.toFixed(1)} K${advice}`;
}
