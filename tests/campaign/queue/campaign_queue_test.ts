// Arguments of programs that use queues. They are checked before anything is sent.
import { assertRejects } from "@std/assert";
import { openCampaignQueue, type QueueOptions } from "../../../src/campaign/queue/mod.ts";

const servers = "nats://127.0.0.1:1";

Deno.test("a queue with wrong options is not opened", async () => {
  const opens = (options: unknown) => () => openCampaignQueue(options as QueueOptions);
  await assertRejects(opens(undefined), TypeError, "the options must be an object");
  await assertRejects(opens({ servers, retries: 3 }), TypeError, "retries");
  await assertRejects(opens({ servers: "http://host" }), TypeError, "servers must be addresses");
  await assertRejects(opens({ servers, queue: "a.b" }), RangeError, "The name of a queue");
  await assertRejects(opens({ servers, replicas: 2 }), RangeError, "replicas must be 1 or 3 or 5");
  await assertRejects(opens({ servers, lease: 0 }), RangeError, "lease must be a positive integer");
  await assertRejects(opens({ servers, maxBytes: "1 MB" }), TypeError, "maxBytes must be a number");
  await assertRejects(opens({ servers, checkpointBytes: -1 }), RangeError, "checkpointBytes");
});
