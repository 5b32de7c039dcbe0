/**
 * The user's browser.
 *
 * @module
 */

import { builtin, findProcess } from "./process.ts";

/** Programs that open an address, by operating system. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/**
 * Opens an address in the user's browser.
 *
 * @throws {Error} if no program could be started, or Deno may not start one; the message says what to do
 */
export async function openInBrowser(url: string): Promise<void> {
  const [program, ...args] = OPENERS[findProcess()!.platform] ?? ["xdg-open"];
  try {
    const child = builtin("node:child_process").spawn(program, [...args, url], {
      stdio: "ignore",
      detached: true,
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
    child.unref();
  } catch (cause) {
    const { code, message } = cause as { readonly code?: string; readonly message: string };
    const reason = code === "ENOENT" ? `there is no ${program}` : message;
    throw new Error(`Cannot open a browser: ${reason}. Open the address yourself`, { cause });
  }
}
