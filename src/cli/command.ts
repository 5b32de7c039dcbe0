/**
 * The `hooke` command as a program, with its arguments, terminal, signals and exit code.
 *
 * @module
 */

import { currentFolder, exit, isExecutable, mayHangUp, onSignal } from "../platform/program.ts";
import { denoWords, programArguments } from "../platform/program.ts";
import { run } from "./mod.ts";
import { programName } from "./program.ts";
import { terminal } from "./terminal.ts";

/**
 * Runs the command with the arguments of the process, and ends the process with its exit code.
 *
 * @param main address of the main module, from which help texts derive the words to type
 */
export async function runProgram(main: string): Promise<never> {
  const stop = new AbortController();
  const stopOn = (name: string) => onSignal(name, () => stop.abort(name));
  for (const name of ["SIGINT", "SIGTERM"]) stopOn(name);
  if (mayHangUp()) stopOn("SIGHUP");
  let hasReader = true;
  const console = terminal(() => {
    hasReader = false;
    stop.abort("the reader has closed the pipe");
  });
  const code = await run(programArguments(), console, {
    signal: stop.signal,
    stopOn,
    program: programName(main, currentFolder(), isExecutable(), denoWords()),
  });
  // A closed pipe, as in `… | head`, is not a failure.
  return exit(code === 130 && !hasReader ? 0 : code);
}
