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
import { CASES, openBaseline, type Task } from "./cases.ts";
import { type Contender, openServer } from "./contender.ts";
import { inputOf, type Places, prepare } from "./places.ts";
import { playRounds, summarize, type Summary } from "./rounds.ts";

/** What a run is told. */
export interface Options {
  readonly places: Places;
  readonly repeats: number;
  /** The program of our side; left out, only the peers run. */
  readonly ours?: string;
  /** Only peers whose name contains this. */
  readonly only?: string;
}

/** What one contender came to in a case. */
export interface Line extends Summary {
  readonly case: string;
  readonly rows: readonly number[];
  readonly contender: string;
  readonly per: string;
  readonly ours_over_cpu?: number;
  readonly ours_over_wall?: number;
  readonly ours_over_paired?: number;
  readonly about: Readonly<Record<string, unknown>>;
}

/** Measures one case: ours first, then its peers. */
export async function runCase(name: string, options: Options): Promise<Line[]> {
  const task = taskOf(name);
  const contenders: Record<string, Contender> = {};
  try {
    if (options.ours !== undefined) contenders.ours = await openOurs(name, task, options);
    for (const [peer, { open }] of chosen(task, options.only)) {
      contenders[peer] = await open(options.places);
    }
    const { repeats, places } = options;
    const played = await playRounds(contenders, { baseline: openBaseline(places), repeats });
    const ours = played.ours && summarize(played.ours);
    return Object.entries(played).map(([contender, pairs]) => {
      const summary = summarize(pairs);
      const over = contender === "ours" || !ours ? {} : compare(ours, summary);
      const { about } = contenders[contender]!;
      return { case: name, rows: task.rows, contender, per: task.per, ...summary, ...over, about };
    });
  } finally {
    for (const contender of Object.values(contenders)) await contender.close();
  }
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

function chosen({ peers }: Task, only = ""): [string, Task["peers"][string]][] {
  return Object.entries(peers).filter(([peer]) => peer.includes(only));
}

function openOurs(name: string, task: Task, { ours, places }: Options): Promise<Contender> {
  const { input, warm, steps } = task;
  const asked = { input: input && inputOf(places, input), warm, steps };
  const args = ["run", "-A", ours!, name, JSON.stringify(asked)];
  return openServer({ program: Deno.execPath(), args, env: {} });
}

if (import.meta.main) {
  const { _: named, peers, venvs, repeats, ours, only } = parseArgs(Deno.args, {
    string: ["peers", "venvs", "repeats", "ours", "only", "_"],
    default: { venvs: "/tmp/hooke_peers", repeats: "5" },
  });
  if (peers === undefined) {
    throw new TypeError("Cannot run the peers as --peers must name a folder");
  }
  const places = { peers: await Deno.realPath(peers), work: venvs };
  const cases = named.length > 0 ? named.map(String) : Object.keys(CASES);
  const tasks = cases.map((name) => taskOf(name));
  await prepare(places, {
    peers: tasks.flatMap((task) => chosen(task, only)).flatMap(([, { needs }]) => needs ?? []),
    inputs: tasks.flatMap(({ input }) => input ?? []),
  });
  for (const name of cases) {
    const options = { places, repeats: Number(repeats), ...ours && { ours }, ...only && { only } };
    for (const line of await runCase(name, options)) console.log(JSON.stringify(line));
  }
}
