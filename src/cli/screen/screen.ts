/**
 * The command `hooke screen`.
 *
 * @module
 */

import { disposing } from "../../base/disposing.ts";
import type { FormatOptions } from "../../formats/format.ts";
import { openRunFolder } from "../../config/runs/run_folder.ts";
import type { Dynamics } from "../../dynamics/dynamics.ts";
import { currentFolder } from "../../platform/program.ts";
import { openSink } from "../../sinks/open_sink.ts";
import type { StoredSink } from "../../sinks/sink.ts";
import type { System } from "../../batch/system.ts";
import type { CommandRun } from "../frame/command.ts";
import { cellOption, checkCellOptions, openEngine } from "../relax/engine.ts";
import { readable } from "../relax/readable.ts";
import { convergenceHook } from "../relax/stress_criterion.ts";
import { counted } from "../run/counted.ts";
import { constraintsOf } from "../run/constraints.ts";
import { formatOptionsOf } from "../run/format_options.ts";
import { printDryRun } from "../run/dry_run.ts";
import { notice } from "../run/notices.ts";
import { checkModelExists } from "../run/model_file.ts";
import { type OpenPotential, openPotential } from "../run/potential.ts";
import { checkRunFileName } from "../run/planned_paths.ts";
import { inNewRun } from "../run/new_run.ts";
import { inputsOf } from "../run/table.ts";
import { chooseFolder } from "../run/run_path.ts";
import type { Structure } from "../run/structures.ts";
import { strippedStructure } from "../run/batch_of.ts";
import { userHooks } from "../run/user_hooks.ts";
import { stemOf } from "../run/path_kind.ts";
import { folderName, warnOf, watched } from "../watch/watch.ts";
import { checkFolderPermission } from "../run/writable.ts";
import { stopOnSignal } from "../stop.ts";
import { elementsOfModel } from "./elements.ts";
import { Gate } from "./gate.ts";
import { Ledger, type ScreenResult } from "./ledger.ts";
import { type ScreenCounts, ScreenProgress } from "./progress.ts";
import { forgetOutcome, storeOutcome } from "./outcome.ts";
import { relaxAll, type StreamParts } from "./relax_all.ts";
import type { ScreenSettings } from "./settings.ts";
import { type Failure, filesOf, structuresIn } from "./sources.ts";
import { printSummary } from "./summary.ts";

/** Relaxes any number of structures. */
export async function screen(settings: ScreenSettings, run: CommandRun): Promise<number> {
  checkCellOptions(settings, run);
  checkRunFileName(settings.results, "--results");
  const files = await filesOf(settings.files);
  checkModelExists(settings.model);
  const folder = await chooseFolder(settings.out, {
    name: `${stemOf(settings.files[0]!) || "hooke"}-screen`,
    overwrite: settings.overwrite,
    inputs: [...files, ...inputsOf(settings)],
    program: run.program,
  });
  if (settings.dryRun) {
    const what = `the structures of ${counted(files.length, "file")}`;
    return printDryRun(
      run,
      "screen",
      readable(settings),
      `Would relax ${what}, and write to ${folder}`,
    );
  }
  return await screenInto(folder, settings, run);
}

/** Relaxes the structures of a screening that have no result in its folder yet. */
export async function screenInto(
  path: string,
  settings: ScreenSettings,
  run: CommandRun,
): Promise<number> {
  checkFolderPermission(path, run);
  stopOnSignal(run, settings.signal);
  const files = await filesOf(settings.files);
  if (settings.model !== undefined) notice(run, settings, `Opening ${settings.model}`);
  const warn = (message: string) => run.terminal.complain(message);
  const formats = await formatOptionsOf(settings, warn);
  const potential = await openPotential(
    settings,
    await elementsOfModel(settings, files, formats),
    { warn, stressFor: cellOption(settings) },
  );
  const { overwrite } = settings, inputs = [...files, ...inputsOf(settings)];
  return await disposing(
    potential,
    async (potential) => {
      const config = { ...configOf(settings), modelSha256: potential.sha256 ?? null };
      const facts = { name: folderName(path), kind: "screen", config } as const;
      return await watched(
        settings,
        run,
        facts,
        (run) =>
          inNewRun(path, { overwrite, inputs }, async () => {
            const folder = await openRunFolder(path, { config, checkpoints: false, report: false });
            await run.page?.openFolder(path);
            return await disposing(
              folder,
              () => runScreening(path, { settings, run, files, formats, potential }),
            );
          }),
      );
    },
  );
}

/** Returns the stored configuration. */
function configOf(
  { config: _, set: __, dryRun: ___, json: ____, quiet: _____, overwrite: ______, ...others }:
    ScreenSettings,
): object {
  const { watch: _______, watchPort: ________, ...kept } = others;
  const given = Object.entries(kept).filter(([name, value]) =>
    value !== undefined && name !== "out"
  );
  // The ledger has paths as the user has given them.
  return { command: "screen", cwd: currentFolder(), ...Object.fromEntries(given) };
}

interface Screening {
  readonly settings: ScreenSettings;
  readonly run: CommandRun;
  readonly files: readonly string[];
  readonly formats: FormatOptions;
  readonly potential: OpenPotential;
}

