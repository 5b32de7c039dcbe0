/**
 * Exports potentials with `python/hooke_export`, opens the files, compares them with their own Python code, and writes
 * docs/parity.md.
 *
 * Run: `deno task test:export [file …] [--again]`, or `deno task parity [file …] [--again] [--only TASKS]`, which
 * also relaxes structures, runs dynamics, fine-tunes and times steps, by ASE and PyTorch and by Hooke. `--only relax,md`
 * leaves the other tasks out, of agreement, native, md, relax, tune and time; `--page` only writes the page.
 *
 * Python environments and files are kept in HOOKE_EXPORT_CACHE, or in the user's cache folder: some 9 GB. What has been
 * exported and measured is not done again; `--again` does. Figures are kept in tests/export/figures, one file per
 * potential, and the page is written from them. The exit code is 1 if a potential differs by more than its reference
 * allows.
 *
 * @module
 */

import { checkReference } from "../../src/models/onnx/reference/reference_check.ts";
import type { OnnxReference } from "../../src/models/onnx/reference/reference.ts";
import { aseRun, type AseRuns, cacheFolder, hostPython, runPython } from "./ase.ts";
import {
  type Figures,
  isMeasured,
  readFigures,
  type StepTimes,
  type Tasks,
  writeFigures,
} from "./figures.ts";
import { drift, relaxations, tuning } from "./hooke_runs.ts";
import { agreement } from "./parity.ts";
import { parityPage, verdict } from "./parity_page.ts";
import { type Exported, POTENTIALS } from "./potentials.ts";
import { ACCEPTED_PUBLISHED, SALT_ENERGIES } from "./published.ts";
import { hookeTimes } from "./times.ts";

const ROOT = new URL("../../", import.meta.url);

/** Options of the command line. */
interface Asked {
  /** True to measure again what has been measured. */
  readonly again: boolean;
  /** The tasks to measure. */
  readonly tasks: readonly (keyof Tasks)[];
}

/** A potential whose files exist. */
interface Ready {
  readonly potential: Exported;
  readonly path: string;
  readonly reference: OnnxReference;
  readonly again: boolean;
}

/** Measures one task. */
const MEASURE: { readonly [T in keyof Tasks]: (ready: Ready) => Promise<Tasks[T]> } = {
  agreement: ({ path, reference }) => agreement(path, reference, "web"),
  native: ({ path, reference }) => agreement(path, reference, "native"),
  md: async (ready) => drift(ready.path, await runOf(ready, "md")),
  relax: async (ready) => relaxations(ready.path, await runOf(ready, "relax")),
  tune: async (ready) => tuning(ready.path, await runOf(ready, "tune")),
  time: async (ready): Promise<StepTimes> => {
    const { sizes } = await runOf(ready, "time");
    const ase = sizes.map(({ start, ...time }) => ({ atoms: start.symbols.length, ...time }));
    const starts = sizes.map(({ start }) => start);
    return { ase, ...await hookeTimes(ready.path, starts) };
  },
};

function runOf<T extends keyof AseRuns>({ potential, again }: Ready, task: T) {
  return aseRun(potential, task, again);
}

/** Exports a potential unless its files exist; returns the path of the ONNX file. */
async function exported({ file, family, name }: Exported, again: boolean): Promise<string> {
  const out = `${cacheFolder()}/models/${file}.onnx`;
  await Deno.mkdir(`${cacheFolder()}/models`, { recursive: true });
  const reference = out.replace(".onnx", ".ref.json");
  const isThere = await Deno.stat(reference).then(() => true, () => false);
  if (isThere && !again) return out;
  const args = ["-m", "hooke_export", family, name, "-o", out, "--isolated", "--everything"];
  await runPython(hostPython(), args);
  return out;
}

