/** Programs run with the permissions that their pages and first lines name, and ask for no others. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { ROOT } from "../tools/check/entry_points.ts";
import { markdownPages } from "../tools/check/pages.ts";

const CONFIG = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));

/** Tasks that start other programs, which have all permissions anyhow. */
const DEVELOPERS = /^(test|bench|wasm|attack|parity|npm|prebuilt|gen:pictures)/;

async function pages(folder: string, ending: string): Promise<[name: string, text: string][]> {
  const found: [string, string][] = [];
  for await (const { name } of Deno.readDir(new URL(folder, ROOT))) {
    if (!name.endsWith(ending)) continue;
    found.push([`${folder}${name}`, await Deno.readTextFile(new URL(`${folder}${name}`, ROOT))]);
  }
  return found;
}

/** Runs a program in a folder of its own. Returns its exit code and what it printed. */
async function run(program: string, flags: readonly string[]): Promise<[number, string]> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/program.ts`, program);
    const config = fileURLToPath(new URL("deno.json", ROOT));
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-prompt", "--no-check", "--config", config, ...flags, "program.ts"],
      cwd: folder,
      env: { NO_COLOR: "1" },
    }).output();
    return [code, new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr)];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const ARGON = `import { Batch, fcc, lennardJones, NVE } from "@hooke/hooke";
const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);`;

const WITH_KERNELS = `${ARGON}
const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
await using md = new NVE({ model, dt: 2 });
await md.run(batch, 3);
console.log("done");`;

const WITH_ONNX = `${ARGON}
import { OnnxModel } from "@hooke/hooke/models/onnx";
import { lennardJonesModel } from "@hooke/hooke/onnx";
await using model = await OnnxModel.open(lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }));
await using md = new NVE({ model, dt: 2 });
await md.run(batch, 3);
console.log("done");`;

const WITH_SINK = `${ARGON}
import { openSink } from "@hooke/hooke/sinks";
for (const name of ["a.xyz", "a.jsonl", "a.zarr", "a.db"]) {
  const sink = await openSink(name);
  await sink.write(batch);
  await sink.close();
}
console.log("done");`;

Deno.test("README, docs and examples run nothing with all permissions", async () => {
  const forUsers = (await markdownPages()).filter((page) => /^(README|docs\/)/.test(page));
  const texts = await Promise.all(
    forUsers.map(async (page) => [page, await Deno.readTextFile(new URL(page, ROOT))] as const),
  );
  const all = [...texts, ...await pages("examples/", ".ts")];
  for (const [name, text] of all) {
    assertEquals(text.match(/deno(@\S+)? (run|test|eval) -A\b.*/)?.[0], undefined, name);
    for (const [, set] of text.matchAll(/ -P=([\w-]+) examples/g)) {
      assert(Object.hasOwn(CONFIG.permissions, set!), `${name} names the set ${set}`);
    }
  }
});

Deno.test("tasks have all permissions only where they start other programs", () => {
  for (const [name, { command }] of Object.entries<{ command: string }>(CONFIG.tasks)) {
    if (!DEVELOPERS.test(name)) assertEquals(/ -A\b/.test(command), false, name);
  }
});

Deno.test("a run over kernels needs no permission", async () => {
  const [code, text] = await run(WITH_KERNELS, []);
  assertEquals([code, text.trim()], [0, "done"]);
});

Deno.test("a run over an ONNX model reads Deno's cache of packages, and nothing else", async () => {
  const info = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { npmCache } = JSON.parse(new TextDecoder().decode(info.stdout));
  const [code, text] = await run(WITH_ONNX, [`--allow-read=${npmCache}`]);
  assertEquals([code, text.trim()], [0, "done"]);
  const [refused, complaint] = await run(WITH_ONNX, []);
  assertEquals(refused, 1);
  assertStringIncludes(complaint, "read access");
});

Deno.test("sinks read and write their folder, and nothing else", async () => {
  const [code, text] = await run(WITH_SINK, ["--allow-read=.", "--allow-write=."]);
  assertEquals([code, text.trim()], [0, "done"]);
});

Deno.test("the command reads files of settings in YAML with the permissions of its task", async () => {
  const program = `import { run } from "@hooke/hooke/cli";
await Deno.writeTextFile("run.yaml", "files: [argon.xyz] # a file that does not exist");
console.log(await run(["relax", "--config", "run.yaml"], { print: console.log, complain: console.log }));`;
  const [, flags = ""] =
    /deno run (?:--(?:unstable|lock)\S+ )*(.*) src\/cli/.exec(CONFIG.tasks.hooke.command) ?? [];
  assertEquals(flags, "--allow-read --allow-write=. --allow-net=127.0.0.1");
  assertEquals(await run(program, flags.split(" ")), [
    0,
    "Cannot open argon.xyz: there is no such file or folder\n1\n",
  ]);
});

Deno.test("a run folder does not ask for the name of the machine", async () => {
  const program = `import { openRunFolder } from "@hooke/hooke";
let asked = 0;
Object.defineProperty(Deno, "hostname", { value: () => (asked++, "here") });
await (await openRunFolder("run")).close();
console.log(asked);`;
  const flags = ["--allow-read=.", "--allow-write=."];
  assertEquals(await run(program, flags), [0, "0\n"]);
  assertEquals(await run(program, [...flags, "--allow-sys=hostname"]), [0, "1\n"]);
});

Deno.test("a run folder is busy while a machine of unknown name beats, and free afterwards", async () => {
  const program = `import { openRunFolder } from "@hooke/hooke";
const from = (seconds: number) => new Date(Date.now() - 1000 * seconds).toISOString();
for (const age of [5, 600]) {
  const holder = { schema: 1, pid: 999999, host: "unknown", startTime: "1", since: from(900) };
  const text = JSON.stringify({ ...holder, heartbeat: from(age) }).padEnd(511) + "\\n";
  Deno.mkdirSync("run", { recursive: true });
  Deno.writeTextFileSync("run/lock", text);
  await openRunFolder("run").then((folder) => folder.close()).then(
    () => console.log("free"),
    ({ name }) => console.log(name),
  );
}`;
  assertEquals(
    await run(program, ["--allow-read=.", "--allow-write=."]),
    [0, "RunFolderBusyError\nfree\n"],
  );
});

Deno.test("docs/trust.md names the permission sets and the tasks that deno.json has, and all sets", async () => {
  const text = await Deno.readTextFile(new URL("docs/trust.md", ROOT));
  const named = Array.from(text.matchAll(/^\|.*\| `([\w-]+)` +\|$/gm), ([, set]) => set!);
  assertEquals(named.toSorted(), Object.keys(CONFIG.permissions).toSorted());
  const inWords = Array.from(
    text.matchAll(/-P=([\w-]+)|the set\s+`([\w-]+)`/g),
    ([, a, b]) => a ?? b!,
  );
  assert(inWords.length > 1);
  for (const set of inWords) assert(named.includes(set), set);
  const tasks = Array.from(text.matchAll(/`deno task ([\w:]+)/g), ([, task]) => task!);
  assert(tasks.length > 1);
  for (const task of tasks) assert(Object.hasOwn(CONFIG.tasks, task), task);
});
