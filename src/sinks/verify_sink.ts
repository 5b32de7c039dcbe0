import type { CheckedPart, SinkDamage } from "./damage.ts";
import { type OpenSinkOptions, sinkFor } from "./open_sink.ts";
import { assertThere } from "./systems_file.ts";

/** Result of `verifySink`. */
export interface SinkReport {
  /** Path of the file. */
  readonly path: string;
  /** Number of systems that were checked. */
  readonly systems: number;
  /** Number of parts that have no check sum: those of other programs, and rows of tables. Only their form is checked. */
  readonly unsummed: number;
  /** Damaged parts of the file. */
  readonly damage: readonly SinkDamage[];
}

/** A sink that can check its own file. */
interface CheckedSink {
  check(): AsyncIterable<CheckedPart>;
}

/**
 * Reads all of a sink's file, and compares it with the check sums that were written with it: each record of `.xyz` and
 * `.jsonl`, each row of `.db`, each chunk and each piece of metadata of `.zarr`. Nothing is changed. A file that another
 * program has changed is reported, too. A `.csv` has no place for check sums: of it the form of the rows is checked.
 *
 * Use it after a disk failed, or before data is archived.
 *
 * @throws {RangeError} for an ending that is not known
 * @throws {TypeError} for a path that is no text, and for sinks of your own without `check`
 * @throws {Error} if there is no such file, or the file system refuses, with its `code`
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { openSink, verifySink } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/argon.jsonl`;
 * const sink = await openSink(path);
 * await sink.write(Batch.from([{ symbols: ["Ar"], positions: [0, 0, 7] }]));
 * await sink.close();
 * assertEquals((await verifySink(path)).damage, []);
 *
 * await Deno.writeTextFile(path, (await Deno.readTextFile(path)).replace("7", "8"));
 * assertEquals((await verifySink(path)).damage.map(({ place }) => place), ["line 1"]);
 * ```
 */
export async function verifySink(path: string, options: OpenSinkOptions = {}): Promise<SinkReport> {
  const sink = await sinkFor(path, options);
  await assertThere(path);
  const { check } = sink as Partial<CheckedSink>;
  if (check === undefined) {
    throw new TypeError(`Cannot verify ${path}: its sink has no function check`);
  }
  const damage: SinkDamage[] = [], without: string[] = [];
  let systems = 0, summed = 0;
  try {
    for await (const part of check.call(sink)) {
      systems += part.systems;
      if (part.isSummed) summed++;
      else without.push(part.place);
      if (part.reason !== undefined) damage.push({ place: part.place, reason: part.reason });
    }
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    damage.push({ place: path, reason: error.message });
  } finally {
    await sink.close();
  }
  // Where others have one, a check sum that is missing was damaged.
  const places = summed === 0 ? [] : without;
  const known = new Set(damage.map(({ place }) => place));
  for (const place of places) {
    if (!known.has(place)) damage.push({ place, reason: "its check sum is missing" });
  }
  return { path, systems, unsummed: without.length, damage };
}