/** Measures a potential, task by task, and keeps the figures after each. */
async function measure(potential: Exported, { again, tasks }: Asked): Promise<Figures> {
  const path = await exported(potential, again);
  const text = await Deno.readTextFile(path.replace(".onnx", ".ref.json"));
  const reference = checkReference(`the reference of ${potential.file}`, JSON.parse(text));
  const { model, producer = "", precision = "" } = reference;
  const kept = await readFigures(potential.file);
  let figures: Figures = { model, date: "", producer, precision };
  if (kept?.model === model && !again) figures = kept;
  for (const task of tasks) {
    if (task !== "agreement" && task !== "native" && !potential.hasWeights) continue;
    if (isMeasured(figures[task]) && !figures.earlier?.includes(task)) continue;
    console.log(`${potential.file}: ${task}`);
    const result = await MEASURE[task]({ potential, path, reference, again }).catch((error) => {
      console.log(error);
      return { failed: `${error instanceof Error ? error.message : error}`.split("\n")[0]! };
    });
    const date = new Date().toISOString().slice(0, 10);
    // Another process may have kept other tasks meanwhile.
    const others = await readFigures(potential.file);
    if (others?.model === model) figures = { ...others, ...figures };
    const { earlier = [], ...own } = { ...figures, date, [task]: result };
    const left = earlier.filter((one) => one !== task);
    figures = left.length === 0 ? own : { ...own, earlier: left };
    await writeFigures(potential.file, figures);
  }
  return figures;
}

/** Prints the agreement of a potential; returns whether it is accepted. */
function report({ file }: Exported, { agreement, native }: Figures): boolean {
  if (!isMeasured(agreement)) {
    console.log("FAILED", file, agreement?.failed);
    return false;
  }
  const { salt } = agreement, published = SALT_ENERGIES[file];
  const isPublished = published === undefined ||
    salt !== undefined && Math.abs(salt - published) / 8 <= ACCEPTED_PUBLISHED;
  if (!isPublished) console.log("     perfect NaCl:", salt, "eV; published:", published);
  const passes = isPublished &&
    [agreement, native].every((found) =>
      !isMeasured(found) || found.differences.every((_, i) => verdict(found, i) !== "differs")
    );
  console.log(passes ? "ok  " : "DIFFERS", file);
  for (const { label, energy, forces, stress } of agreement.differences) {
    console.log("    ", label.padEnd(16), energy, forces, stress ?? "");
  }
  return passes;
}

/** Writes docs/parity.md from the figures that are kept. */
async function writePage(): Promise<void> {
  const all = await Promise.all(POTENTIALS.map(async (potential) => ({
    potential,
    figures: await readFigures(potential.file),
  })));
  const page = new URL("docs/parity.md", ROOT);
  await Deno.writeTextFile(page, parityPage(all));
  await new Deno.Command(Deno.execPath(), {
    args: ["fmt", "-q", decodeURIComponent(page.pathname)],
    cwd: ROOT,
  })
    .output();
}

/** Returns the tasks that the command line names. Throws an Error for one that does not exist. */
function tasksOf(words: readonly string[]): (keyof Tasks)[] {
  if (!words.includes("--everything")) return ["agreement"];
  const all = Object.keys(MEASURE) as (keyof Tasks)[];
  const at = words.indexOf("--only");
  if (at === -1) return all;
  const only = (words[at + 1] ?? "").split(",");
  const unknown = only.filter((name) => !all.some((task) => task === name));
  if (unknown.length === 0) return all.filter((task) => only.includes(task));
  throw new Error(`--only must name tasks of ${all.join(", ")}; got ${unknown.join(", ")}`);
}

if (import.meta.main) {
  const asked = { again: Deno.args.includes("--again"), tasks: tasksOf(Deno.args) };
  const names = Deno.args.filter((word, i) =>
    !word.startsWith("-") && Deno.args[i - 1] !== "--only"
  );
  const chosen = Deno.args.includes("--page")
    ? []
    : POTENTIALS.filter(({ file }) => names.length === 0 || names.includes(file));
  let failed = 0;
  for (const potential of chosen) {
    try {
      if (!report(potential, await measure(potential, asked))) failed++;
    } catch (error) {
      failed++;
      console.log("FAILED", potential.file, error);
    }
  }
  await writePage();
  Deno.exit(failed > 0 ? 1 : 0);
}
