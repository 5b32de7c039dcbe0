// Queues on a cluster of three servers, of which one is lost at a time.
import { assert, assertEquals } from "@std/assert";
import { CampaignHandler } from "../../../src/campaign/queue/campaign_handler.ts";
import { openQueue } from "../../../src/campaign/queue/queue.ts";
import { submitCampaign } from "../../../src/campaign/queue/submit.ts";
import { workQueue } from "../../../src/campaign/queue/work.ts";
import { runCampaign } from "../../../src/campaign/run/run_campaign.ts";
import { openResultStore } from "../../../src/campaign/store/result_store.ts";
import { tempFolder } from "../../cli/session.ts";
import { pythonTest } from "../../python.ts";
import { crystals, recipeOf } from "./argon.ts";
import { recordsIn } from "./campaign_files.ts";
import { NatsServer } from "./nats_server.ts";
import { until } from "./until.ts";

pythonTest(
  "with three replicas, a queue goes on without one server, and then without another",
  async () => {
    const cluster = await NatsServer.startCluster(3);
    await using folder = await tempFolder();
    const recipe = await recipeOf(), items = await crystals(150, recipe);
    const queue = await openQueue({
      servers: cluster.map(({ url }) => url).join(","),
      replicas: 3,
      lease: 2000,
    });
    await until("a queue", () => queue.create().then(() => true, () => false));
    await submitCampaign(queue, recipe, items);
    const info = () => queue.manager.streams.info(queue.names.items);
    await until(
      "three replicas",
      () => info().then(({ cluster }) => cluster?.replicas?.length === 2, () => false),
    );
    const store = await openResultStore(`${folder.path}/results`);
    const handler = new CampaignHandler(queue, store), lost: string[] = [];
    const leader = async () => {
      const name = await info().then(({ cluster }) => cluster?.leader, () => undefined);
      return cluster.find((server) => server.name === name);
    };
    /** Kills the server that has the lead of the items. */
    const killLeader = async () => {
      let server: NatsServer | undefined;
      await until("a leader", async () => (server = await leader()) !== undefined);
      await server!.kill();
      lost.push(server!.name);
      return server!;
    };
    const stop = new AbortController();
    let done = 0;
    const work = workQueue(queue, handler, {
      signal: stop.signal,
      batch: 2,
      onEvent: (event) => {
        if (event.type === "done") done++;
      },
    });
    try {
      await until("some results", () => done > 20);
      const first = await killLeader();
      const before = done;
      await until("results without a server", () => done > before + 20);
      await first.restart();
      await until("three replicas again", async () => {
        const { replicas = [] } = (await info().catch(() => undefined))?.cluster ?? {};
        return replicas.length === 2 &&
          replicas.every(({ current, offline }) => current && !offline);
      });
      await killLeader();
      await until("all results", () => store.size === 150);
      // Without its leader, the cluster may leave a question without an answer.
      await until(
        "an empty queue",
        () => info().then(({ state }) => state.messages === 0, () => false),
      );
    } finally {
      stop.abort();
      await work;
    }
    assert(done >= 150 && lost.length === 2, `${done} results, lost ${lost}`);
    await handler[Symbol.asyncDispose]();
    await store.close();
    await queue.close();
    for (const server of cluster) await server[Symbol.asyncDispose]();
    const alone = await openResultStore(`${folder.path}/alone`);
    await runCampaign(recipe, items.map(({ item }) => item), alone);
    await alone.close();
    const [one, other] = ["results", "alone"].map((name) => recordsIn(`${folder.path}/${name}`));
    assertEquals((await one!).records, (await other!).records);
  },
);
