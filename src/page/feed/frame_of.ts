/**
 * Structures as the page draws them.
 *
 * @module
 */

import type { System } from "../../batch/system.ts";
import type { ViewerFrame } from "../protocol.ts";

/** Fields per atom that a frame has in places of their own, or that only the engine needs. */
const NOT_SHOWN: ReadonlySet<string> = new Set(["numbers", "positions", "images", "masses"]);

/** Most fields of a frame. */
const MOST = 16;

/** Returns a structure as the page draws it, with its fields of one or three numbers per atom. */
export function frameOf(system: System): ViewerFrame {
  const { nodeCount, info, cell } = system;
  const fields = system.fields()
    .filter(({ name, level }) => level === "node" && !NOT_SHOWN.has(name))
    .map(({ name }) => [name, system.get(name)] as const)
    .filter(([, values]) =>
      nodeCount > 0 && [1, 3].includes(values.length / nodeCount) && values.some(Number.isFinite)
    )
    .slice(0, MOST)
    .map(([name, values]) => [name, Float32Array.from(values)] as const);
  const label = [info.file, info.label, info.name, info.comment].find(isText);
  // Files of text keep the step among other data.
  const step = system.has("step") ? system.get("step")[0] : info.step;
  const isPeriodic = system.pbc.some((one) => one === 1);
  return {
    ...(typeof step === "number" && { step }),
    ...(label !== undefined && { label }),
    numbers: Uint8Array.from(system.numbers),
    positions: Float32Array.from(system.positions),
    ...((isPeriodic || cell.some((one) => one !== 0)) && { cell: Float32Array.from(cell) }),
    pbc: [system.pbc[0] === 1, system.pbc[1] === 1, system.pbc[2] === 1],
    fields: Object.fromEntries(fields),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
