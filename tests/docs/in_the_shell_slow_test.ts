/** Runs the shell commands of docs/getting_started.md in order, and compares what they print with the page. */
import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { ROOT } from "../../tools/check/entry_points.ts";
import { tempFolder } from "../cli/session.ts";

const PAGE = await Deno.readTextFile(new URL("docs/getting_started.md", ROOT));
const [, SHELL = ""] = /^## In the shell\n([\s\S]*?)^## /m.exec(PAGE) ?? [];

/** A block of commands, and the block below it if that shows their output. */
interface Commands {
  readonly text: string;
  readonly output: string | undefined;
}

function commandsOf(page: string): Commands[] {
  const blocks = [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  return blocks.flatMap(([, language, text], i) => {
    if (language !== "sh") return [];
    const next = blocks[i + 1];
    return [{ text: text!, output: next?.[1] === "text" ? next[2] : undefined }];
  });
}

/** Returns commands as they run here: with the Deno of this test, and the sources of this clone. */
function runnable(text: string): string {
  const path = (name: string) => fileURLToPath(new URL(name, ROOT));
  const deno = `'${Deno.execPath()}'`, config = `--config '${path("deno.json")}'`;
  return text
    .replace("npx -y deno@2.9.6 task --quiet hooke", `${deno} run -A '${path("src/cli/main.ts")}'`)
    .replace(/^npx -y deno@2\.9\.6 run/m, `${deno} run ${config} --no-check`);
}

/**
 * Returns an output without times. Of a training only the words are compared: its digits may differ from processor to
 * processor.
 */
function comparable(output: string, isTraining: boolean): string {
  if (isTraining) return output.replace(/[\d.]+/g, "#").replace(/[▁-█]/g, "").replace(/ +/g, " ");
  return output.replace(/[\d.]+ s\b/g, "# s");
}

/** Returns the command line that the function `hooke` of the page runs. */
function programOf(definition: string): string {
  const [, program] = /^hooke\(\) \{ (.*) "\$@"; \}$/m.exec(definition) ?? [];
  assert(program !== undefined, definition);
  return program;
}

Deno.test("the commands of the first steps print what the page shows", async () => {
  await using folder = await tempFolder();
  const [first, ...blocks] = commandsOf(SHELL);
  const definition = runnable(first!.text);
  const shell = (text: string) =>
    new Deno.Command("bash", {
      args: ["-c", `${definition}${runnable(text)}`],
      cwd: folder.path,
      env: { NO_COLOR: "1" },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    });
  const seen = new Set<string>();
  for (const { text, output } of blocks) {
    if (text.startsWith("python3")) continue;
    if (text.startsWith("hooke md")) {
      await interrupted(text.replace("hooke", programOf(definition)), folder.path);
      seen.add("md");
      continue;
    }
    const { code, stdout, stderr } = await shell(text).output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assert(code === 0 || text.startsWith("hooke screen") && code === 3, `${text}${out}${err}`);
    if (output === undefined) continue;
    const isTraining = text.includes("fine-tune");
    assertEquals(comparable(out!, isTraining), comparable(output, isTraining), text);
    seen.add(text.split(" ")[1]!);
  }
  assertEquals([...seen], ["relax", "md", "inspect", "screen", "fine-tune"]);
});

/** Runs dynamics, and presses Ctrl-C after the first rows of the table. */
async function interrupted(command: string, cwd: string): Promise<void> {
  const child = new Deno.Command("bash", {
    args: ["-c", `exec ${command}`],
    cwd,
    env: { NO_COLOR: "1" },
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let out = "", isSent = false;
  for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
    out += part;
    if (isSent || !/^ +20000 /m.test(out)) continue;
    child.kill("SIGINT");
    isSent = true;
  }
  assertEquals((await child.status).code, 130, out);
}
