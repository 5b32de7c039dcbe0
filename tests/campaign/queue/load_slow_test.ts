// Queues under load: submissions at the same time, and workers that are slower than the server.
import { assert, assertEquals } from "@std/assert";
import { CampaignHandler } from "../../../src/campaign/queue/campaign_handler.ts";
import { publishItems, type QueueItem } from "../../../src/campaign/queue/publish.ts";
import { countQueue, openQueue, type Queue } from "../../../src/campaign/queue/queue.ts";
import { submitCampaign } from "../../../src/campaign/queue/submit.ts";
import { workQueue } from "../../../src/campaign/queue/work.ts";
import { openResultStore } from "../../../src/campaign/store/result_store.ts";
import { tempFolder } from "../../cli/session.ts";
import { pythonTest } from "../../python.ts";
import { crystals, recipeOf } from "./argon.ts";
import { recordsIn } from "./campaign_files.ts";
import { NatsServer } from "./nats_server.ts";

const signal = new AbortController().signal;

/** Opens connections to one queue, and closes them at the end. */
async function withQueues(
  servers: string,
  count: number,
  fn: (queues: readonly Queue[]) => Promise<void>,
): Promise<void> {
  const queues = await Promise.all(
    Array.from({ length: count }, () => openQueue({ servers, lease: 2000 })),
  );
  try {
    await fn(queues);
  } finally {
    await Promise.all(queues.map((queue) => queue.close()));
  }
}

pythonTest(
  "submissions at the same time, and again during the work, add no structure twice",
  async () => {
    await using server = await NatsServer.start();
    await using folder = await tempFolder();
    await withQueues(server.url, 4, async (queues) => {
      const recipe = await recipeOf({ stages: [{ stage: "singlepoint" }] });
      const items = await crystals(2500, recipe);
      const others = queues.slice(1), [queue] = queues;
      const counts = await Promise.all(
        others.map((each) => submitCampaign(each, recipe, items)),
      );
      const sum = (of: "published" | "present") => counts.reduce((n, each) => n + each[of], 0);
      assertEquals([sum("published"), sum("present")], [2500, 5000]);
      assertEquals((await countQueue(queue!)).waiting.normal, 2500);
      // A submission without --store, while a worker computes, queues finished structures again. They have a result.
      const store = await openResultStore(folder.path);
      const handler = new CampaignHandler(queue!, store);
      const work = workQueue(queue!, handler, { signal, untilEmpty: true });
      await submitCampaign(others[0]!, recipe, items);
      await work;
      const { done } = await workQueue(queue!, handler, { signal, untilEmpty: true });
      assertEquals(done, 0);
      await handler[Symbol.asyncDispose]();
      await store.close();
      const { records, lines } = await recordsIn(folder.path);
      assertEquals([Object.keys(records).length, lines], [2500, 2500]);
    });
  },
);

pythonTest(
  "a worker that is slower than the server gets everything, in bounded memory",
  async () => {
    // The server drops a client that has not read this many bytes: much less than a full batch.
    await using server = await NatsServer.start("max_pending: 3MB");
    await withQueues(server.url, 2, async ([queue, other]) => {
      await queue!.create();
      const items = Array.from({ length: 200 }, (_, n): QueueItem => {
        const [id, recipe] = [n, 0].map((x) => x.toString(16).padStart(64, "0"));
        const input = new Uint8Array(100_000);
        return { id: id!, recipe: recipe!, label: `item ${n}`, seed: 0, version: "1", input };
      });
      await publishItems(other!, items);
      const done = new Map<string, number>();
      let most = 0;
      const counts = await workQueue(queue!, {
        has: () => false,
        run(some: readonly QueueItem[]) {
          for (const { id } of some) done.set(id, 1 + (done.get(id) ?? 0));
          most = Math.max(most, some.reduce((sum, { input }) => sum + input.length, 0));
          // The thread is busy, as it is while a batch is computed: it reads nothing.
          const end = performance.now() + 20;
          while (performance.now() < end);
          return Promise.resolve(new Map());
        },
      }, { signal, untilEmpty: true, batch: 128 });
      const log = await Deno.readTextFile(`${server.folder}/log`);
      assert(log.includes("Slow Consumer Detected"), "the server must drop the worker");
      assertEquals([done.size, counts.aside, counts.foreign], [200, 0, 0]);
      // A full batch would have 12.8 MB.
      assert(most <= 8 << 20, `${most} bytes at a time`);
    });
  },
);
