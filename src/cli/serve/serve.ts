/**
 * The command `hooke serve`.
 *
 * @module
 */

import { FolderShelf } from "../../page/feed/run_shelf.ts";
import { pageAsset } from "../../page/server/page_assets.ts";
import { servePage } from "../../page/server/serve_page.ts";
import { openInBrowser } from "../../platform/open_browser.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { UsageError } from "../frame/usage_error.ts";
import { kindOf } from "../run/path_kind.ts";
import { openPage } from "../watch/open_page.ts";
import type { ServeSettings } from "./settings.ts";

/** Serves the page of runs until it is interrupted. */
export async function serve(settings: ServeSettings, run: CommandRun): Promise<number> {
  const { host, port, open, json } = settings;
  checkPort(port, "--port");
  const folders = settings.folders.length === 0
    ? ["."]
    : settings.folders.map((folder) => folder.replace(/(.)[/\\]+$/, "$1"));
  for (const folder of folders) checkFolder(folder);
  const shelf = new FolderShelf(folders);
  const runs = await shelf.list();
  for (const [path, reason] of shelf.damaged) {
    run.terminal.complain(`Warning: ${path} is not shown: ${reason}`);
  }
  await openPage(host, port, run); // fails now rather than in the browser
  const page = await servePage({ shelf, host, port, assets: pageAsset });
  try {
    const { url, warning } = page;
    if (warning !== undefined) run.terminal.complain(`Warning: ${warning}`);
    const what = runs.length === 0
      ? "no runs yet; those that begin below are shown"
      : runs.length === 1
      ? `run ${runs[0]!.name}`
      : `${runs.length} runs`;
    run.terminal.print(
      json ? JSON.stringify({ type: "page", url }) : `Serving ${what}; Ctrl-C stops:\n${url}`,
    );
    if (open) await openInBrowser(url).catch((error) => run.terminal.complain(error.message));
    await aborted(run.signal);
  } finally {
    await page.close();
  }
  run.completed(); // Ctrl-C is how the command ends
  return ExitCode.DONE;
}

/** Throws a UsageError if a number is no port. */
export function checkPort(port: number, flag: string): void {
  if (port <= 65_535) return;
  throw new UsageError(`Cannot use ${flag} ${port}: a port is at most 65535`);
}

function checkFolder(folder: string): void {
  const kind = kindOf(folder);
  if (kind === "folder") return;
  throw new UsageError(
    kind === undefined
      ? `Cannot serve ${folder}: there is no such folder`
      : `Cannot serve ${folder}: it is a file. Pass a run folder, or a folder with run folders in it`,
  );
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
