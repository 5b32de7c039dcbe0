/**
 * The command line: `hooke COMMAND [options]`.
 *
 * @example Running a command from a program, with its output in a list
 * ```ts
 * import { run } from "@hooke/hooke/cli";
 * import { assertEquals } from "@std/assert";
 *
 * const lines: string[] = [];
 * const terminal = { print: (line: string) => void lines.push(line), complain: () => {} };
 * assertEquals(await run(["demo", "--steps", "20"], terminal), 0);
 * ```
 *
 * @module
 */

import { versions } from "../config/versions.ts";
import { didYouMean } from "../hooks/nearest.ts";
import { DEMO, demo } from "./demo.ts";
import { commandHelp, programHelp, readOptions, UsageError } from "./options.ts";
import type { Terminal } from "./terminal.ts";

export { UsageError } from "./options.ts";
export type { Terminal } from "./terminal.ts";

const ABOUT = "Hooke runs step loops and lets hooks into every stage of them.";
const COMMANDS = [{ command: DEMO, run: demo }];
const NAMES = COMMANDS.map(({ command }) => command.name);

/**
 * Runs a command; answers with its exit code: 0, 1 when it failed, 2 when it was not understood, 130 when it was
 * interrupted. Never throws.
 */
export async function run(
  args: readonly string[],
  terminal: Terminal,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  try {
    return await dispatch(args, terminal, signal);
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.complain(error.message);
      terminal.complain("hooke --help tells what there is.");
      return 2;
    }
    terminal.complain(error instanceof Error ? error.stack ?? error.message : String(error));
    return 1;
  }
}

async function dispatch(
  args: readonly string[],
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const [first, ...rest] = args;
  if (first === undefined || first === "--help" || first === "-h" || first === "help") {
    terminal.print(programHelp("hooke", ABOUT, COMMANDS.map(({ command }) => command)));
    return 0;
  }
  if (first === "--version" || first === "-V") {
    terminal.print(versions().hooke);
    return 0;
  }
  const found = COMMANDS.find(({ command }) => command.name === first);
  if (found === undefined) {
    throw new UsageError(
      `Cannot run ${first} as the commands are ${NAMES.join(", ")}${didYouMean(first, NAMES)}`,
    );
  }
  const values = readOptions(found.command, rest);
  if (values.has("help")) {
    terminal.print(commandHelp("hooke", found.command));
    return 0;
  }
  await found.run(values, terminal, signal);
  return signal.aborted ? 130 : 0;
}
