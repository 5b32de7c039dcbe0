// Queues in programs, on a real NATS server.
import { assertEquals, assertRejects } from "@std/assert";
import {
  addItems,
  type CheckedRecipe,
  createCampaign,
  openResultStore,
  type ResultStore,
} from "../../../src/campaign/mod.ts";
import { openCampaignQueue, type WorkEvent } from "../../../src/campaign/queue/mod.ts";
import { tempFolder } from "../../cli/session.ts";
import { pythonTest } from "../../python.ts";
import { crystals, recipeOf } from "./argon.ts";
import { NatsServer } from "./nats_server.ts";

pythonTest("a program submits, works, retries, cancels and reconciles", async () => {
  await using server = await NatsServer.start();
  await using folder = await tempFolder();
  await using queue = await openCampaignQueue({ servers: server.url, queue: "program" });
  assertEquals(queue.name, "program");
  await assertRejects(() => queue.count(), Error, "The queue program does not exist: submit");
  await assertRejects(() => queue.retry(), Error, "The queue program does not exist: submit");
  assertEquals(await queue.cancel("all"), 0);

  const recipe = await recipeOf({ stages: [{ stage: "relax", steps: 5 }] });
  const items = await crystals(4, recipe), [first, second, ...others] = items;
  await using store = await openResultStore(folder.path);
  const wrong = { priority: "urgent" } as unknown as { priority: "high" };
  await assertRejects(() => queue.submit(recipe, items, wrong), RangeError, "priority must be");
  await assertRejects(
    () => queue.submit({ model: "lj:argon" } as unknown as CheckedRecipe, items),
    TypeError,
    "recipe must be the result of readRecipe",
  );
  await assertRejects(
    () => queue.work(folder.path as unknown as ResultStore),
    TypeError,
    "store must be the result of openResultStore",
  );
  await assertRejects(() => queue.work(store, { tries: 0 }), RangeError, "tries must be");

  const none = { present: 0, finished: 0, aside: 0 };
  // Items with labels and without.
  assertEquals(await queue.submit(recipe, [first!, second!.item]), { ...none, published: 2 });
  const sent = await queue.submit(recipe, others, { priority: "high" });
  assertEquals(sent, { ...none, published: 2 });
  assertEquals((await queue.count()).waiting, { high: 2, normal: 2, low: 0 });
  assertEquals(await queue.cancel([others[0]!.item.id]), 1);
  const events: WorkEvent[] = [];
  const onEvent = (event: WorkEvent) => void events.push(event);
  assertEquals((await queue.work(store, { untilEmpty: true, onEvent })).done, 3);
  assertEquals(events.map((event) => event.type === "done" && event.label), [
    others[1]!.label,
    first!.label,
    second!.item.id.slice(0, 12),
  ]);
  const again = await queue.submit(recipe, items, { store });
  assertEquals(again, { ...none, published: 1, finished: 3 });

  // A hook that fails: the item is set aside, and retried by a program whose hook works.
  const hooked = await recipeOf({ hooks: [{ hook: "mine" }] });
  assertEquals(await queue.cancel("all"), 1);
  await queue.submit(hooked, await crystals(1, hooked));
  const broken = () => {
    throw new TypeError("broken");
  };
  const counts = await queue.work(store, { untilEmpty: true, hooks: { mine: broken } });
  assertEquals([counts.done, counts.aside], [0, 1]);
  assertEquals((await queue.listAside()).items.map(({ error }) => error), ["broken"]);
  assertEquals(await queue.retry([]), { retried: 0, lost: [] });
  assertEquals(await queue.retry(), { retried: 1, lost: [] });
  const mine = () => ({ stage: "dynamics/AFTER_STEP", frequency: 10, call() {} });
  assertEquals((await queue.work(store, { untilEmpty: true, hooks: { mine } })).done, 1);

  const campaign = `${folder.path}/campaign`;
  await createCampaign(campaign, recipe);
  await addItems(campaign, items.map(({ item, label }) => ({ ...item, source: label })));
  assertEquals(await queue.reconcile(campaign), { ...none, published: 4 });
  assertEquals(await queue.reconcile(campaign, { store }), {
    published: 0,
    aside: 0,
    finished: 3,
    present: 1,
  });

  const stop = new AbortController();
  stop.abort();
  assertEquals((await queue.work(store, { signal: stop.signal })).done, 0);
});
