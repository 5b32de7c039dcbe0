/**
 * Measures the costs of a campaign that the model of docs/scale.md uses, with a real nats-server, and writes costs.json.
 *
 * Costs are processor time of the process concerned, so that other programs on the machine change them little.
 *
 * @module
 */

import { fcc, rattle } from "../../src/batch/crystal.ts";
import {
  makeItem,
  openResultStore,
  readRecipe,
  type Recipe,
  recordOf,
  runCampaign,
} from "../../src/campaign/mod.ts";
import { publishItems, type QueueItem } from "../../src/campaign/queue/publish.ts";
import { Puller } from "../../src/campaign/queue/pull.ts";
import { openQueue, type Queue } from "../../src/campaign/queue/queue.ts";
import { NatsServer } from "../../tests/campaign/queue/nats_server.ts";
import type { Costs, Times } from "./model.ts";

/** Sizes of a stream at which costs are measured: a cost that grows with the stream would show. */
const SIZES = [10_000, 200_000] as const;

/** Batches of pulls. */
const BATCHES = [256, 16, 1] as const;

/** Messages that are pulled and acknowledged in batches of each size: together fewer than the smallest stream has. */
const PULLED = [4096, 2048, 1024] as const;

/** Results of a store. */
const RESULTS = 100_000;

const RECIPE: Recipe = {
  model: { pair: "lennardJones", options: { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 } },
  stages: [{ stage: "relax" }],
};

/** Processor time of a process so far, ms, and its resident memory, bytes. */
async function usage(pid: number): Promise<{ readonly cpu: number; readonly memory: number }> {
  const [stat, status] = await Promise.all(
    ["stat", "statm"].map((name) => Deno.readTextFile(`/proc/${pid}/${name}`)),
  );
  const fields = stat!.slice(stat!.lastIndexOf(")") + 2).split(" ");
  return {
    cpu: (Number(fields[11]) + Number(fields[12])) * 10, // ticks of 10 ms
    memory: Number(status!.split(" ")[1]) * 4096,
  };
}

async function pidOf(text: string): Promise<number> {
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const command = await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => "");
    if (command.startsWith("/") && command.includes(text)) return Number(name);
  }
  throw new Error(`Cannot measure: no process has ${text} in its command line`);
}

/** Items with the message of a structure of 32 atoms, and ids that differ. */
async function* items(from: number, count: number): AsyncGenerator<QueueItem> {
  const recipe = await readRecipe(RECIPE);
  const crystal = rattle(fcc({ element: "Ar", a: 5.3, cells: 2 }), 0.1, 1);
  const { input, seed } = await makeItem(crystal, recipe);
  const bytes = new TextEncoder().encode(input);
  for (let i = from; i < from + count; i++) {
    const id = i.toString(16).padStart(64, "0");
    yield { id, recipe: recipe.hash, seed, label: `argon ${i}`, version: "0.1.0", input: bytes };
  }
}

interface Step {
  readonly name: string;
  readonly perItem: Times;
}

/** Waits until the server does nothing: it goes on writing after it has answered. */
async function untilIdle(pid: number): Promise<void> {
  for (let before = -1, now = 0; now - before > 100;) {
    before = (await usage(pid)).cpu;
    await new Promise((resolve) => setTimeout(resolve, 2000));
    now = (await usage(pid)).cpu;
  }
}

/** Runs a piece of work, and returns its costs per item, ms. */
async function costOf(
  name: string,
  server: number,
  count: number,
  work: () => Promise<unknown>,
): Promise<Step> {
  const before = [await usage(server), await usage(Deno.pid), performance.now()] as const;
  await work();
  const wall = performance.now() - before[2];
  await untilIdle(server);
  const after = [await usage(server), await usage(Deno.pid)] as const;
  const perItem = {
    server: (after[0].cpu - before[0].cpu) / count,
    client: (after[1].cpu - before[1].cpu) / count,
    wall: wall / count,
  };
  const text = Object.entries(perItem).map(([who, ms]) => `${who} ${ms.toFixed(4)} ms`).join(", ");
  console.log(`${name}: ${text} per item`);
  return { name, perItem };
}

