/**
 * Writes the tables of docs/scale.md: the model of a campaign with the measured costs.
 *
 * @module
 */

import costs from "./costs.json" with { type: "json" };
import { type Costs, type Outcome, serviceOf, type Setup, simulate } from "./model.ts";

/** Structures of the large campaign. */
const STRUCTURES = 1e8;

/** Times to compute a structure, s. */
const ITEM_TIMES = [0.003, 0.03, 0.3, 3, 30, 300];

const NUMBERS_OF_WORKERS = [10, 100, 1000];

/** A site with a fast network, a shared file system, and workers that a scheduler stops once a day. */
const SITE = {
  roundTrip: 0.0005,
  flushTime: 0.02,
  timeToKill: 86400,
  startTime: 2,
} satisfies Partial<Setup>;

function outcome(workers: number, itemTime: number, streams: number): Outcome {
  const duration = Math.max(100, 100 * itemTime);
  return simulate(costs as Costs, { ...SITE, workers, itemTime, streams, duration });
}

function percent(value: number): string {
  return `${(100 * value).toFixed(value < 0.1 ? 1 : 0)} %`;
}

function seconds(value: number): string {
  if (value < 1) return `${+(value * 1000).toPrecision(2)} ms`;
  if (value < 120) return `${+value.toPrecision(2)} s`;
  if (value < 2 * 3600) return `${(value / 60).toFixed(0)} min`;
  if (value < 2 * 86400) return `${(value / 3600).toFixed(0)} h`;
  if (value < 2 * 365 * 86400) return `${(value / 86400).toFixed(0)} days`;
  return `${(value / 365 / 86400).toFixed(0)} years`;
}

function count(value: number): string {
  return value >= 1e6 ? `${+(value / 1e6).toPrecision(2)} million` : value.toFixed(0);
}

/** Returns a table in Markdown. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map((_, i) => i === 0 ? "---" : "---:"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Smallest number of streams with which the workers compute for at least this part of their time, s. */
const ENOUGH = 0.99;

function streamsFor(workers: number, itemTime: number): { streams: number; outcome: Outcome } {
  // The best that streams can do: each worker has one of its own.
  const best = outcome(workers, itemTime, workers).efficiency;
  for (let streams = 1;; streams *= 2) {
    const found = outcome(workers, itemTime, Math.min(streams, workers));
    if (streams >= workers || found.efficiency >= ENOUGH * best) return { streams, outcome: found };
  }
}

function efficiencies(): string {
  return table(
    ["time of a structure", ...NUMBERS_OF_WORKERS.map((n) => `${n} workers`), "load of the server"],
    ITEM_TIMES.map((time) => {
      const all = NUMBERS_OF_WORKERS.map((workers) => outcome(workers, time, 1));
      return [
        seconds(time),
        ...all.map(({ efficiency }) => percent(efficiency)),
        percent(all.at(-1)!.serverLoad),
      ];
    }),
  );
}

function large(): string {
  const workers = 1000;
  return table(
    ["time of a structure", "streams", "workers compute", "structures per s", "all 10⁸ structures"],
    ITEM_TIMES.map((time) => {
      const { streams, outcome: { efficiency, throughput } } = streamsFor(workers, time);
      return [
        seconds(time),
        String(streams),
        percent(efficiency),
        `${+throughput.toPrecision(2)}`,
        seconds(STRUCTURES / throughput),
      ];
    }),
  );
}

function limits(): string {
  const { stream, store, publish } = costs as Costs;
  const rows = [
    {
      what: "memory of a worker, 1 GB: the ids of the results in its folder",
      most: 1e9 / store.memory,
    },
    {
      what: "start of a worker, 10 s: it reads the index of the folder",
      most: 10 / (store.open / 1000),
    },
    { what: "memory of a server, 16 GB", most: 16e9 / stream.memory },
    { what: "disk of a server, 100 GB", most: 100e9 / stream.disk },
    { what: "submission from one process, 1 h", most: 3600 / (publish.wall / 1000) },
    { what: "folder of results, 1 TB", most: 1e12 / store.disk },
  ];
  return table(
    ["limit", "structures of 32 atoms"],
    rows.sort((a, b) => a.most - b.most).map(({ what, most }) => [what, count(most)]),
  );
}

function measured(): string {
  const { publish, pull, stream, store } = costs as Costs;
  const ms = (value: number) => `${+value.toPrecision(2)} ms`;
  return table(["cost", "value"], [
    [
      "submit a structure: time, processor time of the server",
      `${ms(publish.wall)}, ${ms(publish.server)}`,
    ],
    ["a request of a worker: time of the server with its disk", ms(serviceOf(pull.perBatch))],
    ["each structure of a request", ms(serviceOf(pull.perItem))],
    [
      "a structure that waits: memory and disk of the server",
      `${stream.memory.toFixed(0)} B, ${stream.disk.toFixed(0)} B`,
    ],
    ["write a result: processor time of the worker", ms(store.write)],
    [
      "open a folder of results, per result: processor time, memory",
      `${ms(store.open)}, ${store.memory.toFixed(0)} B`,
    ],
  ]);
}

/** Returns the text with each block between its markers replaced. */
function filled(text: string, blocks: Readonly<Record<string, string>>): string {
  return Object.entries(blocks).reduce(
    (all, [name, block]) =>
      all.replace(
        new RegExp(`(<!-- scale:${name} -->\n)[^]*?(\n<!-- end -->)`),
        (_, begin, end) => `${begin}\n${block}\n${end}`,
      ),
    text,
  );
}

if (import.meta.main) {
  const page = new URL("../../docs/scale.md", import.meta.url);
  const blocks = {
    measured: measured(),
    efficiencies: efficiencies(),
    large: large(),
    limits: limits(),
  };
  for (const block of Object.values(blocks)) console.log(`${block}\n`);
  await Deno.writeTextFile(page, filled(await Deno.readTextFile(page), blocks));
}
