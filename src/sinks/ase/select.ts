/**
 * Selection of the rows of a slice.
 *
 * @module
 */

import type { Slice } from "../sink.ts";
import type { Database } from "./database.ts";

/** Returns the ids of the rows of a slice, in order. */
export function selectIds(database: Database, slice: Slice): number[] {
  const { from = 0, to = Infinity, time, steps, systems } = slice;
  const where: string[] = [];
  const values: number[] = [];
  for (const [key, interval] of [["time", time], ["step", steps]] as const) {
    if (interval === undefined) continue;
    where.push(
      `id IN (SELECT id FROM number_key_values WHERE key = '${key}' AND value BETWEEN ? AND ?)`,
    );
    values.push(...interval);
  }
  if (systems !== undefined) {
    const list = systems.map(Number).filter(Number.isFinite).join(", ");
    const named = (key: string) =>
      `id IN (SELECT id FROM number_key_values WHERE key = '${key}' AND value IN (${list}))`;
    const hasSource = "id IN (SELECT id FROM keys WHERE key = 'sourceId')";
    where.push(`(${named("sourceId")} OR NOT ${hasSource} AND ${named("systemId")})`);
  }
  const limit = to === Infinity ? -1 : Math.max(0, to - from);
  const offset = from === Infinity ? Number.MAX_SAFE_INTEGER : from;
  const places = "SELECT id FROM systems ORDER BY id LIMIT ? OFFSET ?";
  const condition = where.length === 0 ? "" : ` WHERE ${where.join(" AND ")}`;
  const sql = `SELECT id FROM (${places})${condition} ORDER BY id`;
  return database.prepare(sql).all(limit, offset, ...values).map(({ id }) => Number(id));
}
