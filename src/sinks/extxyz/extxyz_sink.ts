import { checkOptions } from "../../base/check_options.ts";
import { FILE_OPTIONS, FileSink, type FileSinkOptions } from "../files/file_sink.ts";
import { TextStore } from "../text/text_store.ts";
import { extxyzFormat } from "./extxyz_format.ts";

/** Options of an {@linkcode ExtxyzSink}. */
export interface ExtxyzSinkOptions extends FileSinkOptions {
  /**
   * Also write velocities as momenta, where ASE looks for them.
   *
   * @default true
   */
  readonly momenta?: boolean;
}

/**
 * Keeps systems in a file of extended XYZ, which ASE, OVITO and others read: frames are added to those that are there.
 *
 * What comes back is what was written, to the bit, one's own fields and `info` included (their dtypes, units and fill
 * values are in the key `hooke_fields` of each frame), but for fields per edge, which the format has no place for,
 * energies, forces and stresses of which no number is known, and typed arrays in `info`, which come back as lists.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { ExtxyzSink } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/argon.xyz`;
 * const sink = new ExtxyzSink(path);
 * for (const x of [0, 1, 2]) {
 *   await sink.write(Batch.from([{ symbols: ["Ar"], positions: [x, 0, 0], info: { step: 10 * x } }]));
 * }
 * await sink.flush();
 * assertEquals(sink.length, 3);
 * const late = await sink.slice({ steps: [10, 20] });
 * assertEquals([...late.get("positions")], [1, 0, 0, 2, 0, 0]);
 * await sink.close();
 * ```
 */
export class ExtxyzSink extends FileSink {
  /** Makes the sink. The file is opened by `open` or the first `write`. */
  constructor(path: string, options: ExtxyzSinkOptions = {}) {
    checkOptions("make an ExtxyzSink", options, ["momenta", ...FILE_OPTIONS]);
    const { momenta = true } = options;
    super(path, new TextStore(path, extxyzFormat({ momenta }), options.onWarning), options);
  }
}
