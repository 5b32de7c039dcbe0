/**
 * Inputs with damage, for everything that reads.
 *
 * @module
 */

import { Batch, fcc, initVelocities, rattle } from "../../src/batch/mod.ts";
import { parseExtxyz, writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { decodeCheckpoint, encodeCheckpoint } from "../../src/checkpoint/mod.ts";
import { createHooks } from "../../src/config/mod.ts";
import { parseRunLog, runLog } from "../../src/config/runs/mod.ts";
import { decodeModel, lennardJonesModel } from "../../src/onnx/mod.ts";
import { CsvSink, openSink } from "../../src/sinks/mod.ts";
import { walk } from "../config/walk.ts";
import type { Attack, Trial } from "./attack.ts";
import { mutate } from "./mutate.ts";

/** Longest time that reading one input may take, in milliseconds. */
const PATIENCE = 2000;

/** A function that reads bytes, and valid inputs for it. */
export interface Reader {
  readonly samples: readonly Uint8Array[];
  read(bytes: Uint8Array): unknown;
}

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Messages of the language itself: a reader that lets one out has not looked at its input. */
const UNCHECKED =
  /Cannot (read|set|destructure) propert|is not (a function|iterable|defined|a constructor)|undefined|Invalid (typed )?array (buffer )?length|call stack|allocation failed|out of (memory|range|bounds)|Cannot (mix|convert)/;

/** Reads damaged inputs: each is refused in words, or read. */
export function attackOn(name: string, cases: number, make: () => Promise<Reader>): Attack {
  return {
    name: `read ${name}`,
    aim:
      `reads damaged ${name}; each must be read, or end with a readable SyntaxError, TypeError or RangeError, in time`,
    cases,
    async run(trial) {
      const reader = await make();
      for (const sample of reader.samples) await reader.read(sample); // or all would be refused
      while (trial.tried < trial.cases) {
        await readDamaged(reader, trial);
      }
    },
  };
}

async function readDamaged({ samples, read }: Reader, trial: Trial): Promise<void> {
  const bytes = mutate(trial.pick(samples), trial.pick(samples), trial);
  const began = performance.now();
  try {
    await read(bytes);
    trial.count("read");
  } catch (error) {
    if (isInWords(error)) trial.count("refused");
    else trial.fail(`${error instanceof Error ? error.stack : error}\n${shown(bytes)}`);
  }
  const ms = performance.now() - began;
  if (ms > PATIENCE) trial.fail(`it took ${ms.toFixed(0)} ms: ${shown(bytes)}`);
}

function isInWords(error: unknown): boolean {
  const isKind = error instanceof SyntaxError || error instanceof TypeError ||
    error instanceof RangeError;
  return isKind && !UNCHECKED.test(error.message.split("; got ")[0]!);
}

function shown(bytes: Uint8Array): string {
  return JSON.stringify(decode(bytes.subarray(0, 2000)));
}

function frames(): Batch {
  const batch = Batch.from([
    rattle(fcc({ element: "Ar", a: 5.26, cells: 1 }), 0.1, 1),
    { symbols: ["O", "H", "H"], positions: [0, 0, 0, 0, 0, 1, 0, 1, 0] },
  ]);
  initVelocities(batch, 40, { seed: 1 });
  return batch;
}

/** A reader of files of a sink's format, by a file that is written again for each input. */
async function sinkReader(ending: string): Promise<Reader> {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/frames.${ending}`;
  const sink = await openSink(path);
  for (let i = 0; i < 3; i++) await sink.write(frames());
  await sink.close();
  const sample = await Deno.readFile(path);
  return {
    samples: [sample],
    async read(bytes) {
      await Deno.writeFile(path, bytes);
      const sink = await openSink(path, { onWarning: () => {} });
      try {
        await sink.read();
      } finally {
        await sink.close();
      }
    },
  };
}

const READERS: readonly Attack[] = [
  attackOn("extended XYZ", 100_000, () => {
    const samples = [
      writeExtxyz(frames().systems()),
      '3\nLattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3:tags:I:1 pbc="T T F" a=[1,2] b={"c": [1]}\nO 0 0 0 1\nH 0 0 1 2\nH 0 1 0 3\n',
    ].map(encode);
    return Promise.resolve({ samples, read: (bytes) => parseExtxyz(decode(bytes)) });
  }),
  attackOn("run logs", 100_000, async () => {
    let text = "";
    const loop = walk({ hooks: [runLog({ write: (line) => void (text += line) })] });
    await loop.run(3);
    return { samples: [encode(text)], read: (bytes) => parseRunLog(decode(bytes)) };
  }),
  attackOn("hook configurations", 100_000, () => {
    const config = {
      enable_logging_hook: true,
      logging_config: { log_every_n_batches: 100 },
      enable_early_stopping_hook: true,
      early_stopping_config: { monitor: "val/loss", patience: 2, min_delta: 0.01 },
      enable_gradient_monitor: true,
      gradient_monitor_config: { log_frequency: 40, param_filter: ["w"] },
    };
    const samples = [encode(JSON.stringify(config))];
    return Promise.resolve({
      samples,
      read: (bytes) => createHooks(JSON.parse(decode(bytes))),
    });
  }),
  attackOn("ONNX graphs", 100_000, () => {
    const model = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 6 });
    return Promise.resolve({
      samples: [model],
      read: (bytes) => decodeModel(bytes),
    });
  }),
  attackOn("JSON lines", 100_000, () => sinkReader("jsonl")),
  attackOn("CSV", 100_000, async () => {
    const path = `${await Deno.makeTempDir()}/rows.csv`;
    const sample = encode("step,energy,fmax\n0,-1.5,0.25\n10,-2.5,1e-300\n20,-1.25,4e5\n");
    const read = async (bytes: Uint8Array) => {
      await Deno.writeFile(path, bytes);
      const sink = new CsvSink(path, undefined, { onWarning: () => {} });
      try {
        await sink.open();
        await sink.table();
      } finally {
        await sink.close();
      }
    };
    return { samples: [sample], read };
  }),
  attackOn("ASE databases", 100_000, () => sinkReader("db")),
];

/** Checkpoints with damage: never read as others. */
const CHECKPOINTS: Attack = {
  name: "checkpoints",
  aim: "reads damaged checkpoints; each must be refused, or contain the original data",
  cases: 20_000,
  run(trial) {
    const make = (seed: number) => {
      const batch = frames();
      initVelocities(batch, 40, { seed });
      const data = { step: seed, positions: batch.get("positions"), list: [1, "a", null] };
      return encodeCheckpoint({ kind: "dynamics/NVE", schema: 3, data });
    };
    const samples = [1, 2, 3].map(make);
    const wholes = samples.map((bytes) => Deno.inspect(decodeCheckpoint(bytes)));
    while (trial.tried < trial.cases) {
      const bytes = mutate(trial.pick(samples), trial.pick(samples), trial);
      try {
        const read = Deno.inspect(decodeCheckpoint(bytes));
        if (wholes.includes(read)) trial.count("undamaged");
        else trial.fail(`read as other data: ${read.slice(0, 300)}`);
      } catch (error) {
        if (isInWords(error)) trial.count("refused");
        else trial.fail(String(error));
      }
    }
    return Promise.resolve();
  },
};

/** All attacks on readers. */
export const READER_ATTACKS: readonly Attack[] = [...READERS, CHECKPOINTS];
