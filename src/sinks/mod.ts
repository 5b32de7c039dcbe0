/**
 * Sinks: files and memory in which systems, and rows of numbers, are stored.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { MemorySink } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const sink = new MemorySink();
 * sink.write(Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0] }]));
 * assertEquals(sink.drain().size, 1);
 * assertEquals(sink.length, 0);
 * ```
 *
 * @module
 */

export { AseDatabaseSink } from "./ase/ase_database_sink.ts";
export type { AseDatabaseSinkOptions } from "./ase/ase_database_sink.ts";
export { CsvFile } from "./csv/csv_file.ts";
export { CsvSink } from "./csv/csv_sink.ts";
export { ExtxyzSink } from "./extxyz/extxyz_sink.ts";
export type { ExtxyzSinkOptions } from "./extxyz/extxyz_sink.ts";
export { JsonlSink } from "./jsonl/jsonl_sink.ts";
export { FileSink } from "./files/file_sink.ts";
export type { FileSinkOptions } from "./files/file_sink.ts";
export type { FrameStore } from "./files/frame_store.ts";
export { LineFile, type LineFileOptions } from "./files/line_file.ts";
export { MemorySink } from "./memory_sink.ts";
export type { MemorySinkOptions } from "./memory_sink.ts";
export { openSink, SINK_FORMATS } from "./open_sink.ts";
export type { MakeSink, OpenSinkOptions } from "./open_sink.ts";
export { openSystems } from "./systems_file.ts";
export type { SystemsFile } from "../formats/files.ts";
export { parseTensorBoard, readTensorBoard } from "./tensorboard/read_tensorboard.ts";
export type { Sink, Slice, StoredSink, SystemMask, SystemWriter } from "./sink.ts";
export { TensorBoardFile } from "./tensorboard/tensorboard_file.ts";
export type { EventTime, HistogramOptions } from "./tensorboard/tensorboard_file.ts";
export type { TensorBoardEvent, TensorBoardHistogram } from "./tensorboard/tensorboard_event.ts";
export type { CheckedPart, SinkDamage } from "./damage.ts";
export { verifySink } from "./verify_sink.ts";
export type { SinkReport } from "./verify_sink.ts";
export type { WriterQueueOptions } from "./files/writer_queue.ts";
export type { ZarrPrecision } from "./zarr/layout.ts";
export type { ZarrCompression } from "./zarr/metadata.ts";
export type { ZarrSinkOptions } from "./zarr/zarr_options.ts";
export { ZarrSink } from "./zarr/zarr_sink.ts";
