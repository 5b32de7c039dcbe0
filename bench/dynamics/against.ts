/**
 * Rows of the table that compare Hooke with other programs. Each row names a case of bench/peers, the peers that
 * count, and the cost to compare.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { missingOf, prepare } from "../peers/places.ts";
import type { Paired } from "../peers/rounds.ts";
import { needsOf, playCase, type Played } from "../peers/run.ts";
import { type BenchResult, type BenchSetting, isMeasured, type NotMeasured } from "../row.ts";
import { show } from "../show.ts";

/** Comparison of one case with its peers. */
export interface Comparison {
  readonly case: string;
  /** Names of the peers that count. The cost of Hooke is divided by that of the fastest of them. */
  readonly peers: readonly string[];
  /** CPU or wall time per event, or the number of steps. */
  readonly of: "cpu" | "wall" | "steps";
  /** Name of the contender of our side. @default "ours" */
  readonly side?: string;
  /** Turns of each contender. @default 5, enough for the least of each to be a quiet one */
  readonly repeats?: number;
  /** Our side. @default ours.ts beside this */
  readonly ours?: string;
  /** Throws an `Error` where what the contenders say of themselves shows that they do not do the same. */
  readonly check?: (about: Played["about"]) => void;
}

const OURS = fileURLToPath(new URL("./ours.ts", import.meta.url));

/** Several rows may be of one case, which is then played once. */
const played = new Map<string, Promise<Played | NotMeasured>>();

/** Measures a comparison, where its peers are there. */
export async function compareWith(
  setting: BenchSetting,
  comparison: Comparison,
): Promise<BenchResult | NotMeasured> {
  const turns = await turnsOf(comparison, setting);
  if ("missing" in turns) return turns;
  const able = Object.entries(turns.about).filter(([one]) => turns.turns[one] !== undefined);
  comparison.check?.(Object.fromEntries(able));
  const { missing } = turns.about[comparison.side ?? "ours"]!;
  return typeof missing === "string" ? { missing } : resultOf(comparison, turns);
}

/** Measures several comparisons. The result is that of the worst, with the notes of all. */
export async function compareWorst(
  setting: BenchSetting,
  comparisons: readonly Comparison[],
): Promise<BenchResult | NotMeasured> {
  const results: BenchResult[] = [];
  for (const comparison of comparisons) {
    const result = await compareWith(setting, comparison);
    if (!isMeasured(result)) return result;
    results.push(result);
  }
  return worstOf(results);
}

/** Returns the result with the largest ratio, with the notes of all. */
export function worstOf(results: readonly BenchResult[]): BenchResult {
  const worst = results.reduce((a, b) => b.value > a.value ? b : a);
  const note = results.map(({ value, note }) => `${show(value)}×, ${note}`).join("; ");
  return { ...worst, note };
}

/** Returns the ratio of the costs of Hooke and of the fastest peer that counts. */
export function resultOf(
  { case: name, peers, of, side = "ours" }: Comparison,
  { turns }: Played,
): BenchResult {
  const ours = costs(turns[side]!, of);
  const all = Object.entries(turns).filter(([one]) => one !== side)
    .map(([peer, pairs]) => ({ peer, costs: costs(pairs, of) }));
  const counted = all.filter(({ peer }) => peers.includes(peer));
  const fastest = counted.reduce((a, b) => least(b) < least(a) ? b : a);
  const value = Math.min(...ours) / least(fastest);
  const told = all.map((one) =>
    `${one.peer}${counted.includes(one) ? "" : " (not counted)"} ${inUnit(least(one), of)}`
  );
  return {
    value,
    runs: ours.map((cost, i) => cost / fastest.costs[i]!),
    note: `${name}: ${side} ${inUnit(Math.min(...ours), of)}, ${told.join(", ")}` +
      (of === "steps"
        ? ""
        : `; relative to the baselines ${show(paired(turns, side, fastest.peer))}×`),
  };
}

function least({ costs }: { readonly costs: readonly number[] }): number {
  return Math.min(...costs);
}

function costs(pairs: readonly Paired[], of: Comparison["of"]): number[] {
  return pairs.map(({ turn }) => of === "steps" ? Number(turn.told.steps) : turn[of]);
}

/** The ratio of the middle ratios to the C program that was run right after each turn. */
function paired(turns: Played["turns"], side: string, peer: string): number {
  const [ours, theirs] = [side, peer].map((one) =>
    middle(turns[one]!.map(({ turn, baseline }) => turn.cpu / baseline.cpu))
  );
  return ours! / theirs!;
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

/** Nanoseconds, or milliseconds where they are many. */
function inUnit(cost: number, of: Comparison["of"]): string {
  if (of === "steps") return `${cost} steps`;
  return cost < 1e5 ? `${show(cost)} ns` : `${show(cost / 1e6)} ms`;
}

function turnsOf(
  { case: name, ours = OURS, repeats = 5 }: Comparison,
  setting: BenchSetting,
): Promise<Played | NotMeasured> {
  const key = JSON.stringify([name, setting]);
  if (!played.has(key)) played.set(key, play(name, { ours, repeats }, setting));
  return played.get(key)!;
}

async function play(
  name: string,
  options: { readonly ours: string; readonly repeats: number },
  { peers, work, makes }: BenchSetting,
): Promise<Played | NotMeasured> {
  if (peers === undefined) return { missing: "needs the folder of the peers: --peers DIR" };
  const places = { peers, work }, needs = needsOf([name]);
  if (makes) await prepare(places, needs);
  const missing = await missingOf(places, needs);
  if (missing.length > 0) {
    return {
      missing: `needs ${
        missing.join(", ")
      }: --peers ${peers} makes environments, C programs and inputs in ${work}`,
    };
  }
  return await playCase(name, { places, ...options });
}
