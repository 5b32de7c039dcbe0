/**
 * A discrete-event model of a campaign over a queue: many workers, one server per stream.
 *
 * A worker asks for a batch, computes it, makes the results durable, acknowledges, and asks again. The server handles
 * requests in order, one at a time for each stream. Workers are killed at random; the items that they held are computed
 * again. The worker's choice of its batch is that of `src/campaign/queue/work.ts`.
 *
 * The model leaves out: differences between machines, a slow network, and disks that become slower with more writers.
 *
 * @module
 */

/** Costs that `measure.ts` measures: times in ms, sizes in bytes. */
export interface Costs {
  /** Load of the machine when the costs were measured. */
  readonly load: number;
  /** Times for a submitted item: processor times of the server and the client, and the time in all. */
  readonly publish: Times;
  /** Times for a pull with its acknowledgements, of a batch of `n` items: `perBatch + n perItem`. */
  readonly pull: { readonly perBatch: Times; readonly perItem: Times };
  /** Memory and disk of the server, per item that waits. */
  readonly stream: { readonly memory: number; readonly disk: number };
  /** Processor time to write a result, to open a store that has it, memory of the open store, and disk. */
  readonly store: {
    readonly write: number;
    readonly open: number;
    readonly memory: number;
    readonly disk: number;
  };
}

/** Processor times of the two sides, and the time that passes, ms. */
export interface Times {
  readonly server: number;
  readonly client: number;
  readonly wall: number;
}

/** A campaign to simulate. Times in seconds. */
export interface Setup {
  readonly workers: number;
  /** Mean time to compute an item. */
  readonly itemTime: number;
  /** Independent streams, each on a server of its own; workers are divided among them. */
  readonly streams: number;
  /** Time from a worker to the server and back. */
  readonly roundTrip: number;
  /** Time to make a batch of results durable. */
  readonly flushTime: number;
  /** Mean time between two kills of a worker. */
  readonly timeToKill: number;
  /** Time from the start of a worker to its first request. */
  readonly startTime: number;
  /** Simulated time. */
  readonly duration: number;
}

/** Result of a simulation. */
export interface Outcome {
  /** Items per second. */
  readonly throughput: number;
  /** Part of the workers' time in which they compute results that count. */
  readonly efficiency: number;
  /** Part of the time in which the busiest server works. */
  readonly serverLoad: number;
  /** Items that were computed more often than once, as a part of all. */
  readonly repeated: number;
  /** Mean size of a batch. */
  readonly batch: number;
}

/** Time that a batch should take, s, and its largest size, as in `work.ts`. */
const BATCH_TIME = 0.5, MOST = 256;

/** Part of the simulated time that is left out, until the workers have found their batches. */
const WARM_UP = 0.2;

interface Event {
  readonly time: number;
  readonly worker: number;
  readonly what: "ask" | "end";
}

/** Simulates a campaign that has more items than are computed in the time. */
export function simulate(costs: Costs, setup: Setup, seed: number = 1): Outcome {
  const { workers, streams, duration, itemTime, roundTrip, flushTime, startTime } = setup;
  const random = generator(seed);
  const free = new Float64Array(streams), busy = new Float64Array(streams);
  const size = new Float64Array(workers).fill(1);
  const killed = Float64Array.from(
    { length: workers },
    () => exponential(random, setup.timeToKill),
  );
  const held = new Float64Array(workers), begun = new Float64Array(workers);
  const from = duration * WARM_UP;
  let done = 0, useful = 0, lost = 0, batches = 0, pulled = 0;
  const events = new Heap();
  for (let worker = 0; worker < workers; worker++) {
    events.push({ time: random() * Math.min(1, duration / 10), worker, what: "ask" });
  }
  for (
    let event = events.pop();
    event !== undefined && event.time < duration;
    event = events.pop()
  ) {
    const { time, worker } = event, counts = time >= from;
    if (event.what === "ask") {
      const n = size[worker]!, stream = worker % streams;
      const service = (serviceOf(costs.pull.perBatch) + n * serviceOf(costs.pull.perItem)) / 1000;
      const start = Math.max(time + roundTrip / 2, free[stream]!);
      free[stream] = start + service;
      if (counts) busy[stream]! += service;
      const overhead =
        (costs.pull.perBatch.client + n * (costs.pull.perItem.client + costs.store.write)) / 1000;
      begun[worker] = start + service + roundTrip / 2;
      held[worker] = compute(random, n, itemTime);
      const end = begun[worker]! + held[worker]! + overhead + flushTime;
      events.push({ time: end, worker, what: "end" });
      continue;
    }
    const n = size[worker]!;
    if (counts) {
      batches++;
      pulled += n;
    }
    if (killed[worker]! <= time) {
      // Another worker computes the items after the lease; this one starts again.
      const begin = killed[worker]! + startTime;
      killed[worker] = begin + exponential(random, setup.timeToKill);
      size[worker] = 1;
      if (counts) lost += n;
      events.push({ time: Math.max(begin, time), worker, what: "ask" });
      continue;
    }
    if (counts) {
      done += n;
      useful += held[worker]!;
    }
    const perItem = (time - begun[worker]!) / n;
    size[worker] = Math.max(1, Math.min(Math.floor(BATCH_TIME / perItem), 4 * n, MOST));
    events.push({ time, worker, what: "ask" });
  }
  const measured = duration - from;
  return {
    throughput: done / measured,
    efficiency: Math.min(1, useful / (workers * measured)),
    serverLoad: Math.max(...busy) / measured,
    repeated: lost / Math.max(1, done + lost),
    batch: pulled / Math.max(1, batches),
  };
}

/** Time for which a request occupies the server, ms. It waits for its disk, so that this is more than its processor time. */
export function serviceOf({ wall, client, server }: Times): number {
  return Math.max(server, wall - client);
}

/** Time of `n` items: lognormal with a spread of a factor of about two, as relaxations have. */
function compute(random: () => number, n: number, mean: number): number {
  const sigma = 0.7;
  let sum = 0;
  for (let i = 0; i < n; i++) sum += mean * Math.exp(sigma * normal(random) - sigma * sigma / 2);
  return sum;
}

function exponential(random: () => number, mean: number): number {
  return -mean * Math.log(1 - random());
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Returns a generator of numbers in [0, 1) (mulberry32). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Events, the earliest first. */
class Heap {
  readonly #events: Event[] = [];

  push(event: Event): void {
    const events = this.#events;
    let at = events.length;
    events.push(event);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (events[above]!.time <= event.time) break;
      events[at] = events[above]!;
      at = above;
    }
    events[at] = event;
  }

  pop(): Event | undefined {
    const events = this.#events, first = events[0], last = events.pop();
    if (events.length === 0 || last === undefined) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= events.length) break;
      if (below + 1 < events.length && events[below + 1]!.time < events[below]!.time) below++;
      if (events[below]!.time >= last.time) break;
      events[at] = events[below]!;
      at = below;
    }
    events[at] = last;
    return first;
  }
}
