/** Options of a command: additional environment variables, its folder, and its time limit. */
export interface CommandOptions {
  /** @default {} */
  env?: Record<string, string>;
  /** @default the current folder */
  cwd?: string | URL;
  /** Milliseconds after which it is stopped. @default never */
  timeout?: number;
}

/** Runs a command and shows what it says. Throws when it fails. */
export async function run(
  command: readonly string[],
  options: CommandOptions = {},
): Promise<void> {
  console.error(`$ ${command.join(" ")}`);
  const { success, code } = await spawn(command, "inherit", options).status;
  if (!success) {
    throw new Error(
      `Cannot build the kernels: ${command[0]} must succeed: it ended with ${code}`,
    );
  }
}

/**
 * Returns the output of a command without surrounding white space; `undefined` if the command fails or does not
 * exist.
 */
export async function output(
  command: readonly string[],
  options: CommandOptions = {},
): Promise<string | undefined> {
  try {
    const { success, stdout } = await spawn(command, "piped", options).output();
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function spawn(
  [name = "", ...args]: readonly string[],
  stdout: "inherit" | "piped",
  { env = {}, cwd, timeout }: CommandOptions,
): Deno.ChildProcess {
  return new Deno.Command(name, {
    args,
    env,
    stdin: "null",
    stdout,
    stderr: stdout === "piped" ? "null" : "inherit",
    ...(cwd === undefined ? {} : { cwd }),
    ...(timeout === undefined ? {} : { signal: AbortSignal.timeout(timeout) }),
  }).spawn();
}
