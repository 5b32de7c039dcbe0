import { type CommandRun, ExitCode } from "../frame/command.ts";

/** Settings that a configuration file does not have. */
const OF_LINE: ReadonlySet<string> = new Set(["config", "set", "dryRun"]);

/**
 * Prints the settings of a command as a configuration file that `--config` reads, and on the standard error a
 * sentence about what would run. Settings without a value are left out.
 */
export function printDryRun(
  { terminal }: CommandRun,
  command: string,
  settings: object,
  sentence: string,
): number {
  const shown = Object.entries(settings).filter(([name]) => !OF_LINE.has(name));
  terminal.print(JSON.stringify({ command, ...Object.fromEntries(shown) }, null, 2));
  if ((settings as { readonly json?: boolean }).json !== true) terminal.complain(sentence);
  return ExitCode.DONE;
}
