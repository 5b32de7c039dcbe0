// Files of systems with random damage from a seed, and the accepted outcomes of reading them.
import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { Batch } from "../../src/batch/mod.ts";
import { AseDatabaseSink, CsvSink, ExtxyzSink, JsonlSink, openSink } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";
import { everyField, frame } from "../../src/testing/sinks/sink_trial.ts";

/** Returns a generator of numbers from 0 to 1, reproducible by its seed. */
function seeded(seed: number): () => number {
  let state = Math.imul(seed + 1, 2654435761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Words that are inserted as damage. */
const WORDS = [
  ..."nan NaN inf -Infinity 1e999 -1 0 00 1.5 99999999999 1e308 0x10 T F true null __proto__".split(
    " ",
  ),
  '"',
  "'",
  "{",
  "}",
  "[",
  "]",
  "\\",
  ",",
  ":",
  "=",
  "\n",
  "\r\n",
  "\n\n",
  " ",
  "\t",
  "\0",
  "é",
  "\ufeff",
  ..."hooke_fields= fields info $number $$x Lattice= Properties= pbc= species pos :R:3 :S:1 step"
    .split(" "),
  "9".repeat(400),
  "[".repeat(3000),
];

/** Returns the bytes of a file with one to three faults. */
function spoil(bytes: Uint8Array, random: () => number): Uint8Array {
  let spoiled = bytes;
  for (let i = 1 + Math.floor(random() * 3); i > 0; i--) spoiled = fault(spoiled, random);
  return spoiled;
}

function fault(bytes: Uint8Array, random: () => number): Uint8Array {
  const at = Math.floor(random() * (bytes.length + 1));
  const to = Math.min(bytes.length, at + Math.floor(random() ** 3 * 200));
  const word = new TextEncoder().encode(WORDS[Math.floor(random() * WORDS.length)]!);
  const [before, middle, after] = [
    bytes.subarray(0, at),
    bytes.subarray(at, to),
    bytes.subarray(to),
  ];
  switch (Math.floor(random() * 6)) {
    case 0:
      return joined(before, after);
    case 1:
      return joined(before, word, after);
    case 2:
      return joined(before, middle, middle, after);
    case 3:
      return joined(before, word, middle, after);
    case 4:
      return before.slice();
    default: {
      const copy = bytes.slice();
      if (at < copy.length) copy[at] = copy[at]! ^ (1 << Math.floor(random() * 8));
      return copy;
    }
  }
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** Writes a file of this format with all kinds of values. */
async function makeWhole(path: string): Promise<void> {
  const sink = await openSink(path);
  const info = { label: 'say "hi"', nested: { a: [1, null, NaN], b: "c d" }, list: [1, 2.5] };
  await sink.write(frame(3, [0, 1]));
  await sink.write(Batch.from([{ symbols: ["Ar"], positions: [0, -0, 1e-300], info, id: 7 }]));
  if (!path.endsWith(".csv")) await sink.write(everyField());
  await sink.write(frame(9, [2]));
  await sink.close();
}

/** Matches errors that name the damage: a line, a row, bytes, or the whole file. */
const NAMED =
  /line \d+|row \d+|bytes \d+|must be an ASE database|it is damaged|it is not an ASE database|its version must be|not text in UTF-8/;

/** Reads a damaged file. Returns the number of systems, or the error. */
async function tryReading(path: string): Promise<number | Error> {
  const started = performance.now();
  try {
    return await read(path);
  } catch (error) {
    assert(error instanceof Error);
    const isSaid = error instanceof SyntaxError && NAMED.test(error.message) ||
      error instanceof RangeError &&
        /version|its first line must be|must be finite/.test(error.message);
    if (!isSaid) throw error;
    return error;
  } finally {
    assert(performance.now() - started < 60_000, "reading took more than a minute");
  }
}

const MAKERS: Readonly<
  Record<string, new (path: string) => ExtxyzSink | JsonlSink | AseDatabaseSink>
> = { xyz: ExtxyzSink, jsonl: JsonlSink, db: AseDatabaseSink };

async function read(path: string): Promise<number> {
  if (path.endsWith(".csv")) {
    const table = await new CsvSink(path).table();
    const lengths = new Set(Array.from(table.values(), ({ length }) => length));
    assert(lengths.size <= 1);
    return [...lengths][0] ?? 0;
  }
  const sink = new MAKERS[path.slice(path.lastIndexOf(".") + 1)]!(path);
  let count = 0;
  for await (const system of sink.frames()) {
    Batch.from(system); // checks all values that computations rely on
    count++;
  }
  assertEquals(sink.length, count);
  return count;
}

/** Replaces the content of a random cell of a database. */
function spoilCell(path: string, random: () => number): string {
  using database = new DatabaseSync(path);
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!;
  const table = pick([
    "systems",
    "systems",
    "systems",
    "systems",
    "information",
    "number_key_values",
  ]);
  const columns = database.prepare(`PRAGMA table_info(${table})`).all().map(({ name }) =>
    `${name}`
  );
  const column = pick(columns.filter((name) => name !== "id"));
  const rows = database.prepare(`SELECT rowid AS id, "${column}" AS cell FROM ${table}`).all();
  const { id, cell } = pick(rows);
  const text = (value: string | Uint8Array) =>
    spoil(typeof value === "string" ? new TextEncoder().encode(value) : value, random);
  const other = random() < 0.6 && (typeof cell === "string" || cell instanceof Uint8Array)
    ? typeof cell === "string" ? new TextDecoder().decode(text(cell)) : text(cell)
    : pick<string | number | bigint | null | Uint8Array>([
      null,
      -1,
      2.5,
      2n ** 62n,
      1e308,
      "",
      "x",
      "null",
      "[]",
      "{}",
      "[[1]]",
      '{"a": NaN}',
      new Uint8Array(0),
      new Uint8Array(8),
      new Uint8Array(24).fill(255),
    ]);
  database.prepare(`UPDATE ${table} SET "${column}" = ? WHERE rowid = ?`).run(other, id!);
  return `${table}.${column} of ${id} = ${String(other).slice(0, 80)}`;
}

/** Tests `count` files of a format, with successive seeds. */
export async function trySpoiled(ending: string, from: number, count: number): Promise<void> {
  await withFolder(async (folder) => {
    const path = `${folder}/x.${ending}`;
    await makeWhole(path);
    const whole = await Deno.readFile(path);
    let refused = 0;
    for (let seed = from; seed < from + count; seed++) {
      const random = seeded(seed);
      let what = "";
      if (ending === "db" && random() < 0.7) {
        await Deno.writeFile(path, whole);
        what = spoilCell(path, random);
      } else await Deno.writeFile(path, spoil(whole, random));
      try {
        if (await tryReading(path) instanceof Error) refused++;
      } catch (cause) {
        throw new Error(`seed ${seed} of .${ending} ${what}`, { cause });
      }
    }
    assert(refused > count / 10, `only ${refused} of ${count} were refused`);
    assert(refused < count, "none was read");
  });
}
