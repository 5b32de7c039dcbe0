/**
 * Runs the tests and the examples in the documentation, in several processes side by side.
 *
 * Run: `deno task test [path …]`, `deno task test:slow [path …]`, `deno task test:all [path …]`
 *
 * Types are checked once, beside the tests, but not with `--no-check`. Files whose paths begin with one of the given
 * paths are run; without paths all are. `--processes=N` sets how many processes run at a time, `--coverage=FOLDER` collects coverage.
 *
 * @module
 */

import { sourceFiles } from "../architecture/source_files.ts";
import { ROOT } from "../check/entry_points.ts";
import { markdownPages } from "../check/pages.ts";
import { childProcessorSeconds, endedProcessorSeconds } from "./processor_time.ts";
import { addCounts, leftOut, showCounts } from "./report.ts";
import { runShare, type ShareResult } from "./run_share.ts";
import { dividedFiles } from "./divided.ts";
import { type Share, sharesOf, type Suite } from "./shares.ts";
import { limitOf, timeOfWork } from "./speed.ts";

/** Number of the slowest files that are printed. */
const SLOWEST = 10;

interface Options {
  readonly suite: Suite;
  readonly paths: readonly string[];
  readonly processes: number;
  readonly isChecked: boolean;
  /** Handed to every `deno test`. */
  readonly flags: readonly string[];
}

function parseOptions([suite, ...rest]: readonly string[]): Options {
  if (suite !== "fast" && suite !== "slow" && suite !== "all") {
    throw new RangeError(`The suite must be fast, slow or all; got ${suite}`);
  }
  const flags = rest.filter((word) => word.startsWith("--coverage"));
  const processes = rest.find((word) => word.startsWith("--processes="))?.split("=")[1];
  return {
    suite,
    paths: rest.filter((word) => !word.startsWith("-")).map((path) => path.replace(/^\.\//, "")),
    // Twice the cores, as tests on a GPU mostly wait for it.
    processes: processes === undefined ? 2 * navigator.hardwareConcurrency : Number(processes),
    isChecked: !rest.includes("--no-check"),
    flags,
  };
}

/** Checks the types of all files and examples, which is done once and not again in every process. */
async function checkTypes(): Promise<boolean> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "--no-run", "--doc", "--quiet"],
    cwd: ROOT,
    stdin: "null",
  }).output();
  const seconds = endedProcessorSeconds().toFixed(1);
  console.log(`${success ? "ok    " : "FAILED"} types (${seconds}s of processors)`);
  if (!success) {
    for (const bytes of [stdout, stderr]) {
      console.log(new TextDecoder().decode(bytes));
    }
  }
  return success;
}

/** Runs a limited number of shares at a time, and shows the output of each when it ends. */
async function runShares(shares: readonly Share[], options: Options): Promise<ShareResult[]> {
  const waiting = [...shares], results: ShareResult[] = [];
  const work = async () => {
    for (let share = waiting.shift(); share !== undefined; share = waiting.shift()) {
      const result = await runShare(share, options.suite, options.flags);
      show(result);
      results.push(result);
    }
  };
  await Promise.all(Array.from({ length: options.processes }, work));
  return results;
}

function show(result: ShareResult): void {
  const { share, isGood, counts, output, lateSignal, seconds, processorSeconds } = result;
  const tests = counts === undefined ? "no closing line" : `${counts.passed} passed`;
  const times = `${seconds.toFixed(1)}s, ${processorSeconds.toFixed(1)}s of processors`;
  console.log(`${isGood ? "ok    " : "FAILED"} ${share.name}: ${tests} (${times})`);
  if (!isGood) console.log(output);
  if (lateSignal !== undefined) {
    console.log(`       its process ended with ${lateSignal} after all its tests had passed`);
  }
}

function showSlowest(results: readonly ShareResult[]): void {
  const all = results.flatMap(({ secondsOf }) => [...secondsOf]);
  const slowest = all.sort(([, a], [, b]) => b - a).slice(0, SLOWEST);
  console.log(`\nslowest files:`);
  for (const [file, seconds] of slowest) {
    console.log(`  ${seconds.toFixed(1).padStart(6)}s ${file}`);
  }
}

/**
 * Says how long the processors worked, and whether that is too long for CI. Unlike wall time it depends little on what
 * else the machine does. The suite takes about 320 s on the processors on which `limitOf` allows 450.
 */
function showProcessorTime({ suite, paths }: Options): boolean {
  const seconds = childProcessorSeconds();
  if (seconds === undefined) return true;
  console.log(`processor time: ${Math.round(seconds)}s`);
  const isLimited = suite === "fast" && paths.length === 0 && Deno.env.get("CI") !== undefined;
  if (!isLimited) return true;
  const limit = limitOf(timeOfWork());
  if (seconds <= limit) return true;
  console.log(
    `The fast tests took ${
      Math.round(seconds)
    } s of processor time; at most ${limit} s are allowed. ` +
      "Make the slowest files faster, or move cases to a …_slow_test.ts.",
  );
  return false;
}

if (import.meta.main) {
  const options = parseOptions(Deno.args);
  const began = performance.now();
  const isWanted = (path: string) =>
    options.paths.length === 0 || options.paths.some((start) => path.startsWith(start));
  const all = [...await markdownPages(), ...await sourceFiles(ROOT)];
  const unknown = options.paths.filter((start) => !all.some((path) => path.startsWith(start)));
  if (unknown.length > 0) throw new RangeError(`No file begins with ${unknown.join(" or ")}`);
  const divided = await dividedFiles();
  const files = all.filter(isWanted);
  const [isTyped, results] = await Promise.all([
    options.isChecked ? checkTypes() : true,
    runShares(sharesOf(files, options.suite, (file) => divided.has(file)), options),
  ]);
  const isGood = isTyped && results.every((result) => result.isGood);
  if (results.length > 1) showSlowest(results);
  const isFast = showProcessorTime(options);
  console.log();
  const counts = addCounts(results.flatMap(({ counts }) => counts ?? []));
  const missing = leftOut(results.map(({ output }) => output));
  if (options.suite === "fast") missing.push("the slow suites (deno task test:slow)");
  if (missing.length > 0) console.log(`left out: ${missing.join("; ")}`);
  const isAll = isGood && isFast;
  console.log(`${showCounts(counts, isAll, (performance.now() - began) / 1000)}`);
  Deno.exit(isAll ? 0 : 1);
}
