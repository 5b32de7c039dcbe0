import { checkOptions } from "../../base/check_options.ts";
import { FILE_OPTIONS, FileSink, type FileSinkOptions } from "../files/file_sink.ts";
import { TextStore } from "../text/text_store.ts";
import { JSONL_FORMAT } from "./jsonl_format.ts";

/**
 * Writes systems to a file of JSON, one line per system, and reads them. Lines are appended to an existing file.
 * Fields of any level and dtype, and `info`, are read back bitwise identical.
 *
 * A line is an object: `hooke` (the version of the format), each field by its name (a number, a list, or a list of
 * rows; values that are not finite as `"NaN"`, `"Infinity"`, `"-Infinity"`), `fields` (level, dtype, width, unit and
 * fill value of custom fields), and `info`.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { JsonlSink } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/argon.jsonl`;
 * await using sink = new JsonlSink(path);
 * await sink.write(Batch.from([{ symbols: ["Ar"], positions: [0, -0, 1.5], energy: -1 }]));
 * await sink.flush();
 * const line = JSON.parse(await Deno.readTextFile(path));
 * assertEquals([line.numbers, line.positions, line.energy], [[18], [[0, -0, 1.5]], -1]);
 * assertEquals([...(await sink.read()).get("positions")], [0, -0, 1.5]);
 * ```
 */
export class JsonlSink extends FileSink {
  /** Creates the sink. The file is opened by `open` or the first `write`. */
  constructor(path: string, options: FileSinkOptions = {}) {
    checkOptions("make a JsonlSink", options, FILE_OPTIONS);
    super(path, new TextStore(path, JSONL_FORMAT, options.onWarning), options);
  }
}
