/**
 * Processes that are killed in mid-run, and go on.
 *
 * @module
 */

import { killRunFolder } from "../config/killed_folder.ts";
import { killAgain } from "../dynamics/killed_again.ts";
import { killStream } from "../dynamics/killed_stream_again.ts";
import { killTraining } from "../training/killed_training.ts";
import type { Attack } from "./attack.ts";

/** Kills between two comparisons with an uninterrupted run. */
const ROUND = 10;

function attackOn(
  name: string,
  cases: number,
  kill: (kills: number, seed: number) => Promise<number | void>,
): Attack {
  return {
    name: `kill ${name}`,
    aim: `kills ${name}; the resumed run must be bitwise identical, with each frame and row once`,
    cases,
    async run(trial) {
      while (trial.tried < trial.cases) {
        const kills = Math.min(ROUND, trial.cases - trial.tried), seed = trial.below(1e6);
        try {
          trial.count("resumed", await kill(kills, seed) ?? kills);
        } catch (error) {
          trial.fail(`seed ${seed}: ${error instanceof Error ? error.stack : error}`);
        }
      }
    },
  };
}

/** All attacks by kills: 200 in the standard run. */
export const KILL_ATTACKS: readonly Attack[] = [
  ...(["xyz", "zarr", "jsonl", "db"] as const).flatMap((ending) => [
    attackOn(
      `dynamics with snapshots in .${ending}`,
      25,
      (kills, seed) => killAgain(ending, { kills, steps: 800 * (kills + 2), seed }),
    ),
    attackOn(`a stream into .${ending}`, 15, (kills, seed) => killStream(ending, kills, seed)),
  ]),
  attackOn("a run folder", 20, killRunFolder),
  attackOn("training", 20, killTraining),
];
