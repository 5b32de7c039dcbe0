/**
 * The folder of a package, which a task may replace only if an earlier run of the task has written it.
 *
 * @module
 */

/** File in a package's folder that names the task which wrote it. It is not part of the package. */
const MARKER = ".written_by_task";

/**
 * Removes the content of the folder of a package, and creates the folder if it is missing. The new folder has a mark of
 * the task, so that the task may replace it again, even if it failed before the package was complete.
 *
 * @throws {Error} if the folder has other content, or is a file; nothing is removed then
 */
export async function emptyPackageFolder(folder: string, task: string): Promise<void> {
  if (!await isReplaceable(folder, task)) {
    throw new Error(
      `Cannot write the package: ${folder} is not empty and was not written by this task. Choose another folder, or remove it`,
    );
  }
  await Deno.mkdir(folder, { recursive: true });
  for await (const { name } of Deno.readDir(folder)) {
    await Deno.remove(`${folder}/${name}`, { recursive: true });
  }
  await Deno.writeTextFile(`${folder}/${MARKER}`, markOf(task));
}

async function isReplaceable(folder: string, task: string): Promise<boolean> {
  try {
    for await (const _ of Deno.readDir(folder)) return await isMarked(folder, task);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    if (error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}

async function isMarked(folder: string, task: string): Promise<boolean> {
  try {
    return await Deno.readTextFile(`${folder}/${MARKER}`) === markOf(task);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function markOf(task: string): string {
  return `deno task ${task} of Hooke wrote this folder, and replaces it\n`;
}
