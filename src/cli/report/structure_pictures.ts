/**
 * Pictures of the first and the last structure of a run.
 *
 * @module
 */

import type { System } from "../../batch/system.ts";
import { isObject } from "../../base/object.ts";
import type { RunData } from "../../config/runs/read_run.ts";
import { partsOf } from "../../config/runs/run_parts.ts";
import { openSystems } from "../../sinks/systems_file.ts";
import { exists } from "../run/formats.ts";
import { pictured, type StructurePictures } from "./pictured.ts";

/**
 * Returns pictures of the first structure of a run of dynamics, at its begin and at its end. The begin is the first
 * frame of the trajectory. The end is `final.xyz` if the run has ended, otherwise the last frame.
 */
export async function dynamicsPictures(folder: string, run: RunData): Promise<StructurePictures> {
  const config = isObject(run.config) ? run.config : {};
  const { traj } = config, facts = isObject(config.facts) ? config.facts : {};
  if (typeof traj !== "string" || !exists(`${folder}/${traj}`)) return { blocks: [] };
  const structures = Array.isArray(facts.structures) ? facts.structures.length : 1;
  const hasEnded = partsOf(run).at(-1)?.end !== undefined && exists(`${folder}/final.xyz`);
  return await pictured(async () => {
    const [first, last] = await endsOf(`${folder}/${traj}`, Math.max(1, structures));
    if (first === undefined) return [];
    const isOne = structures === 1, which = `structure 1 of ${structures}`;
    const end = hasEnded ? (await endsOf(`${folder}/final.xyz`, 1))[0] : last;
    const time = (system: System, isEnd: boolean) =>
      timeOf(system, isEnd && hasEnded ? run : undefined);
    return [
      {
        system: first,
        title: `${isOne ? "First structure" : `Begin of ${which}`}${time(first, false)}`,
      },
      ...(end === undefined ? [] : [{
        system: end,
        title: `${isOne ? "Last structure" : `End of ${which}`}${time(end, true)}`,
      }]),
    ];
  });
}

/**
 * Returns pictures of the first and the last structure of the results of a screening.
 *
 * @param ends these structures, if they are in memory; otherwise they are read from `file`
 */
export async function screeningPictures(
  file: string,
  ends?: readonly System[],
): Promise<StructurePictures> {
  if (ends === undefined && !exists(file)) return { blocks: [] };
  return await pictured(async () => {
    const [first, last] = ends ?? await endsOf(file, 1);
    return [
      ...(first === undefined ? [] : [{ system: first, title: "First result" }]),
      ...(last === undefined ? [] : [{ system: last, title: "Last result" }]),
    ];
  });
}

/** Reads the first structure of a file, and the first one of its last `per` structures, which are those of a step. */
async function endsOf(path: string, per: number): Promise<readonly (System | undefined)[]> {
  const opened = await openSystems(path, { onWarning: () => {} });
  try {
    const steps = Math.floor(opened.length / per);
    if (steps === 0) return [];
    const first = await opened.get(0);
    return [first, steps === 1 ? undefined : await opened.get((steps - 1) * per)];
  } finally {
    await opened.close();
  }
}

/** Returns the time of a frame, or of the end of a run. */
function timeOf(system: System, run: RunData | undefined): string {
  const step = run === undefined ? undefined : partsOf(run).at(-1)?.last.step;
  const config = isObject(run?.config) ? run.config : {};
  const time = run === undefined
    ? Number(system.has("time") ? system.get("time")[0] : NaN)
    : Number(config.dt) * (step ?? NaN);
  return time >= 0 ? `, ${+(time / 1000).toPrecision(6)} ps` : "";
}
