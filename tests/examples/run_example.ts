import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";

/** Where the examples are. */
export const FOLDER: URL = new URL("../../examples/", import.meta.url);

/** Runs an example; answers with what it printed. */
export async function runExample(name: string, ...args: string[]): Promise<string> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", fileURLToPath(new URL(`${name}.ts`, FOLDER)), ...args],
    env: { NO_COLOR: "1" },
  });
  const { code, stdout, stderr } = await command.output();
  const text = new TextDecoder();
  assertEquals(code, 0, text.decode(stderr));
  return text.decode(stdout);
}
