import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { few } from "../suite.ts";
import { printed } from "../../tools/suite/run_example.ts";

/** Folder of the examples. */
export const FOLDER: URL = new URL("../../examples/", import.meta.url);

let runs = 0;

/** The error that `Deno.exit` throws in an example that is imported. */
class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`it ended with the code ${code}`);
    this.code = code;
  }
}

/**
 * Runs an example and returns what it printed.
 *
 * Each has a process of its own in the slow suite, with the permissions that it names. In the fast one it is imported
 * instead, as a process would load Hooke anew.
 *
 * @throws {Error} if it fails; the message has what it wrote to its standard error
 */
export async function runExample(name: string, ...args: string[]): Promise<string> {
  const url = new URL(`${name}.ts`, FOLDER);
  if (few(true, false)) return await runHere(url, args);
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", ...await permissionsOf(url), "--no-prompt", fileURLToPath(url), ...args],
    env: { NO_COLOR: "1" },
  });
  const { code, stdout, stderr } = await command.output();
  const text = new TextDecoder();
  assertEquals(code, 0, text.decode(stderr));
  return text.decode(stdout);
}

/** Imports an example with arguments of its own. */
async function runHere(url: URL, args: readonly string[]): Promise<string> {
  const { exit } = Deno, own = Object.getOwnPropertyDescriptor(Deno, "args")!;
  Object.defineProperty(Deno, "args", { configurable: true, value: args });
  Deno.exit = (code) => {
    throw new Exit(code ?? 0);
  };
  let failure: unknown;
  try {
    const { output, complaints } = await printed(() =>
      import(`${url}?run=${runs++}`).catch((error) => void (failure = error))
    );
    const isOver = failure === undefined || failure instanceof Exit && failure.code === 0;
    if (failure !== undefined && !(failure instanceof Exit)) throw failure;
    assertEquals([isOver, Deno.exitCode], [true, 0], complaints);
    return output;
  } finally {
    Object.defineProperty(Deno, "args", own);
    [Deno.exit, Deno.exitCode] = [exit, 0];
  }
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
