/**
 * Opens all exported potentials with default options and their references beside them, and with manifests that are
 * wrong in one thing; writes a table of both into python/README.md.
 *
 * Run: `deno task test:export:opened [file …]`, after `deno task test:export`, which exports the files
 *
 * Figures are kept in tests/export/opened, one file per potential, and the table is written from them. The exit code is
 * 1 if a file does not agree with its reference, or if a wrong manifest is not found.
 *
 * @module
 */

import { cpuUsage } from "node:process";
import { OnnxModel } from "@hooke/hooke/models/onnx";
import { POTENTIALS } from "./potentials.ts";
import { type Caught, caughtManifests } from "./wrong_manifests.ts";

/** Results of opening a file. */
interface Opened {
  /** Name of the file. */
  readonly file: string;
  /** The largest differences of all structures: eV per atom, and relative. */
  readonly energy: string;
  readonly forces: string;
  readonly stress: string;
  /** Processor time of opening in seconds, without and with the comparison. */
  readonly seconds: readonly [alone: number, verified: number];
  /** Results for wrong manifests. */
  readonly caught: readonly Caught[];
}

const home = Deno.env.get("XDG_CACHE_HOME") || `${Deno.env.get("HOME")}/.cache`;
const models = `${Deno.env.get("HOOKE_EXPORT_CACHE") || `${home}/hooke/export`}/models`;
const FIGURES = new URL("opened/", import.meta.url);
const MARKS = ["<!-- opened: by deno task test:export:opened -->", "<!-- /opened -->"] as const;

/** Returns the least that opening takes in seconds of processor time, alone and with the comparison. */
async function secondsOf(path: string): Promise<Opened["seconds"]> {
  const least: [number, number] = [Infinity, Infinity];
  // In turn, as the first rounds are slow until everything is compiled.
  for (let round = 0; round < 4; round++) {
    for (const [i, verify] of [false, true].entries()) {
      const before = cpuUsage();
      // A process compares the same manifest once.
      await using _ = await OnnxModel.open(path, { verify, source: `round ${round}` });
      const { user, system } = cpuUsage(before);
      least[i] = Math.min(least[i]!, (user + system) / 1e6);
    }
  }
  return least;
}

/** Opens one file. */
async function opened(file: string): Promise<Opened> {
  const path = `${models}/${file}.onnx`;
  const seconds = await secondsOf(path);
  await using model = await OnnxModel.open(path, { stress: true });
  const found = model.describe().match(
    /^agrees with .*: energy (\S+) eV per atom, forces (\S+) relative(?:, stress (\S+) relative)?/m,
  );
  if (found === null) throw new Error(`${file} has not been compared: ${model.describe()}`);
  const [, energy = "", forces = "", stress = "–"] = found;
  const manifest = JSON.parse(await Deno.readTextFile(path.replace(".onnx", ".json")));
  const caught = await caughtManifests(path, manifest);
  return { file, energy, forces, stress, seconds, caught };
}

/** Returns the table of all files. */
function table(all: readonly Opened[]): string {
  const lines = all.map(({ file, energy, forces, stress, seconds: [alone, verified], caught }) => {
    const found = caught.filter(({ message }) => message !== undefined);
    const explained = found.filter(({ isExplained }) => isExplained);
    const missed = caught.filter(({ message }) => message === undefined).map(({ what }) => what);
    const wrong = `${found.length} of ${caught.length}${
      missed.length === 0 ? "" : ` (not ${missed.join(", ")})`
    }`;
    const times = [alone, verified - alone].map((time) => Math.max(0, time).toFixed(2));
    const cells = [`\`${file}\``, energy, forces, stress, ...times, wrong, explained.length];
    return `| ${cells.join(" | ")} |`;
  });
  return [
    "| exported file | energy | forces | stress | opening, s | comparing, s | wrong manifests found | explained |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ...lines,
  ].join("\n");
}

/** Keeps what opening a file has shown, without the messages of errors. */
async function keep({ caught, ...one }: Opened): Promise<void> {
  const short = caught.map(({ what, message, isExplained }) => ({
    what,
    ...(message === undefined ? {} : { message: "found" }),
    isExplained,
  }));
  await Deno.mkdir(FIGURES, { recursive: true });
  const text = JSON.stringify({ ...one, caught: short }, undefined, 2);
  await Deno.writeTextFile(new URL(`${one.file}.json`, FIGURES), `${text}\n`);
}

/** Returns what has been kept, in the order of the potentials. */
async function kept(): Promise<Opened[]> {
  const texts = await Promise.all(
    POTENTIALS.map(({ file }) =>
      Deno.readTextFile(new URL(`${file}.json`, FIGURES)).catch(() => undefined)
    ),
  );
  return texts.flatMap((text) => text === undefined ? [] : [JSON.parse(text) as Opened]);
}

/** Writes the table of what has been kept into the README of the exporter. */
async function writeTable(): Promise<void> {
  const page = new URL("../../python/README.md", import.meta.url);
  const text = await Deno.readTextFile(page);
  const [before, rest] = text.split(MARKS[0]) as [string, string];
  const [, after] = rest.split(MARKS[1]) as [string, string];
  const own = `${before}${MARKS[0]}\n\n${table(await kept())}\n\n${MARKS[1]}${after}`;
  await Deno.writeTextFile(page, own);
  const args = ["fmt", "-q", ...[page, FIGURES].map((file) => decodeURIComponent(file.pathname))];
  await new Deno.Command(Deno.execPath(), { args }).output();
}

if (import.meta.main) {
  const chosen = POTENTIALS.filter(({ file }) =>
    Deno.args.length === 0 || Deno.args.includes(file)
  );
  let failed = 0;
  for (const { file } of chosen) {
    try {
      const one = await opened(file);
      await keep(one);
      const missed = one.caught.filter(({ message }) => message === undefined);
      if (missed.length > 0) failed++;
      console.log(missed.length === 0 ? "ok    " : "MISSED", table([one]).split("\n")[2]);
      for (const { what, message } of one.caught) {
        console.log(`       ${what}: ${message ?? "opened without an error"}`);
      }
    } catch (error) {
      failed++;
      console.log("FAILED", file, error instanceof Error ? error.message : error);
    }
  }
  await writeTable();
  Deno.exit(failed > 0 ? 1 : 0);
}
