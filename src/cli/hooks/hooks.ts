/**
 * The command `hooke hooks`.
 *
 * @module
 */

import { disposing } from "../../base/disposing.ts";
import { NVE } from "../../dynamics/integrators/nve.ts";
import type { HookListing } from "../../hooks/registry/listing.ts";
import { lennardJones } from "../../models/pair/lennard_jones.ts";
import { findHost } from "../../platform/host.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { UsageError } from "../frame/usage_error.ts";
import { userHooks } from "../run/user_hooks.ts";
import type { HooksSettings } from "./settings.ts";

/** One hook at one stage. */
interface PlannedHook {
  readonly stage: string;
  readonly hook: string;
  readonly when: string;
}

/** Lists hooks, or the hooks of each stage. */
export async function hooks({ files, json }: HooksSettings, run: CommandRun): Promise<number> {
  const [what, ...specs] = files;
  if (what !== "list" && what !== "plan") {
    throw new UsageError(
      `Cannot show hooks: pass list or plan first; got ${what ?? "nothing"}`,
    );
  }
  if (specs.length === 0) {
    throw new UsageError(`Cannot ${what} hooks: pass a run folder, or modules with hooks`);
  }
  const { listed, planned } = isRunFolder(specs[0]!)
    ? await ofRun(specs[0]!)
    : await ofModules(specs);
  const rows = what === "list" ? listed : planned;
  const lines = json
    ? rows.map((row) => JSON.stringify(row))
    : what === "list"
    ? table([["hook", "stages", "schedule", "reads", "writes"], ...listed.map(cellsOf)])
    : table(planned.map(({ stage, hook, when }) => [stage, hook, when]));
  for (const line of lines) run.terminal.print(line);
  return ExitCode.DONE;
}

interface Hooks {
  readonly listed: readonly HookListing[];
  readonly planned: readonly PlannedHook[];
}

/** Returns the hooks of the last record of a run. */
async function ofRun(folder: string): Promise<Hooks> {
  const { readRun } = await import("../../config/runs/read_run.ts");
  const listed = (await readRun(folder)).records.at(-1)?.hooks ?? [];
  const stages = [...new Set(listed.flatMap(({ stages }) => stages))];
  const planned = stages.flatMap((stage) =>
    listed.filter((hook) => hook.stages.includes(stage)).sort((a, b) => a.order - b.order)
      .map(({ name, frequency }) => ({ stage, hook: name, when: everyText(frequency) }))
  );
  return { listed, planned };
}

/** Adds the hooks of modules to an engine, and returns its lists. */
async function ofModules(specs: readonly string[]): Promise<Hooks> {
  const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
  return await disposing(new NVE({ model, dt: 1 }), async (engine) => {
    for (const hook of await userHooks(specs)) engine.hooks.add(hook as never);
    const planned = [...engine.hooks.plan().stages].flatMap(([stage, steps]) =>
      steps.map(({ hook, when }) => ({ stage, hook, when }))
    );
    return { listed: engine.hooks.list(), planned };
  });
}

function cellsOf(
  { name, enabled, stages, frequency, reads, writes }: HookListing,
): readonly string[] {
  return [
    enabled ? name : `${name} (off)`,
    stages.join(", ") || "begin and end",
    stages.length === 0 ? "" : everyText(frequency),
    reads.join(", "),
    writes.join(", "),
  ];
}

function everyText(frequency: number): string {
  return frequency === 1 ? "every step" : `every ${frequency} steps`;
}

/** Aligns the columns of rows. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]!.length))) ?? [];
  return rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i]!)).join("  ").trimEnd());
}

function isRunFolder(path: string): boolean {
  try {
    return !findHost()!.statSync(`${path}/config.json`).isDirectory;
  } catch {
    return false; // a module, whose import reports what is wrong
  }
}
