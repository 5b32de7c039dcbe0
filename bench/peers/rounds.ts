/**
 * Contenders in turn, each turn followed by one of the baseline, so that whatever else the machine does hits
 * all of them; and what is left of it: the least of each, and the ratio to the baseline right after.
 *
 * @module
 */

import type { Contender, Turn } from "./contender.ts";

/** One turn and the turn of the baseline that followed it. */
export interface Paired {
  readonly turn: Turn;
  readonly baseline: Turn;
}

/** Summary of the turns of a contender, in nanoseconds per event. */
export interface Summary {
  /** CPU time: least and middle. */
  readonly cpu_min: number;
  readonly cpu_median: number;
  /** Wall time: least and middle. */
  readonly wall_min: number;
  readonly wall_median: number;
  /** The middle of the CPU times over that of the baseline right after. */
  readonly ratio_cpu: number;
  /** The baseline's least CPU time in the same rounds. */
  readonly baseline_cpu_min: number;
  readonly repeats: number;
  /** Other values that the last turn reported. */
  readonly told: Readonly<Record<string, unknown>>;
}

/** Everyone takes a turn, `repeats` times. */
export async function playRounds(
  contenders: Readonly<Record<string, Contender>>,
  { baseline, repeats }: { baseline: Contender; repeats: number },
): Promise<Record<string, Paired[]>> {
  const names = Object.keys(contenders);
  const played: Record<string, Paired[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (let i = 0; i < repeats; i++) {
    for (const name of names) {
      const turn = await contenders[name]!.turn();
      played[name]!.push({ turn, baseline: await baseline.turn() });
    }
  }
  return played;
}

/** Summarizes the turns of one contender. */
export function summarize(pairs: readonly Paired[]): Summary {
  const cpu = pairs.map(({ turn }) => turn.cpu), wall = pairs.map(({ turn }) => turn.wall);
  return {
    cpu_min: Math.min(...cpu),
    cpu_median: middle(cpu),
    wall_min: Math.min(...wall),
    wall_median: middle(wall),
    ratio_cpu: middle(pairs.map(({ turn, baseline }) => turn.cpu / baseline.cpu)),
    baseline_cpu_min: Math.min(...pairs.map(({ baseline }) => baseline.cpu)),
    repeats: pairs.length,
    told: pairs.at(-1)?.turn.told ?? {},
  };
}

/** The middle one, or the mean of the two in the middle. */
function middle(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
