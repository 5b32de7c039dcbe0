import { assertEquals, assertInstanceOf, assertMatch, assertRejects } from "@std/assert";
import { parseRunLog, runLog, type RunLogOptions } from "../../src/config/runs/mod.ts";
import { parse, walk } from "./walk.ts";

/** Runs one step with a log in this file. */
async function runTo(path: string | URL, options: Omit<RunLogOptions, "path" | "write"> = {}) {
  const log = runLog({ commit: "c0ffee", path, ...options });
  await walk({ hooks: [log] }).run(1);
  return log;
}

Deno.test("a log with a path creates the file, and appends run after run, each with its id", async () => {
  await using file = await makeFile();
  const first = await runTo(file.path);
  const second = await runTo(new URL(`file://${file.path}`));
  const text = await Deno.readTextFile(file.path);
  assertMatch(text, /\}\n$/);
  assertEquals(parse(text).map(({ type, id }) => [type, id]), [
    ["start", first.id],
    ["end", first.id],
    ["start", second.id],
    ["end", second.id],
  ]);
});

Deno.test("a partial line of any length is removed before the next one, so that the log stays readable", async () => {
  await using file = await makeFile();
  const { id } = await runTo(file.path);
  const whole = await Deno.readTextFile(file.path);
  for (const partial of ["{", '{"type":"cha', `{"name":"é${"x".repeat(9000)}`]) {
    await Deno.writeTextFile(file.path, whole + partial);
    const next = await runTo(file.path);
    const text = await Deno.readTextFile(file.path);
    assertEquals(parseRunLog(text).map((record) => record.id), [id, id, next.id, next.id]);
  }
  await Deno.writeTextFile(file.path, '{"type":"sta');
  await runTo(file.path);
  assertEquals(parseRunLog(await Deno.readTextFile(file.path)).length, 2);
});

Deno.test("a complete record without its newline is kept", async () => {
  await using file = await makeFile();
  const { id } = await runTo(file.path);
  await Deno.truncate(file.path, (await Deno.stat(file.path)).size - 1);
  const next = await runTo(file.path);
  const records = parseRunLog(await Deno.readTextFile(file.path));
  assertEquals(records.map((record) => record.id), [id, id, next.id, next.id]);
});

Deno.test("the first line of a log creates its folder, and no later line does", async () => {
  await using file = await makeFile();
  const path = `${file.path}.folder/a/run.jsonl`;
  const log = runLog({ commit: "c0ffee", path });
  await walk({ hooks: [log] }).run(1);
  assertEquals(parse(await Deno.readTextFile(path)).length, 2);
  await Deno.remove(`${file.path}.folder`, { recursive: true });
  await assertRejects(() => walk({ hooks: [log] }).run(1), Error, "could not be written");
  await assertRejects(() => Deno.stat(`${file.path}.folder`), Deno.errors.NotFound);
});

Deno.test("a text with line ends, quotes and characters beyond ASCII stays on its line", async () => {
  await using file = await makeFile();
  const id = 'a\nb"\\\u2028é😀';
  await runTo(file.path, { id });
  assertEquals(parse(await Deno.readTextFile(file.path)).map((record) => record.id), [id, id]);
});

Deno.test("a path that cannot be written prevents the run with an error", async () => {
  const error = await assertRejects(
    () => runTo("/proc/no/such/run.jsonl"),
    Error,
    "1 of 1 lines could not be written",
  );
  assertInstanceOf(error.cause, Deno.errors.NotFound);
});

Deno.test("a log needs only permission to write its file; without Deno, as in a browser, a path is refused", async () => {
  await using file = await makeFile();
  const module = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  await Deno.writeTextFile(
    `${file.path}.ts`,
    `import { runLog } from ${module("../../src/config/runs/run_log.ts")};
    import { walk } from ${module("./walk.ts")};
    await walk({ hooks: [runLog({ path: ${JSON.stringify(file.path)} })] }).run(1);
    delete globalThis.process; delete globalThis.Deno;
    let text = "";
    await walk({ hooks: [runLog({ config: { a: 1 }, write: (line) => void (text += line) })] }).run(1);
    console.log(text.trim());
    try { runLog({ path: "a" }) } catch (error) { console.log(JSON.stringify(error.message)) }`,
  );
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-config",
      "--no-check",
      "--no-prompt",
      `--allow-write=${file.path}`,
      `${file.path}.ts`,
    ],
  }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  const [start, end, refusal] = new TextDecoder().decode(stdout).trim().split("\n").map((line) =>
    JSON.parse(line)
  );
  assertEquals([start.commit, start.versions.userAgent, end.type], [
    "unknown",
    navigator.userAgent,
    "end",
  ]);
  assertMatch(refusal, /there is no file system for path .*Pass write instead/);
  const [first] = parse(await Deno.readTextFile(file.path));
  assertEquals(first?.type === "start" && first.commit, "unknown");
});

async function makeFile() {
  const folder = await Deno.makeTempDir();
  return {
    path: `${folder}/run.jsonl`,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
