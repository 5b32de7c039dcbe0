import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { type Costs, type Setup, simulate } from "../../bench/scale/model.ts";

const NOTHING = { server: 0, client: 0, wall: 0 };
const FREE: Costs = {
  load: 0,
  publish: NOTHING,
  pull: { perBatch: NOTHING, perItem: NOTHING },
  stream: { memory: 0, disk: 0 },
  store: { write: 0, open: 0, memory: 0, disk: 0 },
};
/** A server that needs 10 ms for each request. */
const SLOW: Costs = { ...FREE, pull: { perBatch: { ...NOTHING, wall: 10 }, perItem: NOTHING } };
const SITE: Setup = {
  workers: 10,
  itemTime: 1,
  streams: 1,
  roundTrip: 0,
  flushTime: 0,
  timeToKill: Infinity,
  startTime: 0,
  duration: 1000,
};

Deno.test("workers without overhead compute all the time", () => {
  const setup = { ...SITE, itemTime: 10, duration: 10_000 };
  const { efficiency, throughput, repeated, batch } = simulate(FREE, setup);
  assertAlmostEquals(efficiency, 1, 0.02);
  assertAlmostEquals(throughput, 1, 0.03);
  assertEquals([repeated, batch], [0, 1]);
});

Deno.test("a server that is always busy limits the throughput, and more streams raise it", () => {
  const setup = { ...SITE, workers: 5000, itemTime: 10, duration: 300 };
  const { throughput, serverLoad } = simulate(SLOW, setup);
  assertAlmostEquals(throughput, 100, 1); // 1 / 10 ms
  assertAlmostEquals(serverLoad, 1, 0.01);
  assertAlmostEquals(simulate(SLOW, { ...setup, streams: 4 }).throughput, 400, 4);
});

Deno.test("short structures come in batches of half a second", () => {
  const { batch, throughput } = simulate(SLOW, { ...SITE, workers: 1, itemTime: 0.01 });
  assert(40 < batch && batch < 60, `${batch}`);
  assert(throughput > 90, `${throughput}`);
});

Deno.test("killed workers lose what they held", () => {
  // Of a structure of 1 s in workers that live 10 s on average, a tenth is lost.
  const { repeated } = simulate(FREE, { ...SITE, workers: 100, timeToKill: 10 });
  assertAlmostEquals(repeated, 0.1, 0.02);
});
