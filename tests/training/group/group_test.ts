import { assertRejects, assertThrows } from "@std/assert";
import { openTrainingGroup, Trainer } from "../../../src/training/mod.ts";
import { parts } from "../networks.ts";

Deno.test("wrong options of a group are named", async () => {
  const refused = [
    [{ shards: 0 }, RangeError, "shards must be a positive integer"],
    [{ shards: 2, nodes: 3 }, RangeError, "at least as many shards as machines"],
    [{ shards: 2, nodes: 2, rank: 2 }, RangeError, "rank must be below the number of machines"],
    [{ shards: 2, nodes: 2 }, TypeError, "rendezvous must be the path of a folder"],
    [{ shards: 2, port: 70_000 }, RangeError, "port must be a port"],
    [{ shards: 2, ranks: 2 }, TypeError, "did you mean rank?"],
    [{ shards: 2, nodes: 2, rendezvous: "x", secret: "short" }, RangeError, "at least 16 bytes"],
    [{ shards: 2, nodes: 2, rendezvous: "x", secret: 7 }, TypeError, "secret is required"],
  ] as const;
  for (const [options, type, message] of refused) {
    await assertRejects(() => openTrainingGroup(options as never), type, message);
  }
});

Deno.test("a trainer refuses a wrong group, and workers beside a group", async () => {
  const group = await openTrainingGroup({ shards: 2 });
  for (
    const [more, type, message] of [
      [{ group, workers: 2 }, RangeError, "workers must not be given"],
      [{ group, device: "reference" }, RangeError, 'device must be "wasm" in a group'],
      [{ group: {} }, TypeError, "result of openTrainingGroup"],
    ] as const
  ) {
    assertThrows(() => new Trainer(parts(more as never)), type, message);
  }
  await group.close();
});