async function runScreening(path: string, screening: Screening): Promise<number> {
  const { settings, run, files } = screening;
  await forgetOutcome(path);
  const ledger = await Ledger.open(path);
  const counts = {
    done: 0,
    doneAtoms: 0,
    read: 0,
    readAtoms: 0,
    inFiles: 0,
    failed: 0,
    unconverged: 0,
    files: 0,
    of: files.length,
  };
  const progress = new ScreenProgress(run, settings, counts);
  const sink = await openSink(`${path}/${settings.results}`);
  let ends: readonly System[] = [];
  const begun = performance.now();
  const timer = setInterval(() => { // cheaper than a hook
    progress.tick();
    ledger.refresh(files);
  }, 100);
  try {
    // Structures of a killed process that are only in the results, or only in the ledger, are relaxed again.
    if (sink.length > ledger.written) await sink.truncate(ledger.written);
    if (sink.length < ledger.written) await ledger.forgetAfter(sink.length);
    await runAll(screening, { ledger, counts, progress, sink });
    ends = await endsOf(sink);
  } finally {
    clearInterval(timer);
    await sink.close();
    await ledger.close(files);
  }
  progress.tick(true);
  const isComplete = counts.files === files.length && counts.done === counts.read;
  if (isComplete) run.completed();
  await storeOutcome(path, isComplete ? "completed" : "interrupted");
  const { writeFinalReport } = await import("../report/run_report.ts"); // not needed to begin
  await writeFinalReport(path, (message) => run.terminal.complain(message), {
    results: ledger.results,
    ends,
  });
  return printSummary(path, { settings, run, results: ledger.results, counts, begun });
}

/** Returns the first and the last structure of the results, for the pictures of the report. */
async function endsOf(sink: StoredSink): Promise<readonly System[]> {
  const { length } = sink;
  const at = async (from: number) => (await sink.slice({ from, to: from + 1 })).systems();
  return [...(length > 0 ? await at(0) : []), ...(length > 1 ? await at(length - 1) : [])];
}

interface Place {
  readonly ledger: Ledger;
  readonly counts: ScreenCounts;
  readonly progress: ScreenProgress;
  readonly sink: StreamParts["sink"];
}

async function runAll(screening: Screening, place: Place): Promise<void> {
  const { settings, run: { signal }, files, potential } = screening, { counts } = place;
  const engines = new Engines(screening);
  const failed = (failure: Failure) => note(screening, place, failedResult(failure));
  const parts: StreamParts = {
    engine: (isNew) => engines.get(isNew),
    sink: place.sink,
    settings,
    isGpu: potential.engine.device === "webgpu",
    signal,
    canDrop: settings.threads === 1 && potential.engine.device !== "webgpu",
    finished: (result) => note(screening, place, result),
    failed,
  };
  try {
    await relaxAll(waitingStructures(screening, place, failed), parts);
    if (!signal.aborted) counts.files = files.length;
  } finally {
    await engines.close();
  }
}

/** Yields the structures without a result that the model can relax. All others are passed to `failed`. */
async function* waitingStructures(
  { run: { signal }, files, formats, potential }: Screening,
  { ledger, counts }: Place,
  failed: (failure: Failure) => void,
): AsyncGenerator<Structure, void> {
  const gate = new Gate(potential.model);
  const order = new Map(files.map((file, i) => [file, i]));
  const reported = (failure: Failure) => {
    if (ledger.has(failure.file, failure.frame ?? null)) return;
    counts.read++;
    failed(failure);
  };
  for await (const structure of structuresIn(begun(files, ledger), formats, reported)) {
    if (signal.aborted) return;
    const { file, frame, system } = structure;
    const filesBefore = order.get(file) ?? counts.files;
    if (filesBefore !== counts.files) {
      Object.assign(counts, { files: filesBefore, inFiles: counts.read });
    }
    if (ledger.has(file, frame)) continue;
    counts.read++;
    counts.readAtoms += system.nodeCount;
    const refusal = await gate.refusal(structure);
    if (refusal === undefined) yield strippedStructure(structure);
    else failed({ file, frame, atoms: system.nodeCount, reason: refusal });
  }
}

/** Yields files, each after the ledger has noted its size and time. */
async function* begun(files: readonly string[], ledger: Ledger): AsyncGenerator<string> {
  for (const file of files) {
    await ledger.begin(file);
    yield file;
  }
}

/** Counts a result, adds it to the ledger, and prints it with `--json`. */
function note(
  { settings: { json }, run: { terminal } }: Screening,
  { ledger, counts }: Place,
  result: ScreenResult,
): void {
  counts.done++;
  counts.doneAtoms += result.atoms ?? 0;
  if (result.status === "failed") counts.failed++;
  if (result.status === "not converged") counts.unconverged++;
  ledger.add(result);
  if (json) terminal.print(JSON.stringify(result));
}

function failedResult({ file, frame, atoms, reason }: Failure): ScreenResult {
  return {
    type: "screened",
    file,
    frame: frame ?? null,
    atoms: atoms ?? null,
    status: "failed",
    steps: null,
    energy: null,
    fmax: null,
    // The row names the file and the frame, and the number of a system is that in a batch.
    reason: reason.replace(/ of system \d+(?: \(.*?\))?/, ""),
  };
}

/** The engine of a screening. After an error, another one replaces it. */
class Engines {
  readonly #screening: Screening;
  #engine: Dynamics | undefined;

  constructor(screening: Screening) {
    this.#screening = screening;
  }

  async get(isNew: boolean): Promise<Dynamics> {
    if (isNew) await this.close();
    return this.#engine ??= await this.#open();
  }

  async close(): Promise<void> {
    const engine = this.#engine;
    this.#engine = undefined;
    await engine?.close();
  }

  async #open(): Promise<Dynamics> {
    const { settings, run, potential } = this.#screening;
    const engine = await openEngine(settings, {
      model: potential.model,
      ...potential.engine,
      signal: run.signal,
      constraints: await constraintsOf(settings.constraints),
      onWarning: ({ error }) => warnOf(run, error),
      hooks: [convergenceHook(settings)],
    });
    for (const hook of await userHooks(settings.hooks)) engine.hooks.add(hook as never);
    run.page?.attach(engine);
    return engine;
  }
}
