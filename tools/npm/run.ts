import { ROOT } from "../check/entry_points.ts";

/**
 * Runs a program in the root of the project.
 *
 * @throws {Error} if the program fails, with what it has written to its standard error
 */
export async function run(command: string, args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, {
    args: [...args],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) {
    throw new Error(`${command} ${args[0]} failed: ${new TextDecoder().decode(stderr)}`);
  }
}
