/**
 * Array jobs of schedulers.
 *
 * @module
 */

import { reasonOf } from "../../base/show.ts";
import { builtin } from "../../platform/process.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { programFor, shellWord } from "../frame/permission.ts";
import { UsageError } from "../frame/usage_error.ts";
import { quoted, SCRIPTS } from "./scripts.ts";
import type { SubmitSettings } from "./settings.ts";

/** Returns the script of the array job of a campaign. */
export function scriptOf(
  folder: string,
  settings: SubmitSettings,
  { program }: CommandRun,
): string {
  const { scheduler = "slurm", tasks, time, directive, batchAtoms, allowModules } = settings;
  const path = builtin("node:path").resolve(folder);
  return SCRIPTS[scheduler]({
    folder: path,
    tasks,
    time,
    directives: directive,
    program: settings.program ?? programFor(program, path),
    options: [
      " --quiet",
      ...batchAtoms === 8192 ? [] : [` --batch-atoms ${batchAtoms}`],
      ...allowModules === "none" ? [] : [` --allow-modules ${quoted(allowModules)}`],
    ].join(""),
    name: path.replace(/^.*[/\\]/, "").replaceAll(/[^\w.-]+/g, "-").slice(0, 15),
  });
}

/** Throws a UsageError if options of array jobs do not fit together. */
export function assertScheduler(
  { scheduler, print, local }: SubmitSettings,
  run: CommandRun,
): void {
  if (scheduler === undefined) {
    const other = ["print", "tasks", "time", "directive", "program"].find((name) =>
      run.given.has(name)
    );
    if (other === undefined) return;
    throw new UsageError(`Cannot use --${other}: it has no effect without --scheduler`);
  }
  if (local) throw new UsageError("Cannot use --local: the tasks of --scheduler compute");
  if (scheduler === "slurm" || print) return;
  throw new UsageError(
    `Cannot submit to ${scheduler}: pass --print, and submit what it prints by the program of the scheduler`,
  );
}

/**
 * Writes the script of the array job into the campaign's folder, and submits it to Slurm. Returns the exit code.
 *
 * @throws {Error} if `sbatch` cannot be started, or refuses the script
 */
export async function submitArray(
  folder: string,
  settings: SubmitSettings,
  run: CommandRun,
): Promise<number> {
  const fs = builtin("node:fs/promises"), path = `${folder}/job.sh`;
  await fs.mkdir(`${folder}/logs`, { recursive: true });
  await fs.writeFile(path, scriptOf(folder, settings, run), { mode: 0o755 });
  const { execFileSync } = builtin("node:child_process");
  let id: string;
  try {
    id = String(
      execFileSync("sbatch", ["--parsable", path], { stdio: ["ignore", "pipe", "pipe"] }),
    );
  } catch (error) {
    const { stderr, code } = error as { readonly stderr?: Uint8Array; readonly code?: unknown };
    const text = stderr === undefined ? "" : new TextDecoder().decode(stderr).trim();
    const reason = code === "ENOENT"
      ? "this machine has no command sbatch. Run it where jobs are submitted, or pass --print"
      : text || reasonOf(error);
    throw new Error(`Cannot submit ${path}: ${reason}`, { cause: error });
  }
  const job = id.trim().split(";")[0]!;
  const { terminal, program } = run;
  if (settings.json) {
    terminal.print(JSON.stringify({ type: "job", id: job, tasks: settings.tasks, script: path }));
  } else {
    terminal.print(`Submitted the array job ${job} of ${settings.tasks} tasks: ${path}`);
    terminal.print(`To see how far it is, run: ${program} status ${shellWord(folder)}`);
  }
  return ExitCode.DONE;
}
