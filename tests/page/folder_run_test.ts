import { assert, assertEquals, assertRejects } from "@std/assert";
import { FolderRun } from "../../src/page/feed/folder_run.ts";
import { FolderShelf } from "../../src/page/feed/run_shelf.ts";
import type { RunEvent } from "../../src/page/protocol.ts";

const TIME = "2026-01-01T00:00:00.000Z";

async function writeRun(path: string, config: object): Promise<void> {
  await Deno.mkdir(`${path}/logs`, { recursive: true });
  const identity = { schema: 1, id: "a", begun: TIME, configHash: null, config };
  await Deno.writeTextFile(`${path}/config.json`, JSON.stringify(identity));
}

function record(type: string, step: number, more: object = {}): string {
  const hooks = [{
    name: "log",
    enabled: true,
    stages: ["dynamics/AFTER_STEP"],
    frequency: 10,
    errors: 0,
  }];
  const start = { engine: "NVE", commit: "c", configHash: null, versions: {}, device: null };
  return `${
    JSON.stringify({ type, id: "a", segment: 0, time: TIME, step, hooks, ...start, ...more })
  }\n`;
}

function scalars(step: number, values: object): string {
  const line = { step: step - 1, time: TIME, stage: "dynamics/AFTER_STEP", engine: "NVE" };
  return `${JSON.stringify({ ...line, scalars: values })}\n`;
}

const append = (path: string, text: string) => Deno.writeTextFile(path, text, { append: true });

async function until<T extends RunEvent["type"]>(
  events: AsyncGenerator<RunEvent, void>,
  type: T,
  holds: (event: Extract<RunEvent, { type: T }>) => boolean = () => true,
): Promise<Extract<RunEvent, { type: T }>> {
  for (;;) {
    const { value, done } = await events.next();
    assert(!done, `no event ${type}`);
    if (value.type !== type) continue;
    if (holds(value as Extract<RunEvent, { type: T }>)) return value as never;
  }
}

Deno.test("a run folder is shown from its files, and followed while they grow", async () => {
  const base = await Deno.makeTempDir(), path = `${base}/argon`;
  const end = new AbortController();
  try {
    await writeRun(path, { command: "md", dt: 2, steps: 100, facts: { structures: [{}, {}] } });
    await append(`${path}/runs.jsonl`, record("start", 0));
    const head = "step,time,systemId,temperature,potential,pressure\n";
    await append(`${path}/log.csv`, `${head}0,0,0,10,-1,\n0,0,1,30,-3,\n`);
    await append(
      `${path}/logs/scalars.jsonl`,
      scalars(1, { energy: -2, fmax: 0.5 }) + scalars(2, { energy: -2, fmax: "NaN" }),
    );
    const run = await FolderRun.open({ path, id: "argon", interval: 1 });
    const { config: _, files, ...info } = await run.info();
    assertEquals(info, {
      id: "argon",
      name: "argon",
      kind: "md",
      state: "interrupted", // no process has the folder
      step: 2,
      steps: 100,
      dt: 2,
      isControllable: false,
      systems: 2,
    });
    assertEquals(files.map(({ path }) => path), [
      "config.json",
      "log.csv",
      "logs/scalars.jsonl",
      "runs.jsonl",
    ]);
    const events = run.events(end.signal);
    const { hooks } = await until(events, "hooks");
    assertEquals(hooks, [
      { name: "log", stages: ["dynamics/AFTER_STEP"], frequency: 10, isEnabled: true },
    ]);
    const log = await until(events, "scalars");
    assertEquals(log.names, ["temperature", "energy", "pressure_GPa"]);
    assertEquals(log.rows, [[0, 20, -2, null]]);
    const rest = await until(events, "scalars");
    assertEquals([rest.names, rest.rows], [["fmax"], [[1, 0.5], [2, null]]]);

    // The row of the second system comes late, and the last line is not finished.
    await append(`${path}/log.csv`, "10,20,0,40,-4,\n");
    assertEquals((await until(events, "scalars")).rows, [[10, 40, -4, null]]);
    await append(`${path}/log.csv`, "10,20,1,20,-2,\n20,40,0,1");
    assertEquals((await until(events, "scalars")).rows, [[10, 30, -3, null]]);
    await append(`${path}/log.csv`, "1,-1,7\n");
    assertEquals((await until(events, "scalars")).rows, [[20, 11, -1, 7]]);

    // The run resumes from a checkpoint at step 10.
    await Deno.writeTextFile(`${path}/log.csv`, `${head}0,0,0,10,-1,\n10,20,0,99,-9,\n`);
    assertEquals((await until(events, "scalars")).rows, [[0, 10, -1, null], [10, 99, -9, null]]);

    const outcome = { status: "completed", warnings: ["it was hot"] };
    await append(`${path}/runs.jsonl`, record("end", 100, { outcome }));
    const { message, step } = await until(events, "warning");
    assertEquals([message, step], ["it was hot", 100]);
    const last = await until(events, "info", ({ run }) => run.state !== "interrupted");
    assertEquals([last.run.state, last.run.step], ["warned", 100]);
    await assertRejects(() => run.command({ action: "stop" }), RangeError, "--watch");
    await assertRejects(() => run.frame(0), RangeError, "no trajectory");
    await run.close();
  } finally {
    end.abort();
    await Deno.remove(base, { recursive: true });
  }
});

