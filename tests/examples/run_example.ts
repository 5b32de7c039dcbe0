import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { few } from "../suite.ts";
import { printed } from "../../tools/suite/run_example.ts";

/** Folder of the examples. */
export const FOLDER: URL = new URL("../../examples/", import.meta.url);

let runs = 0;

/**
 * Runs an example and returns what it printed.
 *
 * Each has a process of its own in the slow suite. In the fast one those without arguments are imported instead, as a
 * process would load Hooke anew.
 */
export async function runExample(name: string, ...args: string[]): Promise<string> {
  const url = new URL(`${name}.ts`, FOLDER);
  if (args.length === 0 && few(true, false)) {
    return (await printed(() => import(`${url}?run=${runs++}`))).output;
  }
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", ...await permissionsOf(url), "--no-prompt", fileURLToPath(url), ...args],
    env: { NO_COLOR: "1" },
  });
  const { code, stdout, stderr } = await command.output();
  const text = new TextDecoder();
  assertEquals(code, 0, text.decode(stderr));
  return text.decode(stdout);
}

/**
 * Returns the permissions with which the first lines of an example say that it is run: it must not need more.
 *
 * @throws {Error} if they ask for all
 */
async function permissionsOf(example: URL): Promise<readonly string[]> {
  const text = await Deno.readTextFile(example);
  const [, flags] = /deno run ((?:-\S+ )*)examples\/\w+\.ts/.exec(text) ?? [];
  if (flags === undefined || /-A\b|--allow-all/.test(flags)) {
    throw new Error(
      `${example.pathname} must say how it is run, with the permissions that it needs`,
    );
  }
  return flags.trim() === "" ? [] : flags.trim().split(" ");
}
