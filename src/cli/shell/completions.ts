/**
 * The command `hooke completions`.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import { type AnyCommand, type CommandRun, ExitCode } from "../frame/command.ts";
import { flagOf } from "../frame/option.ts";
import { UsageError } from "../frame/usage_error.ts";
import type { CompletionsSettings } from "./settings.ts";

/** A flag as shells complete it. */
interface Flag {
  readonly name: string;
  readonly letter: string | undefined;
  readonly help: string;
  /** True if the flag takes a value. */
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

const SHELLS: Readonly<
  Record<string, (commands: readonly AnyCommand[], program: string) => string[]>
> = {
  bash,
  zsh,
  fish,
};

/** Prints the script of a shell. */
export async function completions(
  { shell: [shell, ...others], name }: CompletionsSettings,
  { terminal, commands }: CommandRun,
): Promise<number> {
  const names = Object.keys(SHELLS), script = SHELLS[shell ?? ""];
  if (script === undefined || others.length > 0) {
    throw new UsageError(
      `Cannot print completions: the shell must be one of ${names.join(", ")}; got ${
        [shell ?? "none", ...others].join(" ")
      }${didYouMean(shell ?? "", names)}`,
    );
  }
  if (!/^[\w.+-]+$/.test(name)) {
    throw new UsageError(
      `Cannot use --name ${name}: it must be one word of letters, digits and . _ + -`,
    );
  }
  for (const line of script(await Promise.all(commands.map(({ open }) => open())), name)) {
    terminal.print(line);
  }
  return ExitCode.DONE;
}

function flagsOf({ options }: AnyCommand): readonly Flag[] {
  const flags = Object.entries(options).filter(([, { form }]) =>
    form !== "arguments" && form !== "members"
  ).map(([member, { form, help, letter, choices = [] }]): Flag => ({
    name: flagOf(member),
    letter,
    help,
    takesValue: form !== "switch",
    choices,
  }));
  const help = {
    name: "help",
    letter: "h",
    help: "Show this help",
    takesValue: false,
    choices: [],
  };
  return [...flags, help];
}

function bash(commands: readonly AnyCommand[], program: string): string[] {
  const cases = commands.map((command) =>
    `    ${command.name}) flags="${flagsOf(command).map(({ name }) => `--${name}`).join(" ")}" ;;`
  );
  const values = commands.flatMap((command) =>
    flagsOf(command).filter(({ choices }) => choices.length > 0)
      .map(({ name, choices }) =>
        `    "${command.name} --${name}") words="${choices.join(" ")}" ;;`
      )
  );
  return [
    "# Completion of hooke in bash",
    "_hooke() {",
    '  local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"',
    '  local command="${COMP_WORDS[1]}" flags="" words=""',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W "${
      commands.map(({ name }) => name).join(" ")
    } help" -- "$current"))`,
    "    return",
    "  fi",
    '  case "$command" in',
    ...cases,
    "  esac",
    '  case "$command $before" in',
    ...values,
    "  esac",
    '  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '  elif [[ "$current" == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$current"))',
    '  else COMPREPLY=($(compgen -f -- "$current")); fi',
    "}",
    `complete -o filenames -F _hooke ${program}`,
  ];
}

function zsh(commands: readonly AnyCommand[], program: string): string[] {
  const quoted = (text: string) => text.replaceAll("'", "'\\''");
  const plain = (text: string) => quoted(text).replaceAll(/[\[\]:]/g, "\\$&");
  const argument = ({ name, help, takesValue, choices }: Flag) => {
    const values = choices.length > 0 ? `(${choices.join(" ")})` : "_files";
    return `      '*--${name}[${plain(help)}]${takesValue ? `:value:${values}` : ""}' \\`;
  };
  return [
    `#compdef ${program}`,
    "_hooke() {",
    "  local -a commands",
    "  commands=(",
    ...commands.map(({ name, summary }) => `    '${name}:${quoted(summary)}'`),
    "  )",
    "  if (( CURRENT == 2 )); then _describe command commands; return; fi",
    "  case $words[2] in",
    ...commands.flatMap((command) => [
      `    ${command.name}) _arguments \\`,
      ...flagsOf(command).map(argument),
      "      '*:file:_files' ;;",
    ]),
    "  esac",
    "}",
    '_hooke "$@"',
  ];
}

function fish(commands: readonly AnyCommand[], program: string): string[] {
  const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const flag = (command: string, { name, letter, help, takesValue, choices }: Flag) =>
    [
      `complete -c ${program} -n '__fish_seen_subcommand_from ${command}' -l ${name}`,
      ...(letter === undefined ? [] : [`-s ${letter}`]),
      ...(choices.length > 0 ? [`-x -a ${quoted(choices.join(" "))}`] : takesValue ? ["-r"] : []),
      `-d ${quoted(help)}`,
    ].join(" ");
  return [
    "# Completion of hooke in fish",
    ...commands.map(({ name, summary }) =>
      `complete -c ${program} -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`
    ),
    ...commands.flatMap((command) => flagsOf(command).map((one) => flag(command.name, one))),
  ];
}