/** Pulls messages in batches and acknowledges them. */
async function pull(queue: Queue, count: number, batch: number): Promise<void> {
  const puller = new Puller(queue), { signal } = new AbortController();
  for (let left = count; left > 0;) {
    const messages = await puller.next(Math.min(batch, left), 5000, signal);
    for (const message of messages) message.ack();
    left -= messages.length;
  }
  await queue.nats.flush();
}

async function measureServer(): Promise<Pick<Costs, "publish" | "pull" | "stream">> {
  await using server = await NatsServer.start();
  const pid = await pidOf(`${server.folder}/server.conf`);
  const queue = await openQueue({ servers: server.url });
  await queue.create();
  const empty = (await usage(pid)).memory;
  const steps: Step[] = [];
  let published = 0, messages = 0;
  for (const size of SIZES) {
    const count = size - messages;
    steps.push(
      await costOf(
        `publish to a stream of ${size}`,
        pid,
        count,
        () => publishItems(queue, items(published, count)),
      ),
    );
    published += count;
    messages += count;
    for (const [i, batch] of BATCHES.entries()) {
      const name = `pull and acknowledge in batches of ${batch} from ${messages}`;
      const few = PULLED[i]!;
      steps.push(await costOf(name, pid, few, () => pull(queue, few, batch)));
      messages -= few;
    }
  }
  const { memory } = await usage(pid);
  const { state } = await queue.manager.streams.info(queue.names.items);
  await queue.close();
  const last = (text: string) => steps.findLast(({ name }) => name.startsWith(text))!.perItem;
  const one = last("pull and acknowledge in batches of 1 "),
    many = last("pull and acknowledge in batches of 256");
  return {
    publish: last("publish"),
    pull: {
      perBatch: {
        server: one.server - many.server,
        client: one.client - many.client,
        wall: one.wall - many.wall,
      },
      perItem: many,
    },
    stream: {
      memory: (memory - empty) / state.messages,
      disk: state.bytes / state.messages,
    },
  };
}

async function measureStore(): Promise<Costs["store"]> {
  const folder = await Deno.makeTempDir();
  try {
    const recipe = await readRecipe(RECIPE);
    const item = await makeItem(rattle(fcc({ element: "Ar", a: 5.3, cells: 2 }), 0.1, 1), recipe);
    const store = await openResultStore(`${folder}/one`);
    await runCampaign(recipe, [item], store);
    const result = (await store.get(item.id))!;
    await store.close();
    const many = await openResultStore(`${folder}/many`);
    let bytes = 0;
    const written = await usage(Deno.pid);
    for (let i = 0; i < RESULTS; i++) {
      const record = recordOf({ ...result, id: i.toString(16).padStart(64, "0") });
      bytes += record.bytes.length;
      many.putRecord(record);
      if (i % 256 === 255) await many.flush();
    }
    await many.close();
    const before = await usage(Deno.pid);
    const opened = await openResultStore(`${folder}/many`);
    const after = await usage(Deno.pid);
    if (opened.size !== RESULTS) throw new Error("Cannot measure: results are missing");
    await opened.close();
    const costs = {
      write: (before.cpu - written.cpu) / RESULTS,
      open: (after.cpu - before.cpu) / RESULTS,
      memory: (after.memory - before.memory) / RESULTS,
      disk: bytes / RESULTS,
    };
    console.log("store, per result:", costs);
    return costs;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const load = (await Deno.readTextFile("/proc/loadavg")).split(" ")[0]!;
  const costs = { load: Number(load), ...await measureServer(), store: await measureStore() };
  await Deno.writeTextFile(
    new URL("costs.json", import.meta.url),
    `${JSON.stringify(costs, null, 2)}\n`,
  );
}
