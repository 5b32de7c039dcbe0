// Damaged Zarr stores.
import { ZarrSink } from "../../src/sinks/mod.ts";
import { frameAt } from "./zarr_endless.ts";

/** Values that are invalid for most keys. */
const ODD: readonly unknown[] = [
  null,
  true,
  -1,
  0.5,
  1e300,
  2 ** 53,
  0,
  1,
  7,
  "",
  "x",
  "NaN",
  "../x",
  [],
  {},
  [1],
  [-1, 3],
  { name: "blosc" },
  [{ name: "bytes" }, { name: "gzip" }],
  "float64",
  "int64",
  "bool",
];

/** Returns an xorshift generator of numbers from 0 to 1. */
export function randomOf(seed: number): () => number {
  let state = seed * 2654435761 | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4294967296;
  };
}

/** Writes a small store with all kinds of arrays. */
export async function makeStore(path: string): Promise<void> {
  await using sink = new ZarrSink(path, { chunkBytes: 256 });
  for (let step = 0; step < 12; step++) await sink.write(frameAt(step));
}

/** Returns the metadata files of a store. */
export function metadataOf(path: string): string[] {
  return Array.from(Deno.readDirSync(path)).flatMap(({ name, isDirectory }) =>
    isDirectory ? metadataOf(`${path}/${name}`) : name === "zarr.json" ? [`${path}/${name}`] : []
  ).sort();
}

/** Returns a JSON text with one value replaced or removed, or one byte changed. */
export function damaged(text: string, random: () => number): string {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!;
  if (random() < 0.2) {
    const at = Math.floor(random() * text.length);
    return text.slice(0, at) + (random() < 0.5 ? "" : pick(["}", '"', "9", ",", "\0"])) +
      text.slice(at + 1 + Math.floor(random() * 3));
  }
  const root = { all: JSON.parse(text) };
  const places: [Record<string, unknown>, string][] = [];
  const visit = (value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, one] of Object.entries(value)) {
      places.push([value as Record<string, unknown>, key]);
      visit(one);
    }
  };
  visit(root);
  const [holder, key] = pick(places);
  if (random() < 0.15) delete holder[key];
  else holder[key] = pick(ODD);
  return JSON.stringify(root.all) ?? "";
}

/** Reads a store and adds to it. Returns the error, or `undefined` if there is none. */
export async function outcomeOf(path: string): Promise<unknown> {
  try {
    const sink = new ZarrSink(path);
    const all = await sink.read();
    if (all.size !== 12) return { size: all.size };
    await sink.slice({ steps: [3, 5] });
    await sink.open();
    await sink.close();
    return undefined;
  } catch (error) {
    return error;
  }
}
