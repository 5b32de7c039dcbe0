// Queues on a real NATS server.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { fcc, rattle } from "../../../src/batch/crystal.ts";
import { writeExtxyz } from "../../../src/batch/extxyz/mod.ts";
import { CampaignHandler } from "../../../src/campaign/queue/campaign_handler.ts";
import { cancelItems, listAside, retryAside } from "../../../src/campaign/queue/control.ts";
import { publishItems, type QueueItem } from "../../../src/campaign/queue/publish.ts";
import { Puller } from "../../../src/campaign/queue/pull.ts";
import { countQueue, openQueue, type Queue } from "../../../src/campaign/queue/queue.ts";
import { submitCampaign } from "../../../src/campaign/queue/submit.ts";
import type { WorkEvent } from "../../../src/campaign/queue/counts.ts";
import type { WorkOptions } from "../../../src/campaign/queue/options.ts";
import { type ItemFailure, workQueue } from "../../../src/campaign/queue/work.ts";
import { openResultStore } from "../../../src/campaign/store/result_store.ts";
import { sha256Hex } from "../../../src/campaign/item/sha256.ts";
import { hooke, tempFolder } from "../../cli/session.ts";
import { openPython, pythonTest } from "../../python.ts";
import { crystals, recipeOf } from "./argon.ts";
import { NatsServer } from "./nats_server.ts";
import { until } from "./until.ts";

const idOf = (n: number) => n.toString(16).padStart(64, "0");

function itemOf(n: number): QueueItem {
  const label = `item ${n}`, input = new Uint8Array(100);
  return { id: idOf(n), recipe: idOf(0), seed: 0, label, version: "1", input };
}

