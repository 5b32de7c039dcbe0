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

import { didYouMean } from "../base/did_you_mean.ts";
import { COMMANDS } from "./commands.ts";
import { type Action, type CommandRun, ExitCode, type ListedCommand } from "./frame/command.ts";
import { failureText } from "./frame/failure.ts";
import { permissionText } from "./frame/permission.ts";
import { programHelp } from "./frame/program_help.ts";
import { UsageError } from "./frame/usage_error.ts";
import { type Terminal, withPaintedProgress } from "./terminal.ts";

export { UsageError } from "./frame/usage_error.ts";
export type { Terminal } from "./terminal.ts";

const ABOUT = "Hooke relaxes structures and runs molecular dynamics with potentials in ONNX files.";

/**
 * Runs a command. Returns its exit code: 0 for success, 1 for a failure, 2 for wrong usage, 3 if structures have not
 * converged or have failed, 130 if it was interrupted, 143 if it was terminated, 129 if
 * its terminal was closed. Never throws.
 */
export async function run(
  args: readonly string[],
  given: Terminal,
  options: {
    /**
     * Signal that interrupts the command. Its reason may be the name of a signal of the operating system, such as
     * `"SIGTERM"`.
     *
     * @default undefined: the command runs to its end
     */
    readonly signal?: AbortSignal;
    /**
     * Function by which a command asks for a further signal of the operating system to abort `signal`, such as
     * `"SIGUSR1"`.
     *
     * @default undefined: the option `--signal` has no effect
     */
    readonly stopOn?: (name: string) => void;
    /**
     * Command line that starts the program, as shown in help texts and errors.
     *
     * @default "hooke"
     */
    readonly program?: string;
  } = {},
): Promise<number> {
  const { signal = new AbortController().signal, program = "hooke", stopOn } = options;
  const terminal = withPaintedProgress(given);
  let isComplete = false;
  const completed = () => void (isComplete = true);
  const surroundings = { terminal, signal, program, args, stopOn, completed, commands: COMMANDS };
  try {
    const code = await dispatch(args, surroundings);
    return signal.aborted && !isComplete ? (await import("./stop.ts")).exitCodeOf(signal) : code;
  } catch (error) {
    if (signal.aborted && (error === signal.reason || isAbort(error))) {
      terminal.complain("Interrupted");
      return (await import("./stop.ts")).exitCodeOf(signal);
    }
    if (error instanceof UsageError) {
      const command = COMMANDS.some(({ name }) => name === args[0]) ? ` ${args[0]}` : "";
      terminal.complain(permissionText(error.message, { program, args }) ?? error.message);
      terminal.complain(`For help run: ${program}${command} --help`);
      return ExitCode.USAGE;
    }
    terminal.complain(failureText(error, { program, args }));
    return ExitCode.FAILED;
  }
}

async function dispatch(
  args: readonly string[],
  surroundings: Omit<CommandRun, "given">,
): Promise<number> {
  const { terminal, program } = surroundings;
  const [first, ...rest] = args[0] === "--" ? args.slice(1) : args;
  const isHelp = first === undefined || first === "--help" || first === "-h" || first === "help";
  if (isHelp && rest[0] === undefined) {
    terminal.print(programHelp(program, ABOUT, COMMANDS));
    return ExitCode.DONE;
  }
  if (first === "--version" || first === "-V") {
    const { versions } = await import("../config/versions.ts");
    terminal.print(versions().hooke);
    return ExitCode.DONE;
  }
  const named = isHelp ? undefined : await commandOfConfig([first!, ...rest]);
  if (named !== undefined) return await dispatch([named, first!, ...rest], surroundings);
  const command = await findCommand(isHelp ? rest[0]! : first!).open();
  // Loaded late, like the table of the command: the list of commands needs none of them.
  const { parseLine } = await import("./frame/parse.ts");
  const { given: line, wantsHelp } = isHelp
    ? { given: new Map(), wantsHelp: true }
    : parseLine(command, rest);
  if (wantsHelp) {
    const { commandHelp } = await import("./frame/help.ts");
    terminal.print(commandHelp(program, command));
    return ExitCode.DONE;
  }
  const path = line.get("config")?.[0];
  const config = path === undefined
    ? undefined
    : await (await import("./frame/config_file.ts")).readConfigFile(path, command.name);
  const { settle } = await import("./frame/settings.ts");
  const { settings, given } = settle(command, line, config);
  const action = await command.load() as Action<object>;
  return await action(settings, { ...surroundings, given });
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/** Returns the command that a configuration file names, if the arguments begin with an option; otherwise undefined. */
async function commandOfConfig(args: readonly string[]): Promise<string | undefined> {
  const at = args.findIndex((arg) => /^--config(=|$)/.test(arg));
  if (!args[0]!.startsWith("-") || at < 0) return undefined;
  const path = /^--config=(.*)$/s.exec(args[at]!)?.[1] ?? args[at + 1];
  if (path === undefined) {
    throw new UsageError("Cannot use --config: a value is required, as in --config run.json");
  }
  return await (await import("./frame/config_file.ts")).commandIn(path);
}

function findCommand(name: string): ListedCommand {
  const found = COMMANDS.find((command) => command.name === name);
  if (found !== undefined) return found;
  const names = COMMANDS.map(({ name }) => name);
  throw new UsageError(
    `Unknown command ${name}; the commands are ${names.join(", ")}${didYouMean(name, names)}`,
  );
}
