/**
 * What a command checks and prepares before it serves the page.
 *
 * @module
 */

import { preparePage } from "../../page/assets.ts";
import { pageAsset } from "../../page/server/page_assets.ts";
import { askToConnect, findHost, mayConnect } from "../../platform/host.ts";
import type { CommandRun } from "../frame/command.ts";
import { startText } from "../frame/permission.ts";

/**
 * Checks that the command may listen on an address, and builds the page of a clone if it is missing. In a terminal,
 * Deno asks for a missing permission, after a line that says why it is needed.
 *
 * @throws {Error} if the page cannot be served; the message says what to type
 */
export async function openPage(host: string, run: CommandRun): Promise<void> {
  checkMayListen(host, run);
  await preparePage(() => run.terminal.complain("Building the page, which takes a few seconds"));
  await pageAsset("/");
}

function checkMayListen(host: string, run: CommandRun): void {
  const deno = findHost()!, name = host.includes(":") ? `[${host}]` : host;
  if (mayConnect(deno, name)) return;
  if (run.terminal.progress?.isTerminal) {
    run.terminal.complain(`The page is served on ${host}, and Deno asks whether it may be:`);
  }
  if (askToConnect(deno, name)) return;
  throw new Error(
    `Cannot serve the page: Deno may not listen on ${host}. ${
      startText(`--allow-net=${name}`, run)
    }`,
  );
}
