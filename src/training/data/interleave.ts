/**
 * Combination of several sources of batches into one.
 *
 * @module
 */

import { checkOptions } from "../../base/check_options.ts";
import { show } from "../../base/show.ts";
import { batchesOf, type BatchLike } from "./batches_of.ts";
import { checkPlace, type DataSource } from "./data_source.ts";
import { inTurn, oneAfterAnother } from "./loader_order.ts";
import type { NamedData, NamedSource } from "./named_data.ts";

/** A source of batches, or a list of batches, which is the same in every epoch. */
export type BatchesLike = DataSource | readonly BatchLike[];

/** Options of {@linkcode interleave}. */
export interface InterleaveOptions {
  /**
   * Order of the sources. `"sequential"` takes all batches of the first source, then all of the second, and so on.
   * `"roundRobin"` takes one batch of each source in turn, and skips sources that have no more.
   *
   * @default "sequential"
   */
  readonly order?: "sequential" | "roundRobin";
}

/**
 * Combines several named sources of batches, or wraps a single one.
 *
 * If an epoch begins at a later batch, sources with a known length skip the earlier batches. Other sources produce
 * them, and they are discarded.
 *
 * @param data an object of sources by name, or a single source, which is named by its own `name` or `"main"`. A
 * result of `interleave` is returned unchanged
 * @throws {TypeError} if an entry is not a source, or if an option is unknown
 * @throws {RangeError} if there are no sources, or if `order` is unknown
 *
 * @example
 * ```ts
 * import { interleave, tensorData } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const numbers = (n: number) =>
 *   tensorData({ x: { data: new Float32Array(n) } }, { batchSize: 1, shuffle: false });
 * const data = interleave({ main: numbers(3), aux: numbers(2) }, { order: "roundRobin" });
 * const names = [];
 * for await (const { loaderName } of data.batches(0, 0)) names.push(loaderName);
 * assertEquals(names, ["main", "aux", "main", "aux", "main"]);
 * assertEquals(data.length, 5);
 * ```
 */
export function interleave(
  data: BatchesLike | NamedData | Readonly<Record<string, BatchesLike>>,
  options: InterleaveOptions = {},
): NamedData {
  const action = "take batches in turn";
  checkOptions(action, options, ["order"]);
  const { order = "sequential" } = options;
  if (order !== "sequential" && order !== "roundRobin") {
    throw new RangeError(
      `Cannot ${action}: order must be "sequential" or "roundRobin"; got ${show(order)}`,
    );
  }
  if (isNamed(data)) return data;
  const loaders = loadersOf(action, data);
  const give = order === "sequential" ? oneAfterAnother : inTurn;
  return {
    loaders,
    length: totalOf(loaders),
    batches: (epoch, from) => {
      checkPlace(epoch, from);
      return give(loaders, epoch, from);
    },
  };
}

function loadersOf(action: string, data: unknown): NamedSource[] {
  if (isSource(data) || Array.isArray(data)) {
    const source = sourceOf(action, "the source", data);
    return [{ name: source.name ?? "main", source }];
  }
  const entries = typeof data === "object" && data !== null ? Object.entries(data) : undefined;
  if (entries !== undefined && entries.length > 0) {
    return entries.map(([name, each]) => ({ name, source: sourceOf(action, show(name), each) }));
  }
  throw new (entries === undefined ? TypeError : RangeError)(
    `Cannot ${action}: data must be a source of batches, or an object of several by name; got ${
      show(data)
    }`,
  );
}

function sourceOf(action: string, what: string, data: unknown): DataSource {
  if (isSource(data)) return data;
  if (Array.isArray(data)) return batchesOf(() => data, { length: data.length });
  throw new TypeError(
    `Cannot ${action}: ${what} must be an array of batches, or an object with a method batches; got ${
      show(data)
    }`,
  );
}

function isSource(data: unknown): data is DataSource {
  return typeof (data as Partial<DataSource> | null)?.batches === "function";
}

function isNamed(data: unknown): data is NamedData {
  return isSource(data) && Array.isArray((data as Partial<NamedData>).loaders);
}

function totalOf(loaders: readonly NamedSource[]): number | undefined {
  let total = 0;
  for (const { source: { length } } of loaders) {
    if (length === undefined) return undefined;
    total += length;
  }
  return total;
}
