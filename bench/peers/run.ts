/**
 * Runs peers, and ours beside them, in one run:
 * `deno run -A bench/peers/run.ts --peers DIR [--venvs DIR] [--repeats N] [--ours FILE] [--only NAME] [case …]`.
 *
 * One JSON line per contender. Ours, where the program is there, is `deno run -A FILE CASE '{"input", "warm",
 * "steps", …}'` and serves turns (serve_turns.ts); its line comes first, and each peer's has `ours_over_cpu`,
 * `ours_over_wall` (least over least) and `ours_over_paired` (over the baselines right after).
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { CASES, openBaseline, type Opponent, type Task } from "./cases.ts";
import { type Contender, openServer } from "./contender.ts";
import { inputOf, type Needs, type Places, prepare } from "./places.ts";
import { type Paired, playRounds, summarize, type Summary } from "./rounds.ts";

/** Options of a run. */
export interface Options {
  readonly places: Places;
  readonly repeats: number;
  /** The program of our side; left out, only the peers run. */
  readonly ours?: string;
  /** Returns true for peers that take part. */
  readonly takes?: (peer: string) => boolean;
  /** Program that runs after each turn. @default the C program of `openBaseline` */
  readonly baseline?: Contender;
}

/** Results of one contender in a case. */
export interface Line extends Summary {
  readonly case: string;
  readonly rows: readonly string[];
  readonly contender: string;
  readonly per: string;
  readonly ours_over_cpu?: number;
  readonly ours_over_wall?: number;
  readonly ours_over_paired?: number;
  readonly about: Readonly<Record<string, unknown>>;
}

/** The turns of a case. */
export interface Played {
  /** Contender → its turns; ours is called `ours`. */
  readonly turns: Readonly<Record<string, readonly Paired[]>>;
  /** Facts that each contender reports about itself. */
  readonly about: Readonly<Record<string, Contender["about"]>>;
}

/** Plays one case: ours first, then its peers. */
export async function playCase(name: string, options: Options): Promise<Played> {
  const { places, ours, repeats } = options;
  const task = taskOf(name);
  const contenders: Record<string, Contender> = {};
  try {
    if (ours !== undefined) {
      for (const [one, more] of Object.entries(task.ours ?? { ours: {} })) {
        contenders[one] = await openOurs(name, { task, more }, options);
      }
    }
    for (const [peer, { open }] of chosen(task, options.takes)) {
      contenders[peer] = await open(places);
    }
    const able = Object.entries(contenders).filter(([, { about }]) => about.missing === undefined);
    const { baseline = openBaseline(places) } = options;
    const turns = await playRounds(Object.fromEntries(able), { baseline, repeats });
    const about = Object.entries(contenders).map(([one, { about }]) => [one, about]);
    return { turns, about: Object.fromEntries(about) };
  } finally {
    for (const contender of Object.values(contenders)) await contender.close();
  }
}

/** Measures one case: a line per contender. */
export async function runCase(name: string, options: Options): Promise<Line[]> {
  const { turns, about } = await playCase(name, options);
  const { rows, per } = taskOf(name);
  const ours = turns.ours && summarize(turns.ours);
  return Object.entries(turns).map(([contender, pairs]) => {
    const summary = summarize(pairs);
    const over = contender.startsWith("ours") || !ours ? {} : compare(ours, summary);
    return { case: name, rows, contender, per, ...summary, ...over, about: about[contender]! };
  });
}

/** Returns the environments and inputs that these cases need. */
export function needsOf(names: readonly string[], takes?: Options["takes"]): Needs {
  const tasks = names.map(taskOf);
  return {
    peers: tasks.flatMap((task) => chosen(task, takes)).flatMap(([, { needs }]) => needs ?? []),
    inputs: tasks.flatMap(({ input }) => input ?? []),
    programs: tasks.flatMap((task) => chosen(task, takes)).flatMap(([, { runs }]) => runs ?? []),
  };
}

function taskOf(name: string): Task {
  const task = CASES[name];
  if (task !== undefined) return task;
  const known = Object.keys(CASES).join(", ");
  throw new RangeError(`Cannot run "${name}" as the cases are ${known}`);
}

/** Ours over a peer. */
export function compare(
  ours: Summary,
  peer: Summary,
): Required<Pick<Line, "ours_over_cpu" | "ours_over_wall" | "ours_over_paired">> {
  return {
    ours_over_cpu: ours.cpu_min / peer.cpu_min,
    ours_over_wall: ours.wall_min / peer.wall_min,
    ours_over_paired: ours.ratio_cpu / peer.ratio_cpu,
  };
}

function chosen({ peers }: Task, takes = (_peer: string) => true): [string, Opponent][] {
  return Object.entries(peers).filter(([peer]) => takes(peer));
}

function openOurs(
  name: string,
  { task, more }: { readonly task: Task; readonly more: Readonly<Record<string, unknown>> },
  { ours, places }: Options,
): Promise<Contender> {
  const { input, warm, steps } = task;
  const asked = { input: input && inputOf(places, input), warm, steps, ...more };
  const args = ["run", "-A", ours!, name, JSON.stringify(asked)];
  return openServer({ program: Deno.execPath(), args, env: {} });
}

if (import.meta.main) {
  const { _: named, peers, venvs, repeats, ours, only } = parseArgs(Deno.args, {
    string: ["peers", "venvs", "repeats", "ours", "only", "_"],
    default: { venvs: "/tmp/hooke_peers", repeats: "5" },
  });
  if (peers === undefined) {
    throw new TypeError("Cannot run the peers: --peers must name a folder");
  }
  const places = { peers: await Deno.realPath(peers), work: venvs };
  const cases = named.length > 0 ? named.map(String) : Object.keys(CASES);
  const takes = (peer: string) => peer.includes(only ?? "");
  const options = { places, repeats: Number(repeats), takes, ...ours && { ours } };
  await prepare(places, needsOf(cases, takes));
  for (const name of cases) {
    for (const line of await runCase(name, options)) console.log(JSON.stringify(line));
  }
}
