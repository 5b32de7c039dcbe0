/**
 * The command `hooke submit`.
 *
 * @module
 */

import { createCampaign } from "../../campaign/folder/campaign_folder.ts";
import { addItems, type ListedItem, type Submission } from "../../campaign/folder/item_files.ts";
import { makeItem } from "../../campaign/item/item.ts";
import type { CheckedRecipe } from "../../campaign/recipe/recipe.ts";
import { reasonOf } from "../../base/show.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { programFor, shellWord } from "../frame/permission.ts";
import { UsageError } from "../frame/usage_error.ts";
import { counted } from "../run/counted.ts";
import { assertPlace } from "./place.ts";
import { formatOptionsOf } from "../run/format_options.ts";
import { checkFolderPermission } from "../run/writable.ts";
import { type Failure, filesOf, structuresIn } from "../screen/sources.ts";
import { readRecipeFile } from "./recipe_file.ts";
import { assertScheduler, scriptOf, submitArray } from "./scheduler.ts";
import type { SubmitSettings } from "./settings.ts";

/** Options that only queues have, and those that only folders have. */
const QUEUE_ONLY = ["priority", "store", "queueName", "creds", "replicas", "lease"];
const FOLDER_ONLY = [
  "out",
  "local",
  "scheduler",
  "tasks",
  "time",
  "directive",
  "program",
  "print",
  "seeds",
];

/** Options that have no effect if there is a folder and a queue. */
const NOT_WITH_BOTH = [
  ...FOLDER_ONLY.filter((name) => name !== "out" && name !== "seeds"),
  "store", // the folder is the store
];

/** Adds structures to a campaign. */
export async function submit(settings: SubmitSettings, run: CommandRun): Promise<number> {
  // With both, the folder has the structures, and the queue those without a result.
  const isBoth = settings.queue !== undefined && settings.out !== undefined;
  assertPlace(settings, run, QUEUE_ONLY, isBoth ? NOT_WITH_BOTH : FOLDER_ONLY);
  if (settings.queue !== undefined && !isBoth) {
    return await (await import("../queue/submit.ts")).submit(settings, run);
  }
  assertScheduler(settings, run);
  const [recipeFile, ...inputs] = settings.files;
  if (recipeFile === undefined) {
    throw new UsageError("Cannot submit nothing: pass a recipe and structures");
  }
  const recipe = await readRecipeFile(recipeFile);
  const files = inputs.length === 0 ? [] : await filesOf(inputs);
  const folder = settings.out ?? `${stem(recipeFile)}-campaign`;
  if (settings.print) {
    for (const line of scriptOf(folder, settings, run).trimEnd().split("\n")) {
      run.terminal.print(line);
    }
    return ExitCode.DONE;
  }
  checkFolderPermission(folder, run);
  const failures: Failure[] = [];
  const items = itemsOf(settings, run, { recipe, files, failed: (one) => failures.push(one) });
  await createCampaign(folder, recipe);
  const submission = await addItems(folder, items);
  report(folder, settings, run, { submission, failures });
  run.completed();
  if (isBoth) {
    const { submitFolder } = await import("../queue/submit.ts");
    const code = await submitFolder(folder, settings, run);
    if (code !== ExitCode.DONE) return code;
  } else if (settings.local) {
    const { workOn } = await import("./work.ts");
    const code = await workOn(folder, settings, run);
    if (code !== ExitCode.DONE) return code;
  } else if (settings.scheduler !== undefined) {
    await submitArray(folder, settings, run);
  } else if (!settings.json) {
    run.terminal.print(
      `To compute them here, run: ${programFor(run.program, folder)} work ${shellWord(folder)}`,
    );
  }
  return failures.length > 0 ? ExitCode.INCOMPLETE : ExitCode.DONE;
}

function stem(path: string): string {
  return path.replace(/^.*[/\\]/, "").replace(/\.[^.]*$/, "") || "hooke";
}

async function* itemsOf(
  settings: SubmitSettings,
  { signal, terminal }: CommandRun,
  { recipe, files, failed }: {
    readonly recipe: CheckedRecipe;
    readonly files: readonly string[];
    readonly failed: (failure: Failure) => void;
  },
): AsyncGenerator<ListedItem, void> {
  const formats = await formatOptionsOf(settings, (message) => terminal.complain(message));
  let hasWarned = false;
  for await (const { system, label } of structuresIn(files, formats, failed)) {
    signal.throwIfAborted();
    const { constraints, ...info } = system.info;
    if (constraints !== undefined && !hasWarned) {
      hasWarned = true;
      terminal.complain(
        `Warning: ${label} has constraints other than fixed atoms, which a campaign does not apply`,
      );
    }
    for (let k = 0; k < settings.seeds; k++) {
      const item = await makeItem(system, recipe, settings.seed + k);
      yield { ...item, source: label, ...isWritable(info) && { info } };
    }
  }
}

/** Returns whether user data is worth storing: JSON has all of it. */
function isWritable(info: Readonly<Record<string, unknown>>): boolean {
  const values = Object.values(info);
  return values.length > 0 &&
    values.every((value) => ["string", "number", "boolean"].includes(typeof value));
}

function report(
  folder: string,
  { json }: SubmitSettings,
  { terminal }: CommandRun,
  { submission: { items, added }, failures }: {
    readonly submission: Submission;
    readonly failures: readonly Failure[];
  },
): void {
  for (const { file, frame, reason } of failures) {
    const source = frame === undefined ? file : `${file}@${frame}`;
    terminal.complain(`Cannot submit ${source}: ${reasonOf(reason)}`);
  }
  if (json) {
    const unread = failures.length;
    terminal.print(JSON.stringify({ type: "submitted", folder, items, added, unread }));
    return;
  }
  const known = items - added, more = known === 0 ? "" : `; ${known} were there already`;
  terminal.print(`Added ${counted(added, "structure")} to the campaign ${folder}${more}`);
}