Deno.test("structures of a screening and frames of its results are shown as they come", async () => {
  const path = `${await Deno.makeTempDir()}/screen`, end = new AbortController();
  try {
    await writeRun(path, { command: "screen", results: "results.xyz", steps: 500 });
    const line = (frame: number, status: string, energy: number | null) =>
      `${
        JSON.stringify({
          type: "screened",
          file: "a.xyz",
          frame,
          atoms: 1,
          status,
          steps: 3,
          energy,
          fmax: null,
          reason: energy === null ? "no" : "",
        })
      }\n`;
    const frame = (x: number) => `1\nProperties=species:S:1:pos:R:3 file=a.xyz\nAr ${x} 0 0\n`;
    await append(`${path}/status.jsonl`, line(0, "converged", -1) + line(1, "failed", null));
    await append(`${path}/results.xyz`, frame(1));
    const run = await FolderRun.open({ path, id: "screen", interval: 1 });
    const events = run.events(end.signal);
    assertEquals((await until(events, "frames")).count, 1);
    assertEquals((await until(events, "structures")).rows, [
      { name: "a.xyz@0", status: "converged", step: 3, energy: -1, atoms: 1, frame: 0 },
      { name: "a.xyz@1", status: "failed", reason: "no", step: 3, atoms: 1 },
    ]);
    await append(`${path}/results.xyz`, frame(2));
    await append(`${path}/status.jsonl`, line(2, "not converged", -2));
    assertEquals((await until(events, "structures")).rows.map((row) => row.frame), [1]);
    await until(events, "frames", ({ count }) => count === 2);
    const { numbers, positions, label } = await run.frame(1);
    assertEquals([[...numbers], [...positions], label], [[18], [2, 0, 0], "a.xyz"]);
    await Deno.writeTextFile(`${path}/outcome.json`, '{"outcome":"completed"}\n');
    const { run: info } = await until(events, "info", ({ run }) => run.state === "completed");
    assertEquals([info.kind, info.step, info.steps], ["screen", 3, undefined]);
    await run.close();
  } finally {
    end.abort();
    await Deno.remove(path, { recursive: true });
  }
});

Deno.test("a run that has failed shows the step of the failure, not that of the last row of its log", async () => {
  const path = `${await Deno.makeTempDir()}/hot`;
  try {
    await writeRun(path, { command: "md", steps: 2000 });
    await append(`${path}/log.csv`, "step,time,systemId,temperature\n0,0,0,10\n1,1,0,90\n");
    const outcome = { status: "failed", error: { name: "UnstableError", message: "too hot" } };
    await append(`${path}/runs.jsonl`, record("start", 0) + record("end", 5, { outcome }));
    const run = await FolderRun.open({ path, id: "hot", interval: 1 });
    const { state, step, steps } = await run.info();
    assertEquals([state, step, steps], ["failed", 5, 2000]);
    await run.close();
  } finally {
    await Deno.remove(path, { recursive: true });
  }
});

Deno.test("runs below a folder are found, new ones too, and damaged ones are named", async () => {
  const base = await Deno.makeTempDir();
  try {
    await writeRun(`${base}/a/one`, { command: "md" });
    await writeRun(`${base}/.hidden/two`, { command: "md" });
    await Deno.mkdir(`${base}/broken`);
    await Deno.writeTextFile(`${base}/broken/config.json`, "{");
    await Deno.symlink(`${base}/a`, `${base}/link`);
    const shelf = new FolderShelf([base]), name = base.split("/").at(-1)!;
    assertEquals((await shelf.list()).map(({ id }) => id), [`${name}/a/one`]);
    assertEquals([...shelf.damaged.keys()], [`${base}/broken`]);
    assert([...shelf.damaged.values()][0]!.includes("it is not JSON"));
    await writeRun(`${base}/three`, { command: "train" });
    assertEquals((await shelf.find(`${name}/three`))?.path, `${base}/three`);
    assertEquals((await shelf.list()).length, 2);
    await Deno.remove(`${base}/three`, { recursive: true });
    assertEquals((await shelf.list()).map(({ id }) => id), [`${name}/a/one`]);
    for (const id of ["..", `${name}/..`, `${name}/broken`, "", `${name}/.hidden/two`]) {
      assertEquals(await shelf.find(id), undefined);
    }
    const twice = new FolderShelf([`${base}/a/one`, `${base}/a/one/../one`]);
    assertEquals((await twice.list()).map(({ id }) => id), ["one", "one-2"]);
    await assertRejects(() => new FolderShelf([`${base}/no`]).list(), Error, "no");
    await shelf.close();
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});

Deno.test("a file that cannot be read is a warning, and neither ends the process nor hides other runs", async () => {
  const base = await Deno.makeTempDir(), end = new AbortController();
  try {
    await writeRun(`${base}/good`, { command: "md" });
    await writeRun(`${base}/bad`, { command: "md" });
    const run = await FolderRun.open({ path: `${base}/bad`, id: "bad", interval: 1 });
    const events = run.events(end.signal);
    await until(events, "info");
    await Deno.mkdir(`${base}/bad/outcome.json`); // reading it fails
    const { message } = await until(events, "warning");
    assert(message.includes("outcome.json"), message);
    end.abort();
    await run.close();
    const shelf = new FolderShelf([base]);
    assertEquals((await shelf.list()).map(({ name }) => name), ["good"]);
    assertEquals([...shelf.damaged.keys()], [`${base}/bad`]);
    await shelf.close();
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});