/** Runs a worker until the queue is empty, with a function in place of the computation. */
async function workAll(
  queue: Queue,
  run: (item: QueueItem) => ItemFailure | void = () => {},
  options: Partial<WorkOptions> = {},
) {
  const events: WorkEvent[] = [], done: string[] = [];
  const handler = {
    has: (id: string) => done.includes(id),
    run(items: readonly QueueItem[]) {
      const failures = new Map<string, ItemFailure>();
      for (const item of items) {
        const failure = run(item);
        if (failure === undefined) done.push(item.id);
        else failures.set(item.id, failure);
      }
      return Promise.resolve(failures);
    },
  };
  const counts = await workQueue(queue, handler, {
    signal: new AbortController().signal,
    untilEmpty: true,
    retryDelay: 10,
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { counts, events, done };
}

pythonTest("a queue on a real server", async (t) => {
  await using server = await NatsServer.start();
  let name = 0;
  const step = (title: string, fn: (queue: Queue) => Promise<void>) =>
    t.step(title, async () => {
      const queue = await openQueue({ servers: server.url, queue: `q${name++}`, lease: 1000 });
      await queue.create();
      try {
        await fn(queue);
      } finally {
        await queue.close();
      }
    });

  await step("an item that is in the queue is not added again", async (queue) => {
    const items = Array.from({ length: 1500 }, (_, n) => itemOf(n));
    const publish = () => publishItems(queue, items);
    const both = [await publish(), await publish()];
    assertEquals(both, [{ published: 1500, present: 0 }, { published: 0, present: 1500 }]);
    assertEquals(await publishItems(queue, [itemOf(1), itemOf(9999), itemOf(9999)]), {
      published: 1,
      present: 2,
    });
    assertEquals((await countQueue(queue)).waiting.normal, 1501);
    assertEquals(await cancelItems(queue, [idOf(7), idOf(8), idOf(123_456)]), 2);
    assertEquals(await cancelItems(queue), 1499);
    // No window of time remembers ids: a cancelled item may come again at once.
    assertEquals((await publishItems(queue, [itemOf(7)])).published, 1);
  });

  await step("workers take items of a higher priority first, each once", async (queue) => {
    await publishItems(queue, [itemOf(1), itemOf(2)], { priority: "low" });
    await publishItems(queue, [itemOf(3), itemOf(4)]);
    await publishItems(queue, [itemOf(5)], { priority: "high" });
    const { done, counts } = await workAll(queue, undefined, { batch: 1 });
    assertEquals(done, [5, 3, 4, 1, 2].map(idOf));
    assertEquals(counts, { done: 5, known: 0, failed: 0, aside: 0, foreign: 0, left: 0 });
  });

  await step(
    "an item that fails is set aside with its reason, and can be retried",
    async (queue) => {
      await publishItems(queue, [1, 2, 3].map(itemOf));
      let tries = 0;
      const fails = ({ id }: QueueItem): ItemFailure | void => {
        if (id === idOf(2)) return { reason: `broken ${++tries}`, then: "again" };
      };
      const { done, counts } = await workAll(queue, fails, { tries: 3 });
      assertEquals([done.toSorted(), tries], [[idOf(1), idOf(3)], 3]);
      assertEquals([counts.failed, counts.aside], [3, 1]);
      const { items: [aside], count } = await listAside(queue);
      assertEquals([count, aside!.id, aside!.label, aside!.error, aside!.tries], [
        1,
        idOf(2),
        "item 2",
        "broken 3",
        3,
      ]);
      assertEquals(await retryAside(queue, ["ffff"]), { retried: 0, lost: [] });
      assertEquals(await retryAside(queue), { retried: 1, lost: [] });
      assertEquals((await workAll(queue)).done, [idOf(2)]);
      assertEquals((await listAside(queue)).count, 0);
    },
  );

  await step(
    "a worker ends if only items for others are left, however soon they come back",
    async (queue) => {
      await publishItems(queue, [1, 2, 3, 4, 5].map(itemOf));
      const seen = new Map<string, number>();
      const leaves = ({ id }: QueueItem): ItemFailure | void => {
        seen.set(id, (seen.get(id) ?? 0) + 1);
        // What item 3 needs appears later, and item 4 waits for that.
        const again = seen.get(idOf(3)) ?? 0;
        if (id === idOf(4) && again < 2) return { reason: "too early", then: "again" };
        const lacks = id === idOf(1) || id === idOf(2) || id === idOf(3) && again < 2;
        if (lacks) return { reason: "no file", then: "elsewhere" };
      };
      const signal = AbortSignal.timeout(60_000);
      const { done, counts } = await workAll(queue, leaves, {
        signal,
        retryDelay: 1,
        tries: 100,
      });
      assertEquals(signal.aborted, false, "the worker did not end");
      assertEquals(done.toSorted(), [3, 4, 5].map(idOf));
      assertEquals([counts.done, counts.left, counts.aside], [3, 2, 0]);
      assertEquals((await workAll(queue)).done.toSorted(), [1, 2].map(idOf));
    },
  );

  await step("an item that ends its workers is set aside, and no other one is", async (queue) => {
    await publishItems(queue, [1, 2, 3, 4].map(itemOf));
    // A worker takes all items and dies: it never answers.
    const dead = await new Puller(queue).next(4, 1000, new AbortController().signal);
    assertEquals(dead.length, 4);
    const done: string[] = [];
    for (let death = 1; death <= 2; death++) {
      // The next ones die while they run item 2; the server does not hear of them again.
      const dying = await openQueue({ servers: server.url, queue: queue.names.queue, lease: 1000 });
      const died = workQueue(dying, {
        has: (id) => done.includes(id),
        async run([item]) {
          if (item!.id !== idOf(2)) return done.push(item!.id), new Map();
          await dying.nats.close();
          throw new Error("killed");
        },
      }, { signal: new AbortController().signal, tries: 2 });
      await assertRejects(() => died, Error, "killed");
    }
    const { events, counts } = await workAll(queue, () => {}, { tries: 2 });
    const aside = events.filter(({ type }) => type === "aside");
    assertEquals([aside.length, counts.aside], [1, 1]);
    assertStringIncludes(JSON.stringify(aside), "its worker ended while it ran");
    assertEquals((await listAside(queue)).items.map(({ id }) => id), [idOf(2)]);
  });

  await step(
    "foreign and malformed messages are removed, and never end a worker",
    async (queue) => {
      const { names, stream } = queue;
      const send = (id: string, text: string | Uint8Array) =>
        stream.publish(names.item("normal", id), text);
      await send("no-id", "hello");
      await send(idOf(1), "");
      await send(idOf(2), "{}\n");
      await send(idOf(3), new Uint8Array(300_000).fill(255));
      await send(idOf(4), `{"hooke":99}\n`);
      await send(idOf(5), `{"hooke":1,"item":"${idOf(5)}","recipe":7}\n`);
      await send(idOf(6), `${"[".repeat(60_000)}\n`);
      const line = { hooke: 1, item: idOf(8), recipe: idOf(0), seed: 0, label: "", version: "" };
      await send(idOf(7), `${JSON.stringify(line)}\n`);
      await publishItems(queue, [itemOf(20)]);
      const { done, counts, events } = await workAll(queue);
      assertEquals([done, counts.foreign], [[idOf(20)], 8]);
      assert(events.every((event) => event.type === "done" || event.type === "foreign"));
      assertEquals((await countQueue(queue)).waiting.normal, 0);
      await assertRejects(
        () => publishItems(queue, [{ ...itemOf(1), input: new Uint8Array(2_000_000) }]),
        RangeError,
        "Cannot queue item 1: its message has 2000",
      );
    },
  );

  await step("items of strangers cannot run code, nor claim other results", async (queue) => {
    const folder = await tempFolder();
    const module = `${folder.path}/evil.ts`, proof = `${folder.path}/proof`;
    const code = `Deno.writeTextFileSync(${JSON.stringify(proof)}, ""); export const hook = {};`;
    await Deno.writeTextFile(module, code);
    const hooks = [{ hook: `file://${module}#hook`, sha256: await sha256Hex(code) }];
    const evil = await recipeOf({ hooks }), good = await recipeOf();
    await submitCampaign(queue, evil, await crystals(1, evil));
    const [first, second] = await crystals(2, good, { seed: 7 });
    await submitCampaign(queue, good, [first!]);
    // The structure of one item under the id of another.
    await publishItems(queue, [{
      id: second!.item.id,
      recipe: good.hash,
      seed: 0,
      label: "false",
      version: (await import("../../../src/config/versions.ts")).versions().hooke,
      input: new TextEncoder().encode(first!.item.input),
    }]);
    const store = await openResultStore(`${folder.path}/results`);
    const handler = new CampaignHandler(queue, store);
    const signal = new AbortController().signal;
    const counts = await workQueue(queue, handler, { signal, untilEmpty: true });
    await handler[Symbol.asyncDispose]();
    await store.close();
    assertEquals([counts.done, counts.aside, counts.left], [1, 1, 1]);
    assertEquals(store.all().map(({ id }) => id), [first!.item.id]);
    const aside = await listAside(queue);
    assertEquals([aside.count, aside.items[0]!.id], [1, second!.item.id]);
    assertStringIncludes(aside.items[0]!.error, "does not belong to its id");
    // The worker allows no modules; another one may.
    assertEquals((await queue.manager.streams.info(queue.names.items)).state.messages, 1);
    const place = ["--queue", server.url, "--queue-name", queue.names.queue];
    const into = ["--store", `${folder.path}/more`, "--until-empty"];
    const said = await hooke(["work", ...place, ...into]);
    assertEquals([said.code, said.out], [3, "0 done, 1 left to other workers"]);
    assertStringIncludes(said.err, "this process allows no modules");
    await assertRejects(() => Deno.stat(proof), Deno.errors.NotFound);
    await folder[Symbol.asyncDispose]();
  });

  await step("a worker whose results cannot be stored gives everything back", async (queue) => {
    await publishItems(queue, [1, 2, 3].map(itemOf));
    const full = { has: () => false, run: () => Promise.reject(new Error("no space left")) };
    const { signal } = new AbortController();
    await assertRejects(() => workQueue(queue, full, { signal }), Error, "no space left");
    assertEquals((await workAll(queue)).done.length, 3);
  });

  await step(
    "long items stay with their worker, and a stopped worker gives back",
    async (queue) => {
      await publishItems(queue, [1, 2].map(itemOf));
      const stop = new AbortController();
      let runs = 0;
      // A worker need not know the lease that the queue was created with.
      const worker = await openQueue({ servers: server.url, queue: queue.names.queue });
      const counts = await workQueue(worker, {
        has: () => false,
        async run() {
          runs++;
          // Three leases: without reports the server would have given the item to another worker.
          await new Promise((resolve) => setTimeout(resolve, 3000));
          const others = await new Puller(queue).next(2, 250, stop.signal);
          for (const other of others) other.giveBack();
          assertEquals(others.map(({ subject }) => subject.split(".").at(-1)), [idOf(2)]);
          stop.abort();
          return new Map();
        },
      }, { signal: stop.signal });
      await worker.close();
      assertEquals([runs, counts.done], [1, 1]);
      assertEquals((await workAll(queue)).done, [idOf(2)]);
    },
  );

  await step(
    "the command submits, works, reconciles after a wiped disk, and shows",
    async (queue) => {
      await using folder = await tempFolder();
      const at = (path: string) => `${folder.path}/${path}`;
      const place = ["--queue", server.url, "--queue-name", "shell"];
      await Deno.writeTextFile(
        at("recipe.json"),
        JSON.stringify({ model: "lj:argon", stages: [{ stage: "relax" }] }),
      );
      const atoms = [1, 2, 3].map((seed) => rattle(fcc({ element: "Ar", a: 5.3 }), 0.1, seed));
      await Deno.writeTextFile(at("a.xyz"), writeExtxyz(atoms));
      const inputs = [at("recipe.json"), at("a.xyz")];
      assertEquals((await hooke(["submit", ...inputs, ...place])).out, "3 submitted");
      const again = await hooke(["submit", ...inputs, ...place]);
      assertEquals(again.out, "0 submitted, 3 in the queue already");
      await server.kill();
      await server.wipe();
      await server.restart();
      const gone = await hooke(["queue", "status", ...place]);
      assertEquals([gone.code, gone.err.includes("does not exist")], [1, true]);
      const results = ["--store", at("results")];
      const back = await hooke(["queue", "reconcile", ...inputs, ...results, ...place]);
      assertEquals([back.code, back.out, back.err], [0, "3 submitted", ""]);
      const worked = await hooke(["work", "--until-empty", ...results, ...place]);
      assertEquals([worked.code, worked.out.split("\n").at(-1), worked.err], [0, "3 done", ""]);
      const none = await hooke(["queue", "reconcile", ...inputs, ...results, ...place]);
      assertEquals(none.out, "0 submitted, 3 have a result");
      // With the folder of a campaign, which has structures and results.
      const campaign = ["-o", at("argon"), ...place, "--seeds", "2"];
      const both = await hooke(["submit", ...inputs, ...campaign]);
      assertEquals([both.code, both.out.split("\n").at(-1)], [0, "6 submitted"]);
      await hooke(["work", "--until-empty", "--store", at("argon"), ...place]);
      assertEquals((await hooke(["status", at("argon")])).code, 0);
      const rest = await hooke(["queue", "reconcile", at("argon"), ...place]);
      assertEquals(rest.out, "0 submitted, 6 have a result");
      const status = await hooke(["queue", "status", ...place, "--json"]);
      assertEquals([status.code, JSON.parse(status.out).running], [0, 0]);
      await queue.create(); // for close()
    },
  );
});

pythonTest("a worker without a server can be stopped", async () => {
  await using folder = await tempFolder();
  const stop = async (url: string, when: () => Promise<void>) => {
    const signal = new AbortController();
    const args = ["work", "--queue", url, "--store", folder.path];
    const working = hooke(args, { signal: signal.signal });
    await when();
    signal.abort("SIGTERM");
    return (await working).code;
  };
  const server = await NatsServer.start();
  const queue = await openQueue({ servers: server.url });
  const gone = await stop(server.url, async () => {
    // The worker has asked for items, and then the server is gone.
    await until(
      "a worker",
      async () => await countQueue(queue).then(({ idle }) => idle > 0, () => false),
    );
    await server.kill();
  });
  assertEquals(gone, 0);
  await queue.nats.close();
  assertEquals(await stop(server.url, () => Promise.resolve()), 143);
  await server[Symbol.asyncDispose]();
});

pythonTest("an encrypted connection checks the certificate of the server", async () => {
  await using folder = await tempFolder();
  const at = (name: string) => `${folder.path}/${name}`;
  const { run } = await openPython("nats");
  await run(["-m", "trustme", "-q", "-d", folder.path, "-i", "localhost"]);
  await using server = await NatsServer.start(
    `tls { cert_file: "${at("server.pem")}", key_file: "${at("server.key")}" }`,
  );
  const servers = server.url.replace("nats://127.0.0.1", "tls://localhost");
  await assertRejects(() => openQueue({ servers }), Error, `Cannot connect to ${servers}`);
  const queue = await openQueue({ servers, tlsAuthority: at("client.pem") });
  await queue.create();
  await publishItems(queue, [itemOf(1)]);
  assertEquals((await workAll(queue)).done, [idOf(1)]);
  await queue.close();
});

pythonTest("permissions and secrets", async (t) => {
  const secret = "s3cret-Pa55";
  await using server = await NatsServer.start(`
authorization {
  users = [
    { user: owner, password: "${secret}" }
    { user: worker, password: "${secret}", permissions: {
      publish: ["$JS.API.CONSUMER.MSG.NEXT.HOOKE_hooke_ITEMS.*", "$JS.ACK.>",
        "$JS.API.STREAM.INFO.HOOKE_hooke_ITEMS", "$JS.API.STREAM.MSG.GET.HOOKE_hooke_STATES",
        "$JS.API.STREAM.PURGE.HOOKE_hooke_STATES", "hooke.hooke.try.*", "hooke.hooke.aside.*"]
      subscribe: ["_INBOX.>"] } }
    { user: stranger, password: "${secret}", permissions: {
      publish: ["elsewhere"], subscribe: ["_INBOX.>"] } }
  ]
}`);
  const open = (user: string, password: string = secret) =>
    openQueue({ servers: server.url, user, password });
  const owner = await open("owner");
  await owner.create();
  await publishItems(owner, [1, 2].map(itemOf));

  await t.step("a worker with the documented permissions works", async () => {
    const worker = await open("worker");
    let fails = 2;
    const { done, events } = await workAll(worker, () => {
      if (fails-- > 0) return { reason: "once", then: "again" };
    });
    assertEquals(events.filter(({ type }) => type === "waiting"), []);
    assertEquals(done.length, 2);
    await worker.close();
  });

  await t.step("a worker without permissions gets nothing, and says so", async () => {
    await publishItems(owner, [itemOf(3)]);
    const stranger = await open("stranger");
    const error = await assertRejects(() => workAll(stranger), Error, "Permissions Violation");
    assert(!error.message.includes(secret));
    assertEquals((await countQueue(owner)).waiting.normal, 1);
    await stranger.close();
  });

  await t.step("errors and notices contain no password", async () => {
    const error = await assertRejects(() => open("owner", "wrong-Pa55"), Error, "Cannot connect");
    assert(!error.message.includes("wrong-Pa55"), error.message);
    const address = server.url.replace("//", "//owner:wrong-Pa55@");
    const { code, err, out } = await hooke(["queue", "status", "--queue", address]);
    assertEquals(code, 1);
    assert(!`${err}${out}`.includes("wrong-Pa55"), err);
    const odd = await hooke(["queue", "--queue", address.replace("nats:", "http:")]);
    assert(!`${odd.err}`.includes("wrong-Pa55"), odd.err);
    const notices: string[] = [];
    const watched = await openQueue({
      servers: server.url.replace("//", `//owner:${secret}@`),
      onNotice: (text) => notices.push(text),
    });
    await server.kill();
    await until("a notice", () => notices.length > 0);
    await server.restart();
    await until("a second notice", () => notices.some((text) => text.includes("again")));
    assert(!notices.join().includes(secret), notices.join());
    await watched.close();
  });
  await owner.close();
});
