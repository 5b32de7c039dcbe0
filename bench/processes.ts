/**
 * Scripts that measure, in processes of their own.
 *
 * @module
 */

import { fileURLToPath } from "node:url";

/**
 * Runs a script of this folder several times, and returns what each run prints, parsed as JSON. Throws an `Error` if
 * the script fails.
 */
export async function printedBy<T>(
  script: string,
  { args = [], flags = [], times }: {
    readonly args?: readonly string[];
    /** For Deno. */
    readonly flags?: readonly string[];
    readonly times: number;
  },
): Promise<T[]> {
  const all: T[] = [];
  for (let i = 0; i < times; i++) {
    const { success, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", ...flags, fileURLToPath(new URL(script, import.meta.url)), ...args],
      stderr: "inherit",
    }).output();
    if (!success) throw new Error(`Cannot measure ${script}: its process must end well`);
    all.push(JSON.parse(new TextDecoder().decode(stdout)));
  }
  return all;
}
