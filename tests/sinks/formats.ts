/**
 * The tested formats, by the endings of their paths. formats_test.ts compares them with those of the package:
 * a new format fails it until it is listed here, which adds it to all tests that use these lists.
 */

/** Formats of one file. */
export const FILES = ["xyz", "jsonl", "csv", "db"] as const;
/** Formats whose systems can be read. */
export const SYSTEMS = ["xyz", "jsonl", "db", "zarr"] as const;
/** Formats of lines of text. */
export const TEXTS = ["xyz", "jsonl", "csv"] as const;
