/**
 * The formats that are tested, by how their paths end. formats_test.ts compares them with those of the package, so that
 * a new format fails it until it is listed here, and so is part of the tests that go through these lists.
 */

/** Formats of one file. */
export const FILES = ["xyz", "jsonl", "csv", "db"] as const;
/** Formats that give systems back. */
export const SYSTEMS = ["xyz", "jsonl", "db", "zarr"] as const;
/** Formats of lines of text. */
export const TEXTS = ["xyz", "jsonl", "csv"] as const;
