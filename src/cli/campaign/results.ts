/**
 * The command `hooke results`.
 *
 * @module
 */

import { Batch } from "../../batch/batch.ts";
import { storeOf, type System, systemOf } from "../../batch/system.ts";
import { type ListedItem, readItems } from "../../campaign/folder/item_files.ts";
import { structureOf } from "../../campaign/item/structure_text.ts";
import { readCampaign } from "../../campaign/folder/campaign_folder.ts";
import { compactStore } from "../../campaign/store/compact_store.ts";
import type { ItemResult } from "../../campaign/store/result.ts";
import { writeStructures } from "../../formats/files.ts";
import { formatOfPath } from "../../formats/registry.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { UsageError } from "../frame/usage_error.ts";
import { formatOptionsOf } from "../run/format_options.ts";
import { writeToSink } from "../run/replaced_file.ts";
import { checkOutput } from "../run/results.ts";
import type { ResultsSettings } from "./settings.ts";
import { complainOfFaults, folderOf, openCampaign } from "./status.ts";

/** Where the structure of an item came from. */
type Source = Pick<ListedItem, "source" | "info" | "seed">;

/** Lists the results of a campaign, and writes the final structures. */
export async function results(settings: ResultsSettings, run: CommandRun): Promise<number> {
  const folder = folderOf(settings.files, "read the results of"), { output } = settings;
  if (output !== undefined) checkOutput(output, settings.overwrite);
  if (settings.compact) return await compact(folder, settings, run);
  const { recipe, store } = await openCampaign(folder);
  const status = settings.status?.replace("-", " ");
  const wanted = store.all().filter((one) => status === undefined || one.status === status);
  const sources = new Map<string, Source>();
  const ids = new Set(wanted.map(({ id }) => id));
  for await (const { id, source, info, seed } of readItems(folder, recipe, (id) => ids.has(id))) {
    sources.set(id, { source, seed, ...info !== undefined && { info } });
  }
  wanted.sort((a, b) => bySource(sources.get(a.id), sources.get(b.id)));
  let damaged = 0, written = 0;
  async function* read(): AsyncGenerator<ItemResult, void> {
    for (const { id } of wanted) {
      run.signal.throwIfAborted();
      try {
        const result = await store.get(id);
        if (result !== undefined) yield result;
      } catch (error) {
        damaged++;
        run.terminal.complain(error instanceof Error ? error.message : String(error));
      }
    }
  }
  async function* systems(): AsyncGenerator<System, void> {
    for await (const result of read()) {
      if (result.structure === undefined) continue;
      written++;
      yield finalOf(result, sources.get(result.id));
    }
  }
  if (output !== undefined) {
    const formats = await formatOptionsOf(settings, (message) => run.terminal.complain(message));
    if (formatOfPath(output) !== undefined) await writeStructures(output, systems(), formats);
    else {
      await writeToSink(output, async (sink) => {
        for await (const system of systems()) await sink.write(Batch.from([system]));
      });
    }
    const count = written === 1 ? "1 structure" : `${written} structures`;
    run.terminal.print(
      settings.json
        ? JSON.stringify({ type: "written", file: output, structures: written })
        : `Wrote ${count} to ${output}`,
    );
  } else {
    for await (const result of read()) print(result, sources.get(result.id), settings, run);
    if (wanted.length === 0 && !settings.json) {
      run.terminal.print(
        status === undefined
          ? "No structure has a result"
          : `No structure has the status ${status}`,
      );
    }
  }
  complainOfFaults(store, run);
  run.completed();
  return damaged > 0 || store.faults.length > 0 ? ExitCode.FAILED : ExitCode.DONE;
}

/** Orders names as people do: `2.xyz` comes before `10.xyz`. */
const NAMES = new Intl.Collator("en", { numeric: true });

/** Compares the sources of two results: by the name of the file and the frame, then by the seed. */
function bySource(a: Source | undefined, b: Source | undefined): number {
  return NAMES.compare(a?.source ?? "", b?.source ?? "") || (a?.seed ?? 0) - (b?.seed ?? 0);
}

async function compact(
  folder: string,
  { json, status, output }: ResultsSettings,
  { terminal, completed }: CommandRun,
): Promise<number> {
  if (status !== undefined || output !== undefined) {
    throw new UsageError("Cannot use --compact with --status or --output: it changes no result");
  }
  await readCampaign(folder);
  const { results, removed, kept } = await compactStore(folder);
  completed();
  terminal.print(
    json
      ? JSON.stringify({ type: "compacted", folder, results, removed, kept })
      : `Merged ${results} results: ${removed} files were removed, ${kept} kept`,
  );
  return ExitCode.DONE;
}

/** Returns the final structure of a result, with the user data of its source. */
function finalOf({ id, structure }: ItemResult, source: Source | undefined): System {
  const info = { ...source?.info, file: source?.source ?? "", item: id };
  return systemOf({ ...storeOf(structureOf(structure)), infos: [info] });
}

function print(
  { id, status, reason, energy, stages }: ItemResult,
  source: Source | undefined,
  { json }: ResultsSettings,
  { terminal }: CommandRun,
): void {
  const from = source?.source ?? "", last = stages.at(-1);
  if (json) {
    const known = Number.isFinite(energy) ? energy : null;
    const facts = { type: "result", id, source: from, seed: source?.seed ?? null, status };
    terminal.print(JSON.stringify({ ...facts, energy: known, reason, stages }));
    return;
  }
  const name = from === "" ? id.slice(0, 12) : from;
  const seed = source === undefined || source.seed === 0 ? "" : ` seed ${source.seed}`;
  const what = status === "failed"
    ? reason
    : `energy ${energy.toFixed(6)} eV  fmax ${last!.fmax.toPrecision(3)} eV/Å`;
  terminal.print(`${id.slice(0, 12)}  ${status.padEnd(13)}  ${name}${seed}  ${what}`);
}
