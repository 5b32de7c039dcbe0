/**
 * Measures what a queue adds to the work of a campaign, and prints the figures of docs/queue.md:
 * `deno run -A bench/scale/figures.ts`.
 *
 * @module
 */

import { statusOf } from "../../src/campaign/folder/campaign_status.ts";
import { makeItemOfText } from "../../src/campaign/item/item.ts";
import { CampaignHandler } from "../../src/campaign/queue/campaign_handler.ts";
import { countQueue, openQueue } from "../../src/campaign/queue/queue.ts";
import { submitCampaign } from "../../src/campaign/queue/submit.ts";
import { workQueue } from "../../src/campaign/queue/work.ts";
import { openItemRunner } from "../../src/campaign/run/item_runner.ts";
import { runCampaign } from "../../src/campaign/run/run_campaign.ts";
import { openResultStore } from "../../src/campaign/store/result_store.ts";
import { crystals, recipeOf } from "../../tests/campaign/queue/argon.ts";
import { NatsServer } from "../../tests/campaign/queue/nats_server.ts";
import { until } from "../../tests/campaign/queue/until.ts";
import { WorkerProcess } from "../../tests/campaign/queue/workers.ts";

/** Structures of the measurements of overhead, of submission, and of two workers. */
const COUNTS = { overhead: 2000, submitted: 100_000, workers: 3000 } as const;

const signal = new AbortController().signal;

/** Processor time of this process so far, ms. */
function processorTime(): number {
  const stat = Deno.readTextFileSync("/proc/self/stat");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Returns wall and processor time of some work for each of `count` structures, ms. */
async function timed(count: number, work: () => Promise<unknown>): Promise<[number, number]> {
  const cpu = processorTime(), begun = performance.now();
  await work();
  return [(performance.now() - begun) / count, (processorTime() - cpu) / count];
}

const folder = (): Promise<string> => Deno.makeTempDir();

/** Prints the time that a folder and a queue add to each structure of 32 atoms. */
async function overhead(servers: string): Promise<void> {
  const count = COUNTS.overhead;
  const recipe = await recipeOf({ stages: [{ stage: "relax", fmax: 0.02, steps: 200 }] });
  const items = await crystals(count, recipe, { cells: 2 }), plain = items.map(({ item }) => item);
  const ways = { stream: [] as number[][], folder: [] as number[][], queue: [] as number[][] };
  for (let round = 0; round < 4; round++) {
    await using runner = await openItemRunner(recipe);
    const stream = await timed(count, () => runner.run(plain, () => {}));
    await using local = await openResultStore(await folder());
    const inFolder = await timed(count, () => runCampaign(recipe, plain, local));
    const queue = await openQueue({ servers, queue: `round${round}` });
    await submitCampaign(queue, recipe, items);
    await using store = await openResultStore(await folder());
    await using handler = new CampaignHandler(queue, store);
    const inQueue = await timed(
      count,
      () => workQueue(queue, handler, { signal, untilEmpty: true }),
    );
    await queue.close();
    inQueue[0] -= 250 / count; // the wait for a further structure
    if (round === 0) continue; // the first round compiles the code
    ways.stream.push(stream);
    ways.folder.push(inFolder);
    ways.queue.push(inQueue);
  }
  for (const [way, rounds] of Object.entries(ways)) {
    const [wall, cpu] = [0, 1].map((k) => rounds.map((one) => one[k]!).sort((a, b) => a - b)[1]!);
    console.log(`${way}: ${wall!.toFixed(3)} ms per structure, processor ${cpu!.toFixed(3)} ms`);
  }
}

/** Prints the times of a submission and of both kinds of status. */
async function submission(servers: string): Promise<void> {
  const recipe = await recipeOf(), count = COUNTS.submitted;
  const [one] = await crystals(1, recipe, { cells: 2 }), { input } = one!.item;
  const queue = await openQueue({ servers, queue: "submitted" });
  const items = async function* () {
    for (let i = 0; i < count; i++) {
      yield { item: await makeItemOfText(input, recipe, i), label: `structure ${i}` };
    }
  };
  const [wall] = await timed(1, () => submitCampaign(queue, recipe, items()));
  console.log(`submit ${count}: ${(wall / 1000).toFixed(2)} s`);
  const [asked] = await timed(1, () => countQueue(queue));
  console.log(`status of the queue: ${asked.toFixed(1)} ms`);
  await queue.close();
  const path = await folder(), ids: string[] = [];
  {
    await using store = await openResultStore(path);
    for (let i = 0; i < count; i++) {
      const id = i.toString(16).padStart(64, "0");
      ids.push(id);
      store.putIfAbsent({ id, status: "failed", reason: "none", energy: NaN, stages: [] });
    }
  }
  const [read] = await timed(1, async () => statusOf(ids, await openResultStore(path)));
  console.log(`status of a folder with ${count} results: ${read.toFixed(1)} ms`);
}

/** Prints the times in which one and two worker processes compute the same structures. */
async function workers(servers: string): Promise<void> {
  const md = { stage: "md", steps: 150, temperature: 30, options: { dt: 2 } } as const;
  const recipe = await recipeOf({ stages: [{ stage: "relax", fmax: 0.02, steps: 200 }, md] });
  const items = await crystals(COUNTS.workers, recipe, { cells: 2 });
  const seconds: number[] = [];
  for (const count of [1, 2]) {
    const queue = await openQueue({ servers, queue: `workers${count}` });
    await queue.create();
    const store = await folder(), name = ["--queue-name", `workers${count}`];
    const all = Array.from({ length: count }, () => new WorkerProcess(servers, store, name));
    await until("idle workers", async () => (await countQueue(queue)).idle >= count);
    const begun = performance.now();
    await submitCampaign(queue, recipe, items);
    await until("an empty queue", async () => {
      const { waiting, running } = await countQueue(queue);
      return waiting.normal + running === 0;
    });
    seconds.push((performance.now() - begun) / 1000);
    for (const worker of all) await worker.end("SIGTERM");
    await queue.close();
  }
  const [one, two] = seconds as [number, number];
  console.log(`workers: ${one.toFixed(1)} s, ${two.toFixed(1)} s: ${(one / two).toFixed(2)} times`);
}

if (import.meta.main) {
  const load = () => console.log(`load ${Deno.loadavg().map((x) => x.toFixed(1)).join(" ")}`);
  await using server = await NatsServer.start();
  load();
  await overhead(server.url);
  await submission(server.url);
  load();
  await workers(server.url);
  load();
}
