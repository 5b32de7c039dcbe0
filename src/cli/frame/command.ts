/**
 * Commands of the program.
 *
 * @module
 */

import type { WatchedEngine } from "../../page/feed/watched_engine.ts";
import type { Terminal } from "../terminal.ts";
import type { Option, OptionsOf } from "./option.ts";

/** A page that shows the run of a command. */
export interface RunPage {
  /** Shows an engine. */
  attach(engine: WatchedEngine, isShared?: boolean): void;
  /** Shows a warning. */
  warn(message: string): void;
  /** Shows the files of the run folder, which must exist. */
  openFolder(path: string): Promise<void>;
}

/** Everything that a command receives besides its settings. */
export interface CommandRun {
  /** Output of the command. */
  readonly terminal: Terminal;
  /** Signal that interrupts the command. Its reason is the name of the operating system's signal. */
  readonly signal: AbortSignal;
  /** States that the work is complete, so that a signal which came too late does not change the exit code. */
  readonly completed: () => void;
  /** Makes a further signal of the operating system abort `signal`; undefined if there are no such signals. */
  readonly stopOn: ((name: string) => void) | undefined;
  /** Command line that starts the program, as shown in messages. */
  readonly program: string;
  /** Arguments of the program. */
  readonly args: readonly string[];
  /** All commands of the program. */
  readonly commands: readonly ListedCommand[];
  /** Members of the settings that the command line or a configuration file gives. */
  readonly given: ReadonlySet<string>;
  /** Page that shows the run; undefined without `--watch`. */
  readonly page?: RunPage;
}

/** Exit codes of commands. Interrupted commands end with 128 plus the number of the signal. */
export const ExitCode = {
  /** The command has done its work. */
  DONE: 0,
  /** An error has ended the command. */
  FAILED: 1,
  /** The command line is wrong. */
  USAGE: 2,
  /** The command has ended, but some structures have not converged or have failed. */
  INCOMPLETE: 3,
} as const;

/** A function that performs a command, and returns its exit code. */
export type Action<S> = (settings: S, run: CommandRun) => Promise<number>;

/** A command of the program, with settings `S`. */
export interface Command<S extends object> {
  /** Name of the command, as the user types it. */
  readonly name: string;
  /** Description in the help, on one line. */
  readonly summary: string;
  /** Options by the members of the settings. */
  readonly options: OptionsOf<S>;
  /** Example command lines without the program's name, each with a description of its effect. */
  readonly examples: readonly (readonly [command: string, shows: string])[];
  /** Further paragraphs of the help. */
  readonly notes?: readonly string[];
  /** Loads the code of the command, which help and completions do not need. */
  load(): Promise<Action<S>>;
}

/** A command as the frame treats it, which does not know its settings. */
export interface AnyCommand extends Omit<Command<object>, "options" | "load"> {
  readonly options: Readonly<Record<string, Option<unknown>>>;
  load(): Promise<Action<never>>;
}

/** A command in the list of all commands. Its options are loaded when they are needed. */
export interface ListedCommand {
  readonly name: string;
  readonly summary: string;
  open(): Promise<AnyCommand>;
}
