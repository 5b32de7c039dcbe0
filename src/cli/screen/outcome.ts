/**
 * The outcome of a screening, as its folder stores it.
 *
 * @module
 */

import { removeFile, textIn } from "../../config/runs/run_files.ts";
import { writeWhole } from "../../checkpoint/mod.ts";

const pathIn = (folder: string) => `${folder}/outcome.json`;

/** Removes the outcome of an earlier part, because the screening runs again. */
export async function forgetOutcome(folder: string): Promise<void> {
  await removeFile(pathIn(folder));
}

/** Stores the outcome of a screening that has ended. */
export async function storeOutcome(
  folder: string,
  outcome: "completed" | "interrupted",
): Promise<void> {
  const bytes = new TextEncoder().encode(`${JSON.stringify({ outcome })}\n`);
  await writeWhole(pathIn(folder), bytes, "outcome");
}

/** Returns the outcome in a folder; undefined while the screening runs, or if its process was killed. */
export async function outcomeIn(folder: string): Promise<string | undefined> {
  const text = await textIn(pathIn(folder));
  return text === undefined ? undefined : String(JSON.parse(text).outcome);
}
