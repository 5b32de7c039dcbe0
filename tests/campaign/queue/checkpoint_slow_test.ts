// Items that take long continue on another machine, without the folder of the first.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { CampaignHandler } from "../../../src/campaign/queue/campaign_handler.ts";
import type { CheckpointOptions, QueueOptions } from "../../../src/campaign/queue/options.ts";
import { cancelItems } from "../../../src/campaign/queue/control.ts";
import { openQueue, type Queue } from "../../../src/campaign/queue/queue.ts";
import { submitCampaign } from "../../../src/campaign/queue/submit.ts";
import { workQueue } from "../../../src/campaign/queue/work.ts";
import type { CheckedRecipe } from "../../../src/campaign/recipe/recipe.ts";
import { runCampaign } from "../../../src/campaign/run/run_campaign.ts";
import { openResultStore } from "../../../src/campaign/store/result_store.ts";
import { tempFolder } from "../../cli/session.ts";
import { pythonTest } from "../../python.ts";
import { crystals, recipeOf } from "./argon.ts";
import { recordsIn } from "./campaign_files.ts";
import { NatsServer } from "./nats_server.ts";
import { until } from "./until.ts";

const STEPS = 400;

/** A recipe with a hook that counts steps, and that may take its time. */
function longRecipe(): Promise<CheckedRecipe> {
  const md = { stage: "md", steps: STEPS, temperature: 30, options: { dt: 2 } } as const;
  return recipeOf({ stages: [{ stage: "relax", steps: 5 }, md], hooks: [{ hook: "count" }] });
}

/** Steps that were counted, and the time that each takes, ms. */
interface Counter {
  steps: number;
  readonly pause: number;
}

const hookOf = (counter: Counter) => ({
  stage: "dynamics/AFTER_STEP",
  frequency: 1,
  async call() {
    counter.steps++;
    if (counter.pause > 0) await new Promise((resolve) => setTimeout(resolve, counter.pause));
  },
});

/** Runs a worker with a folder of its own, until the queue is empty or it is stopped. */
async function work(
  queue: Queue,
  folder: string,
  { counter, checkpoints, stop = new AbortController().signal, abort = stop }: {
    readonly counter: Counter;
    readonly checkpoints: CheckpointOptions;
    readonly stop?: AbortSignal;
    readonly abort?: AbortSignal;
  },
): Promise<void> {
  const store = await openResultStore(folder);
  const hooks = { count: () => hookOf(counter) };
  const handler = new CampaignHandler(queue, store, { hooks, checkpoints, signal: abort });
  try {
    await workQueue(queue, handler, { signal: stop, abort, untilEmpty: true });
  } finally {
    await handler[Symbol.asyncDispose]();
    await store.close();
  }
}

