/**
 * What a command checks and prepares before it serves the page.
 *
 * @module
 */

import { preparePage } from "../../page/assets.ts";
import { pageAsset } from "../../page/server/page_assets.ts";
import { askToConnect, findHost, mayConnect, netAddress } from "../../platform/host.ts";
import type { CommandRun } from "../frame/command.ts";
import { startText } from "../frame/permission.ts";

/**
 * Checks that the command may listen on an address, and builds the page of a clone if it is missing. In a terminal,
 * Deno asks for a missing permission, after a line that says why it is needed.
 *
 * @throws {Error} if the page cannot be served; the message says what to type
 */
export async function openPage(host: string, port: number, run: CommandRun): Promise<void> {
  checkMayListen(host, port, run);
  await preparePage(() => run.terminal.complain("Building the page, which takes a few seconds"));
  await pageAsset("/");
}

function checkMayListen(host: string, port: number, run: CommandRun): void {
  const deno = findHost()!, address = netAddress(host, port);
  if (mayConnect(deno, address)) return;
  if (run.terminal.progress?.isTerminal) {
    run.terminal.complain(`The page is served on ${host}, and Deno asks whether it may be:`);
  }
  if (askToConnect(deno, address)) return;
  throw new Error(
    `Cannot serve the page: Deno may not listen on ${host}. ${
      startText(`--allow-net=${netAddress(host, 0)}`, run)
    }`,
  );
}
