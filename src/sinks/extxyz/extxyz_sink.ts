import { checkOptions } from "../../base/check_options.ts";
import { FILE_OPTIONS, FileSink, type FileSinkOptions } from "../files/file_sink.ts";
import { TextStore } from "../text/text_store.ts";
import { extxyzFormat } from "./extxyz_format.ts";

/** Options of an {@linkcode ExtxyzSink}. */
export interface ExtxyzSinkOptions extends FileSinkOptions {
  /**
   * Writes velocities also as momenta, which ASE reads.
   *
   * @default true
   */
  readonly momenta?: boolean;
}

/**
 * Writes systems to a file of extended XYZ, which ASE, OVITO and others read. Frames are appended to an existing
 * file.
 *
 * Systems are read back bitwise identical, with custom fields and `info`: the key `hooke_fields` of each frame has
 * their dtypes, units and fill values. Three kinds of values are not restored: fields per edge, which the format does
 * not have; energies, forces and stresses whose values are all NaN; and typed arrays in `info`, which become lists.
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
  /** Creates the sink. The file is opened by `open` or the first `write`. */
  constructor(path: string, options: ExtxyzSinkOptions = {}) {
    checkOptions("make an ExtxyzSink", options, ["momenta", ...FILE_OPTIONS]);
    const { momenta = true } = options;
    super(path, new TextStore(path, extxyzFormat({ momenta }), options.onWarning), options);
  }
}
