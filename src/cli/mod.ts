/**
 * Command line interface: `hooke COMMAND [options]`.
 *
 * @example Run a command from a program, and collect its output
 * ```ts
 * import { run } from "@hooke/hooke/cli";
 * import { assertEquals } from "@std/assert";
 *
 * const lines: string[] = [];
 * const terminal = { print: (line: string) => void lines.push(line), complain: () => {} };
 * const out = await Deno.makeTempDir();
 * assertEquals(await run(["demo", "--systems", "2", "--steps", "20", "--out", out], terminal), 0);
 * ```
 *
 * @module
 */

import { BackendUnavailableError } from "../backend/backend_unavailable_error.ts";
import { versions } from "../config/versions.ts";
import { didYouMean } from "../base/did_you_mean.ts";
import { DEMO, demo } from "./demo.ts";
import { commandHelp, programHelp, readOptions, UsageError } from "./options.ts";
import type { Terminal } from "./terminal.ts";

export { UsageError } from "./options.ts";
export type { Terminal } from "./terminal.ts";

const ABOUT = "Hooke runs step loops, and calls hooks at every stage of a step.";
const COMMANDS = [{ command: DEMO, run: demo }];
const NAMES = COMMANDS.map(({ command }) => command.name);

/**
 * Runs a command. Returns its exit code: 0 for success, 1 for a failure, 2 for wrong usage, 130 if it was
 * interrupted. Never throws.
 */
export async function run(
  args: readonly string[],
  terminal: Terminal,
  options: {
    /**
     * Signal that interrupts the command.
     *
     * @default undefined: the command runs to its end
     */
    readonly signal?: AbortSignal;
    /**
     * Command line that starts the program, as shown in help texts and errors.
     *
     * @default "hooke"
     */
    readonly program?: string;
  } = {},
): Promise<number> {
  const { signal = new AbortController().signal, program = "hooke" } = options;
  try {
    return await dispatch(args, terminal, signal, program);
  } catch (error) {
    if (error instanceof UsageError) {
      const command = NAMES.includes(args[0]!) ? ` ${args[0]}` : "";
      terminal.complain(error.message);
      terminal.complain(`For help run: ${program}${command} --help`);
      return 2;
    }
    if (error instanceof BackendUnavailableError) {
      terminal.complain(error.message);
      return 1;
    }
    terminal.complain(error instanceof Error ? error.stack ?? error.message : String(error));
    return 1;
  }
}

async function dispatch(
  args: readonly string[],
  terminal: Terminal,
  signal: AbortSignal,
  program: string,
): Promise<number> {
  const [first, ...rest] = args[0] === "--" ? args.slice(1) : args;
  const isHelp = first === undefined || first === "--help" || first === "-h" || first === "help";
  if (isHelp && rest[0] === undefined) {
    terminal.print(programHelp(program, ABOUT, COMMANDS.map(({ command }) => command)));
    return 0;
  }
  if (first === "--version" || first === "-V") {
    terminal.print(versions().hooke);
    return 0;
  }
  const found = findCommand(isHelp ? rest[0]! : first!);
  const values = isHelp ? undefined : readOptions(found.command, rest);
  if (values === undefined || values.has("help")) {
    terminal.print(commandHelp(program, found.command));
    return 0;
  }
  await found.run(values, terminal, signal);
  return signal.aborted ? 130 : 0;
}

function findCommand(name: string): typeof COMMANDS[number] {
  const found = COMMANDS.find(({ command }) => command.name === name);
  if (found !== undefined) return found;
  throw new UsageError(
    `Unknown command ${name}; the commands are ${NAMES.join(", ")}${didYouMean(name, NAMES)}`,
  );
}