pythonTest("an item continues on another machine from its last checkpoint", async (t) => {
  await using server = await NatsServer.start();
  await using folder = await tempFolder();
  const at = (name: string) => `${folder.path}/${name}`;
  const open = (options: Partial<QueueOptions> = {}) =>
    openQueue({ servers: server.url, lease: 1000, ...options });
  const recipe = await longRecipe(), items = await crystals(1, recipe);
  const [{ item }] = items as [typeof items[number]];
  const alone = await openResultStore(at("alone")), whole: Counter = { steps: 0, pause: 0 };
  await runCampaign(recipe, [item], alone, { hooks: { count: () => hookOf(whole) } });
  await alone.close();
  const { records: expected } = await recordsIn(at("alone"));
  const queue = await open();
  const stored = async () => {
    const info = await (await queue.checkpoints()).info(item.id);
    return info !== null && !info.deleted;
  };
  const submit = () => submitCampaign(queue, recipe, items);

  await t.step("after its worker has gone, and after one that was stopped", async () => {
    await submit();
    assertEquals((await (await queue.checkpoints()).status()).ttl, 7 * 86_400 * 1e9);
    // The connection of the first worker is cut, and it never comes back.
    const first = await open(), counter: Counter = { steps: 0, pause: 3 };
    const end = new AbortController();
    const gone = work(first, at("first"), {
      counter,
      checkpoints: { seconds: 0.1 },
      stop: end.signal,
    });
    await until("a checkpoint", stored);
    await first.nats.close();
    end.abort();
    await gone;
    assert(counter.steps < whole.steps, "the first worker must not have finished");
    assertEquals(Object.keys((await recordsIn(at("first"))).records), []);
    // The second one is stopped in the middle.
    const stop = new AbortController(), second: Counter = { steps: 0, pause: 3 };
    const stopped = work(queue, at("second"), {
      counter: second,
      checkpoints: { seconds: 3600 },
      stop: stop.signal,
    });
    await until("some steps", () => second.steps > 10);
    stop.abort();
    await stopped;
    const third: Counter = { steps: 0, pause: 0 };
    await work(queue, at("third"), { counter: third, checkpoints: {} });
    assertEquals((await recordsIn(at("third"))).records, expected);
    assert(second.steps + third.steps < whole.steps, "the second one continued");
    assert(third.steps + second.steps + counter.steps >= whole.steps);
    assertEquals(await stored(), false, "a finished item has no checkpoint");
  });

  await t.step("a checkpoint that is too large or damaged costs time only", async () => {
    await submit();
    const notices: string[] = [], onNotice = (text: string) => void notices.push(text);
    const stop = new AbortController(), slow: Counter = { steps: 0, pause: 1 };
    const stopped = work(queue, at("large"), {
      counter: slow,
      checkpoints: { seconds: 0.05, mostBytes: 1000, onNotice },
      stop: stop.signal,
    });
    await until("a notice", () => notices.length > 0);
    stop.abort();
    await stopped;
    assertStringIncludes(notices.join(), "bytes, and may have 1000. It begins again");
    assertEquals(await stored(), false);
    await (await queue.checkpoints()).putBlob({ name: item.id }, new Uint8Array(2000));
    const counter: Counter = { steps: 0, pause: 0 };
    await work(queue, at("damaged"), { counter, checkpoints: { onNotice } });
    assertStringIncludes(notices.at(-1)!, "Cannot read a checkpoint: ");
    assertEquals([counter.steps, (await recordsIn(at("damaged"))).records], [
      whole.steps,
      expected,
    ]);
  });

  await t.step("cancelling removes checkpoints", async () => {
    const store = await queue.checkpoints();
    for (const ids of [[item.id], undefined]) {
      await submit();
      await store.putBlob({ name: item.id }, new Uint8Array(10));
      assertEquals([await cancelItems(queue, ids), await stored()], [1, false]);
    }
  });
  await queue.close();
});

pythonTest("checkpoints need permissions, without which a worker works", async (t) => {
  const job = [
    "$JS.API.CONSUMER.MSG.NEXT.HOOKE_hooke_ITEMS.*",
    "$JS.ACK.>",
    "$JS.API.STREAM.INFO.HOOKE_hooke_ITEMS",
    "$JS.API.STREAM.MSG.GET.HOOKE_hooke_STATES",
    "$JS.API.STREAM.PURGE.HOOKE_hooke_STATES",
    "hooke.hooke.try.*",
    "hooke.hooke.aside.*",
  ];
  const checkpoints = [
    "$O.HOOKE_hooke_CHECKPOINTS.>",
    "$JS.API.STREAM.MSG.GET.OBJ_HOOKE_hooke_CHECKPOINTS",
    "$JS.API.STREAM.PURGE.OBJ_HOOKE_hooke_CHECKPOINTS",
  ];
  const user = (name: string, subjects: readonly string[]) =>
    `{ user: ${name}, password: x, permissions: {
      publish: ${JSON.stringify(subjects)}, subscribe: ["_INBOX.>"] } }`;
  await using server = await NatsServer.start(
    `authorization { users = [ { user: owner, password: x }
      ${user("plain", job)}
      ${user("saving", [...job, ...checkpoints])} ] }`,
  );
  const open = (name: string) =>
    openQueue({ servers: server.url, user: name, password: "x", lease: 1000 });
  const owner = await open("owner"), recipe = await longRecipe();
  const items = await crystals(2, recipe);
  for (const [i, name] of ["plain", "saving"].entries()) {
    await t.step(`as the user ${name}`, async () => {
      await using folder = await tempFolder();
      await submitCampaign(owner, recipe, [items[i]!]);
      const queue = await open(name), notices: string[] = [];
      let saves = 0;
      const watch = await owner.nats.subscribe("$O.>", { callback: () => void saves++ });
      await work(queue, folder.path, {
        counter: { steps: 0, pause: 1 },
        checkpoints: { seconds: 0.1, onNotice: (text) => void notices.push(text) },
      });
      watch.unsubscribe();
      assertEquals(Object.keys((await recordsIn(folder.path)).records), [items[i]!.item.id]);
      if (name === "plain") assertStringIncludes(notices.join(), "Permissions Violation");
      else assertEquals([notices, saves > 0], [[], true]);
      await queue.close();
    });
  }
  await owner.close();
});
