/**
 * A campaign over a queue whose workers and server are killed.
 *
 * @module
 */

import { runCampaign } from "../../../src/campaign/run/run_campaign.ts";
import { openResultStore, type ResultStore } from "../../../src/campaign/store/result_store.ts";
import { listAside } from "../../../src/campaign/queue/control.ts";
import { openQueue } from "../../../src/campaign/queue/queue.ts";
import { submitCampaign } from "../../../src/campaign/queue/submit.ts";
import { crystals, recipeOf } from "./argon.ts";
import { NatsServer } from "./nats_server.ts";
import { until } from "./until.ts";
import { WorkerProcess } from "./workers.ts";

/** Size of a campaign, and the kills during it. */
export interface ChaosOptions {
  readonly items: number;
  readonly workers: number;
  /** Kills of workers, spread over the campaign. */
  readonly workerKills: number;
  /** Kills of the server. At the middle one, its disk is wiped. */
  readonly serverKills: number;
  /** Largest number of items that a worker holds. */
  readonly batch: number;
  /** Longest time, s. */
  readonly seconds: number;
}

/** Results of a campaign with kills. */
export interface ChaosOutcome {
  readonly results: number;
  /** Items whose results differ from those of a single undisturbed process. */
  readonly different: readonly string[];
  /** Items with several results that differ. */
  readonly faults: number;
  readonly aside: number;
  /** Messages in the queue at the end. */
  readonly left: number;
  /** Exit codes of the workers that were asked to end. */
  readonly codes: readonly number[];
  /** Items that were computed more than once. */
  readonly repeated: number;
  readonly seconds: number;
}

/** Runs a campaign while workers and the server are killed, and compares its results with those of one process. */
export async function runChaos(options: ChaosOptions): Promise<ChaosOutcome> {
  const folder = await Deno.makeTempDir();
  await using server = await NatsServer.start();
  const recipe = await recipeOf();
  const items = await crystals(options.items, recipe);
  const store = await openResultStore(`${folder}/results`);
  const queue = await openQueue({ servers: server.url, lease: 3000 });
  const begun = performance.now();
  await submitCampaign(queue, recipe, items, { store });
  const args = ["--batch", String(options.batch), "--tries", "1000", "--lease", "3"];
  const start = () => new WorkerProcess(server.url, `${folder}/results`, args);
  await Deno.mkdir(`${folder}/results`, { recursive: true });
  const workers = Array.from({ length: options.workers }, start);
  try {
    const events = eventsOf(options);
    for (const [i, event] of events.entries()) {
      const progress = Math.floor(options.items * (i + 1) / (events.length + 2));
      await until(`${progress} results`, () => reached(store, progress), options.seconds);
      if (event.kind === "worker") {
        const killed = workers.shift()!;
        workers.push(start());
        await killed.end("SIGKILL");
      } else {
        await server.kill();
        if (event.wipes) await server.wipe();
        await server.restart();
        if (event.wipes) await submitCampaign(queue, recipe, items, { store });
      }
    }
    await until("all results", () => reached(store, options.items), options.seconds);
    const info = () => queue.manager.streams.info(queue.names.items);
    await until("an empty queue", async () => (await info()).state.messages === 0, options.seconds);
    const seconds = (performance.now() - begun) / 1000;
    const ends = await Promise.all(workers.splice(0).map((worker) => worker.end("SIGTERM")));
    for (const { code, text } of ends) if (code !== 0) console.error(text);
    const alone = await openResultStore(`${folder}/alone`);
    await runCampaign(recipe, items.map(({ item }) => item), alone);
    return {
      results: store.size,
      different: await differing(store, alone),
      faults: store.faults.length,
      aside: (await listAside(queue)).count,
      left: (await info()).state.messages,
      codes: ends.map(({ code }) => code),
      repeated: await countLines(`${folder}/results/shards`) - store.size,
      seconds,
    };
  } finally {
    await Promise.all(workers.map((worker) => worker.end("SIGKILL")));
    await queue.nats.close();
    await store.close();
    await Deno.remove(folder, { recursive: true });
  }
}

async function reached(store: ResultStore, count: number): Promise<boolean> {
  await store.refresh();
  return store.size >= count;
}

type ChaosEvent = { readonly kind: "worker" } | {
  readonly kind: "server";
  readonly wipes: boolean;
};

/** Spreads the kills of the server over those of the workers. */
function eventsOf({ workerKills, serverKills }: ChaosOptions): ChaosEvent[] {
  const events: { readonly at: number; readonly event: ChaosEvent }[] = [];
  for (let i = 0; i < workerKills; i++) {
    events.push({ at: (i + 0.5) / workerKills, event: { kind: "worker" } });
  }
  for (let i = 0; i < serverKills; i++) {
    const wipes = i === Math.floor(serverKills / 2);
    events.push({ at: (i + 0.6) / serverKills, event: { kind: "server", wipes } });
  }
  return events.sort((a, b) => a.at - b.at).map(({ event }) => event);
}

/** Returns the ids whose bytes differ in two stores. */
async function differing(store: ResultStore, other: ResultStore): Promise<string[]> {
  const different: string[] = [];
  await store.refresh();
  await other.refresh();
  const ids = new Set([...store.all(), ...other.all()].map(({ id }) => id));
  for (const id of ids) {
    const [a, b] = [await store.bytesOf(id), await other.bytesOf(id)];
    const isEqual = a !== undefined && b !== undefined && a.length === b.length &&
      a.every((byte, i) => byte === b[i]);
    if (!isEqual) different.push(id);
  }
  return different;
}

async function countLines(folder: string): Promise<number> {
  let lines = 0;
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".jsonl")) continue;
    lines += (await Deno.readTextFile(`${folder}/${name}`)).split("\n").length - 1;
  }
  return lines;
}
