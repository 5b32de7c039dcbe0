// Conformance suite of sinks, run on every sink.
import {
  AseDatabaseSink,
  CsvSink,
  ExtxyzSink,
  JsonlSink,
  MemorySink,
  type StoredSink,
} from "../../src/sinks/mod.ts";
import { type Lost, sinkSuite, type SinkTrial, type TestCase } from "../../src/testing/mod.ts";
import type { FILES } from "./formats.ts";

/** Formats: their endings, the function that creates their sinks, and the values that they do not keep. */
const SINKS: Readonly<
  Record<typeof FILES[number], readonly [(path: string) => StoredSink, readonly Lost[]]>
> = {
  xyz: [(path) => new ExtxyzSink(path), ["edges"]],
  jsonl: [(path) => new JsonlSink(path), []],
  db: [(path) => new AseDatabaseSink(path), []],
  csv: [(path) => new CsvSink(path), ["systems"]],
};

async function inFolder(make: (path: string) => StoredSink, ending: string): Promise<SinkTrial> {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/x.${ending}`;
  return {
    sink: make(path),
    reopen: () => make(path),
    dispose: () => Deno.remove(folder, { recursive: true }),
  };
}

function declare(subject: string, cases: readonly TestCase[]): void {
  for (const { name, run } of cases) Deno.test(`${subject}: ${name}`, run);
}

declare(
  "memory",
  sinkSuite(() => ({ sink: new MemorySink() }), {
    bounded: (capacity) => ({ sink: new MemorySink({ capacity }) }),
  }),
);
for (const [ending, [make, loses]] of Object.entries(SINKS)) {
  declare(ending, sinkSuite(() => inFolder(make, ending), { loses, isStored: true }));
}
