// Sinks, checkpoints, run folders and locks in Node, over the installed package.
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { Batch, fcc, initVelocities, lennardJones, NVTLangevin } from "@hooke/hooke";
import { CheckpointHook, openRunFolder, openSink, resume } from "@hooke/hooke";
import { gitCommit, versions } from "@hooke/hooke/runs";
import {
  AseDatabaseSink,
  CsvSink,
  ExtxyzSink,
  JsonlSink,
  type StoredSink,
  TensorBoardFile,
  verifySink,
  ZarrSink,
} from "@hooke/hooke/sinks";
import { type Lost, sinkSuite } from "@hooke/hooke/testing";

const folder = () => mkdtempSync(`${tmpdir()}/hooke-node-`);

const SINKS: readonly [string, (path: string) => StoredSink, readonly Lost[]][] = [
  ["xyz", (path) => new ExtxyzSink(path), ["edges"]],
  ["jsonl", (path) => new JsonlSink(path), []],
  ["db", (path) => new AseDatabaseSink(path), []],
  ["csv", (path) => new CsvSink(path), ["systems"]],
  ["zarr", (path) => new ZarrSink(path), []],
];
for (const [ending, make, loses] of SINKS) {
  const open = () => {
    const root = folder(), path = `${root}/x.${ending}`;
    return {
      sink: make(path),
      reopen: () => make(path),
      dispose: () => rmSync(root, { recursive: true }),
    };
  };
  for (const { name, run } of sinkSuite(open, { loses, isStored: true })) {
    test(`${ending}: ${name}`, run);
  }
}

function langevin() {
  return new NVTLangevin({
    model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
    dt: 4,
    temperature: 40,
    friction: 0.01,
    seed: 1,
  });
}

function argon(): Batch {
  const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
  initVelocities(batch, 40, { seed: 1 });
  return batch;
}

/** Runs until `steps` in a run folder, from its last checkpoint. Returns the bits of the positions. */
async function runTo(path: string, steps: number): Promise<string> {
  const sink = new ExtxyzSink(`${path}/trajectory.xyz`);
  const trajectory = { sink, frequency: 10 };
  const run = await openRunFolder(path, { checkpoints: { every: 50 }, trajectory });
  const engine = langevin();
  run.attach(engine);
  const batch = (await resume(run, engine))?.batch ?? argon();
  await engine.run(batch, steps - engine.stepCount);
  for (const one of [engine, run, sink]) await one[Symbol.asyncDispose]();
  return new Uint32Array(batch.get("positions").slice().buffer).join();
}

test("a run folder continues with the same bits, and its files are whole", async () => {
  const [parted, whole] = [folder(), folder()];
  await runTo(`${parted}/run`, 50);
  const bits = await runTo(`${parted}/run`, 100);
  equal(bits, await runTo(`${whole}/run`, 100));
  equal(
    readFileSync(`${parted}/run/trajectory.xyz`, "utf8"),
    readFileSync(`${whole}/run/trajectory.xyz`, "utf8"),
  );
  const found = await verifySink(`${whole}/run/trajectory.xyz`);
  deepEqual(found.damage, []);
});

test("a process that holds a run folder or a file keeps others out, until it is killed", async () => {
  const root = folder(), file = `${root}/log.csv`;
  const script = `import { openRunFolder, openSink } from "@hooke/hooke";
    await openRunFolder(${JSON.stringify(root)} + "/run");
    await openSink(${JSON.stringify(file)});
    console.log("held");
    setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
    // Each job of a cluster may have a folder of its own for temporary files.
    env: { ...process.env, TMPDIR: folder() },
  });
  await once(holder.stdout!, "data");
  await rejects(openRunFolder(`${root}/run`), { name: "RunFolderBusyError" });
  await rejects(Promise.resolve(openSink(file)).then((sink) => sink.open()), { code: "EBUSY" });
  holder.kill("SIGKILL");
  await once(holder, "exit");
  await (await openRunFolder(`${root}/run`)).close();
  await (await openSink(file)).close();
});

test("hooks write checkpoints and TensorBoard files", async () => {
  const root = folder();
  const engine = langevin();
  engine.hooks.add(new CheckpointHook({ folder: `${root}/checkpoints`, everySteps: 10 }));
  await engine.run(argon(), 20);
  await engine[Symbol.asyncDispose]();
  match(readdirSync(`${root}/checkpoints`).join(), /\.hooke/);
  const board = new TensorBoardFile(`${root}/board`);
  await board.open();
  await board.close();
});

test("the runtime is named in logs", async () => {
  equal(versions().node, process.versions.node);
  match(await gitCommit(), /^([0-9a-f]{40}|unknown)$/);
});
