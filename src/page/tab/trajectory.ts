/**
 * The trajectory of a run in a tab, in memory.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import type { System } from "../../batch/system.ts";
import type { SystemWriter } from "../../sinks/sink.ts";
import type { ViewerFrame } from "../protocol.ts";

/** Memory that frames may take, bytes. A tab has 2 to 4 GB. */
const MOST_BYTES = 768e6;

/** Bytes per atom of a frame with positions, velocities, forces and numbers in float64. */
const BYTES_PER_ATOM = 100;

/** Keeps the frames of a run. If they would take too much memory, later frames are not kept, with one warning. */
export class TabTrajectory implements SystemWriter {
  readonly #systems: System[] = [];
  readonly #changed: (length: number) => void;
  readonly #warn: (message: string) => void;
  readonly #most: number;
  #bytes = 0;
  #isFull = false;

  /** Creates an empty trajectory. `changed` is called after each frame. */
  constructor(
    changed: (length: number) => void,
    warn: (message: string) => void,
    mostBytes: number = MOST_BYTES,
  ) {
    this.#changed = changed;
    this.#warn = warn;
    this.#most = mostBytes;
  }

  /** All frames, in order. */
  get systems(): readonly System[] {
    return this.#systems;
  }

  /** Copies the systems of a batch. */
  write(batch: Batch): void {
    if (this.#isFull) return;
    this.#bytes += BYTES_PER_ATOM * batch.nodeCount;
    if (this.#bytes > this.#most) {
      this.#isFull = true;
      this.#warn(
        `The trajectory has ${this.#systems.length} frames, as many as a tab can keep; later frames are not kept. ` +
          "Increase trajEvery for long runs",
      );
      return;
    }
    this.#systems.push(...batch.systems());
    this.#changed(this.#systems.length);
  }
}

/** Fields of a frame that the viewer may color by. */
const SHOWN = ["forces", "velocities", "charges"] as const;

/** Returns a structure for the viewer. Arrays are copies. */
export function viewerFrame(system: System, step?: number): ViewerFrame {
  const { info, pbc } = system;
  const at = step ?? (system.has("step") ? system.get("step")[0] : undefined);
  const fields = SHOWN.filter((name) => system.has(name)).map((name) =>
    [name, Float32Array.from(system.get(name))] as const
  );
  const hasCell = Array.from(system.cell).some((x) => x !== 0);
  return {
    numbers: Uint8Array.from(system.numbers),
    positions: Float32Array.from(system.positions),
    pbc: [pbc[0] === 1, pbc[1] === 1, pbc[2] === 1],
    fields: Object.fromEntries(fields),
    ...at !== undefined && { step: at },
    ...typeof info.file === "string" && { label: info.file },
    ...hasCell && { cell: Float32Array.from(system.cell) },
  };
}
