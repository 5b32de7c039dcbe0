import type { CheckedPart, SinkDamage } from "./damage.ts";
import { type OpenSinkOptions, sinkFor } from "./open_sink.ts";
import { assertExists } from "./systems_file.ts";

/** Result of `verifySink`. */
export interface SinkReport {
  /** Path of the file. */
  readonly path: string;
  /** Number of systems that were checked. */
  readonly systems: number;
  /**
   * Number of parts without a checksum, which are the parts that other programs wrote and the rows of tables.
   * Only their format is checked.
   */
  readonly unsummed: number;
  /** Damaged parts of the file. */
  readonly damage: readonly SinkDamage[];
  /** Result in one line, with the number of parts that have no checksum. */
  readonly summary: string;
}

/** A sink that can check its own file. */
interface CheckedSink {
  check(): AsyncIterable<CheckedPart>;
}

/**
 * Reads a sink's file and compares it with the checksums that were written with it: each record of `.xyz` and
 * `.jsonl`, each row of `.db`, each chunk and all metadata of `.zarr`. The file is not changed. A part that another
 * program has changed is reported, too. Parts without a checksum are counted (`unsummed`), and only their format is
 * checked: all rows of a `.csv`, and systems that another program wrote to the same file. Chunks and metadata that
 * were removed from a `.zarr` are reported. Complete records that were removed from a `.xyz` or `.jsonl`, or repeated
 * there, are not found: compare `systems` with the number that was written.
 *
 * Use it after a disk failed, or before data is archived.
 *
 * @throws {RangeError} if the ending is not known
 * @throws {TypeError} if the path is not a string, or a custom sink has no `check`
 * @throws {Error} if the file does not exist, or the file system refuses, with its `code`
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
 * const report = await verifySink(path);
 * assertEquals(report.damage, []);
 * assertEquals(report.summary, `${path}: 1 system, no damage found`);
 *
 * await Deno.writeTextFile(path, (await Deno.readTextFile(path)).replace("7", "8"));
 * assertEquals((await verifySink(path)).damage.map(({ place }) => place), ["line 1"]);
 * ```
 */
export async function verifySink(path: string, options: OpenSinkOptions = {}): Promise<SinkReport> {
  const sink = await sinkFor(path, { onWarning: () => {}, ...options }); // the report contains the warnings
  await assertExists(path);
  const { check } = sink as Partial<CheckedSink>;
  if (check === undefined) {
    throw new TypeError(`Cannot verify ${path}: its sink has no function check`);
  }
  const damage: SinkDamage[] = [];
  let systems = 0, unsummed = 0;
  try {
    for await (const part of check.call(sink)) {
      systems += part.systems;
      if (!part.isSummed) unsummed++;
      if (part.reason !== undefined) damage.push({ place: part.place, reason: part.reason });
    }
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    damage.push({ place: path, reason: error.message });
  } finally {
    await sink.close();
  }
  const counts = { systems, unsummed, damage };
  return { path, ...counts, summary: summaryOf(path, counts) };
}

function summaryOf(
  path: string,
  { systems, unsummed, damage }: Pick<SinkReport, "systems" | "unsummed" | "damage">,
): string {
  const found = damage.length === 0
    ? "no damage found"
    : `${damage.length} damaged ${damage.length === 1 ? "part" : "parts"}, the first at ${
      damage[0]!.place
    }`;
  const form = unsummed === 0
    ? ""
    : `; ${unsummed} ${
      unsummed === 1 ? "part has" : "parts have"
    } no checksum: only the format was checked`;
  return `${path}: ${systems} ${systems === 1 ? "system" : "systems"}, ${found}${form}`;
}
