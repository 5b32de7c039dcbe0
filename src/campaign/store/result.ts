/**
 * Results of items, and their records in a store.
 *
 * @module
 */

import { crc32c } from "../../base/crc32c.ts";

/** Outcome of an item. */
export type ItemStatus = "done" | "not converged" | "failed";

/** All statuses, in the order of their numbers in an index. */
export const STATUSES: readonly ItemStatus[] = ["done", "not converged", "failed"];

/** Measured values after a stage. */
export interface StageResult {
  /** Kind of the stage. */
  readonly stage: "relax" | "md" | "singlepoint";
  /** True if a relaxation has converged; undefined for other stages. */
  readonly converged?: boolean;
  /** Number of steps. */
  readonly steps: number;
  /** Potential energy after the stage, eV. */
  readonly energy: number;
  /** Largest force on an atom after the stage, eV/Å. */
  readonly fmax: number;
}

/** Result of an item. It is plain data, and depends on nothing but the item. */
export interface ItemResult {
  /** Id of the item. */
  readonly id: string;
  /** `"done"`, `"not converged"` if a relaxation has reached its largest number of steps, or `"failed"`. */
  readonly status: ItemStatus;
  /** Reason of a failure; undefined otherwise. */
  readonly reason?: string;
  /** Potential energy after the last stage, eV; NaN after a failure. */
  readonly energy: number;
  /** The stages that have ended, in order. */
  readonly stages: readonly StageResult[];
  /** Canonical text of the final structure; undefined after a failure. */
  readonly structure?: string;
}

/** A record of a result: its bytes in a store, and what the index has of it. */
export interface ResultRecord {
  /** Id of the item, 64 hexadecimal digits. */
  readonly id: string;
  /** Outcome of the item. */
  readonly status: ItemStatus;
  /** Potential energy, eV; NaN after a failure. */
  readonly energy: number;
  /** One line of JSON with its newline. Equal results have equal bytes. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Length of the beginning of a record, up to and including the checksum. */
const HEAD = '{"crc32c":"00000000",'.length;
const START = '{"crc32c":"';

/**
 * Returns the record of a result. The same result always has the same bytes.
 *
 * @example
 * ```ts
 * import { recordOf, resultOf } from "@hooke/hooke/campaign";
 * import { assertEquals } from "@std/assert";
 *
 * const result = { id: "0".repeat(64), status: "failed", reason: "no atoms", energy: NaN, stages: [] } as const;
 * assertEquals(resultOf(recordOf(result)), result);
 * ```
 */
export function recordOf(result: ItemResult): ResultRecord {
  const { id, status, energy } = result;
  const rest = new TextEncoder().encode(`${bodyOf(result)}\n`);
  const sum = crc32c(rest).toString(16).padStart(8, "0");
  const bytes = new Uint8Array(HEAD + rest.length);
  bytes.set(new TextEncoder().encode(`${START}${sum}",`));
  bytes.set(rest, HEAD);
  return { id, status, energy, bytes };
}

function bodyOf({ id, status, reason, energy, stages, structure }: ItemResult): string {
  const parts = [`"id":"${id}"`, `"status":"${status}"`, `"energy":${jsonNumber(energy)}`];
  if (reason !== undefined) parts.push(`"reason":${JSON.stringify(reason)}`);
  const list = stages.map(({ stage, converged, steps, energy, fmax }) =>
    `{"stage":"${stage}",${
      converged === undefined ? "" : `"converged":${converged},`
    }"steps":${steps},"energy":${jsonNumber(energy)},"fmax":${jsonNumber(fmax)}}`
  );
  parts.push(`"stages":[${list.join(",")}]`);
  if (structure !== undefined) parts.push(`"structure":${structure}`);
  return `${parts.join(",")}}`;
}

/** JSON has no NaN; a number that is not finite becomes null. */
function jsonNumber(value: number): string {
  return Number.isFinite(value) ? JSON.stringify(value) : "null";
}

/**
 * Returns the record in the bytes of a line, with its newline; undefined if they are damaged, or not a record.
 */
export function readRecord(bytes: Uint8Array<ArrayBuffer>): ResultRecord | undefined {
  if (bytes.length <= HEAD || bytes.at(-1) !== 10) return undefined;
  const head = new TextDecoder().decode(bytes.subarray(0, HEAD));
  const sum = /^\{"crc32c":"([0-9a-f]{8})",$/.exec(head)?.[1];
  if (sum === undefined || parseInt(sum, 16) !== crc32c(bytes.subarray(HEAD))) return undefined;
  // A record begins with its facts, so that a long structure is not parsed.
  const start = new TextDecoder().decode(bytes.subarray(HEAD, HEAD + 160));
  const [, id, status, energy] =
    /^"id":"([0-9a-f]{64})","status":"(done|not converged|failed)","energy":(null|[-+.\de]+),/.exec(
      start,
    ) ?? [];
  if (id === undefined) return undefined;
  return {
    id,
    status: status as ItemStatus,
    energy: energy === "null" ? NaN : Number(energy),
    bytes,
  };
}

/** Returns the result in a record. */
export function resultOf({ bytes }: Pick<ResultRecord, "bytes">): ItemResult {
  const { id, status, reason, energy, stages, structure } = JSON.parse(
    new TextDecoder().decode(bytes),
  );
  return {
    id,
    status,
    energy: energy ?? NaN,
    stages: stages.map((stage: Record<string, unknown>) => ({
      ...stage,
      energy: stage.energy ?? NaN,
      fmax: stage.fmax ?? NaN,
    })),
    ...reason !== undefined && { reason },
    ...structure !== undefined && { structure: structureTextIn(bytes, structure) },
  };
}

/** Returns the text of a structure as it stands in a record: parsing and writing it again would lose −0. */
function structureTextIn(bytes: Uint8Array<ArrayBuffer>, structure: unknown): string {
  const text = new TextDecoder().decode(bytes);
  const at = text.indexOf('"structure":');
  return at === -1 ? JSON.stringify(structure) : text.slice(at + '"structure":'.length, -2);
}
