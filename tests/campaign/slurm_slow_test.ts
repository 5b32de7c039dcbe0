import { assert, assertEquals } from "@std/assert";
import { fcc, rattle } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { openResultStore } from "../../src/campaign/mod.ts";
import { lacks } from "../machine.ts";
import { hooke, tempFolder } from "../cli/session.ts";
import { exists, startCluster, until } from "./slurm.ts";

/**
 * A hook that leaves a mark when its task computes, and that waits long in a task that was not requeued, so that the
 * time limit comes in the middle of a stage. It changes no result.
 */
const SLOW_HOOK = `
const task = Deno.env.get("SLURM_ARRAY_TASK_ID");
const isFirst = task !== undefined && Deno.env.get("SLURM_RESTART_COUNT") === undefined;
export default {
  stage: "dynamics/AFTER_STEP",
  frequency: 10,
  async call() {
    if (!isFirst) return;
    await Deno.writeTextFile(new URL("./begun-" + task, import.meta.url), "");
    await new Promise((resolve) => setTimeout(resolve, 500));
  },
};
`;

const RECIPE = `
model: lj:argon
stages:
  - stage: relax
    steps: 5
  - stage: md
    steps: 1200
    temperature: 30
    options: { dt: 2 }
hooks: [./slow.ts]
`;

/** Returns the records of a campaign by id, and the number of lines in its shards. */
async function recordsOf(
  folder: string,
): Promise<{ records: Record<string, string>; lines: number }> {
  await using store = await openResultStore(folder);
  const records: Record<string, string> = {};
  for (const { id } of store.all()) {
    records[id] = new TextDecoder().decode(await store.bytesOf(id));
  }
  let lines = 0;
  const files = await exists(`${folder}/shards`) ? Deno.readDirSync(`${folder}/shards`) : [];
  for (const { name } of files) {
    if (!name.endsWith(".jsonl")) continue;
    lines += (await Deno.readTextFile(`${folder}/shards/${name}`)).split("\n").length - 1;
  }
  return { records, lines };
}

const options = {
  name: "an array job of Slurm with two requeues and a time limit gives the bytes of one process",
  ignore: lacks("slurm"),
};

Deno.test(options, async () => {
  await using folder = await tempFolder();
  const at = (name: string) => `${folder.path}/${name}`;
  await using cluster = await startCluster();
  const crystals = Array.from(
    { length: 12 },
    (_, seed) => rattle(fcc({ element: "Ar", a: 5.3 }), 0.1, seed),
  );
  await Deno.writeTextFile(at("recipe.yaml"), RECIPE);
  await Deno.writeTextFile(at("slow.ts"), SLOW_HOOK);
  await Deno.writeTextFile(at("a.xyz"), writeExtxyz(crystals));
  const submit = ["submit", at("recipe.yaml"), at("a.xyz"), "--allow-modules", "any"];
  const alone = await hooke([...submit, "-o", at("alone"), "--local", "-q"]);
  assertEquals([alone.code, alone.err], [0, ""]);
  const expected = (await recordsOf(at("alone"))).records;
  assertEquals(Object.keys(expected).length, 12);

  const main = new URL("../../src/cli/main.ts", import.meta.url).href;
  const program = `${Deno.execPath()} run -A --no-check ${main}`;
  // Slurm counts time limits in minutes, and looks at them every half a minute: the signal comes 5 to 35 s after the start.
  const array = ["--scheduler", "slurm", "--tasks", "8", "--time", "1", "--program", program];
  const notice = ["--directive=--signal=B:USR2@55", "--directive=--mem=0"];
  const args = [...submit, "-o", at("c"), ...array, ...notice, "--json"];
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", main, ...args],
    env: cluster.env,
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  const { id } = JSON.parse(new TextDecoder().decode(stdout).trim().split("\n").at(-1)!);

  for (const task of [1, 2]) {
    await until(`task ${task} computes`, () => exists(at(`begun-${task}`)));
    await cluster.run("scontrol", "requeue", `${id}_${task}`);
  }
  const hastened = new Set<string>();
  await until("the tasks have ended", async () => {
    const jobs = (await cluster.run("squeue", "-h", "-r", "-o", "%i %r")).trim().split("\n");
    for (const job of jobs.filter((one) => one.endsWith(" BeginTime") && !hastened.has(one))) {
      // Slurm lets a requeued job wait for two minutes. At once would be too early: it must first forget the old run.
      hastened.add(job);
      await cluster.run("scontrol", "update", `jobid=${job.split(" ")[0]}`, "starttime=now+3");
    }
    // A task that puts itself into the queue again is in no list for a moment.
    return jobs[0] === "" && (await recordsOf(at("c"))).lines >= 12;
  });
  const { records, lines } = await recordsOf(at("c"));
  const logs = await Promise.all(
    [0, 1, 2, 3, 4, 5, 6, 7].map(async (task) => {
      const path = at(`c/logs/task-${task}.log`);
      return await exists(path) ? await Deno.readTextFile(path) : "";
    }),
  );
  assertEquals(records, expected, logs.join("\n"));
  assertEquals(lines, 12, "each structure was computed once");
  // The time limit has interrupted tasks that were not requeued by hand.
  const limited = [0, 3, 4, 5, 6, 7].filter((task) => logs[task]!.includes("Interrupted"));
  assert(limited.length > 0, logs.join("\n"));
});
