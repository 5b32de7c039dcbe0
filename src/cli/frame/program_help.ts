/** Returns the help text of the program, which lists its commands. */
export function programHelp(
  program: string,
  about: string,
  commands: readonly { readonly name: string; readonly summary: string }[],
): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 2;
  return [
    about,
    "",
    `Usage: ${program} COMMAND [options]`,
    "",
    "Commands",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`),
    "",
    `${program} COMMAND --help describes a command; ${program} --version prints the version.`,
  ].join("\n");
}
