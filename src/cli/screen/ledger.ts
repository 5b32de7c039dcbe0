/**
 * The ledger of a screening: a line for each structure that is finished or has failed.
 *
 * @module
 */

import { textIn } from "../../config/runs/run_files.ts";
import { LineFile } from "../../sinks/files/line_file.ts";
import type { ScreenResult } from "./screen_result.ts";
import { type LedgerLine, Stamps } from "./stamps.ts";

export type { ScreenResult };
import { writeWhole } from "../../checkpoint/mod.ts";

/** Columns of `status.csv`, with units, and the members that fill them. */
const COLUMNS: Readonly<Record<string, keyof ScreenResult>> = {
  file: "file",
  frame: "frame",
  atoms: "atoms",
  status: "status",
  steps: "steps",
  "energy/eV": "energy",
  "fmax/(eV/Å)": "fmax",
  reason: "reason",
};

/** Reads the results in a folder. A last line that a killed process has not finished is left out. */
export async function readResults(folder: string): Promise<readonly ScreenResult[]> {
  const text = await textIn(`${folder}/status.jsonl`) ?? "";
  return text.slice(0, text.lastIndexOf("\n") + 1).split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line) as ScreenResult);
}

/** The ledger of a folder. */
export class Ledger {
  readonly #folder: string;
  readonly #lines: LineFile;
  readonly #results: ScreenResult[] = [];
  readonly #known = new Set<string>();
  /** Number of results in `status.csv`, and the time at which it may be written again. */
  #tabled = 0;
  #next: number;
  readonly #every: number;
  #writing: Promise<void> | undefined;

  readonly #stamps: Stamps;

  private constructor(folder: string, every: number, stamps: Stamps) {
    this.#folder = folder;
    this.#stamps = stamps;
    this.#every = every;
    this.#next = performance.now() + every;
    this.#lines = new LineFile(`${folder}/status.jsonl`, { onWarning: () => {} });
  }

  /**
   * Opens the ledger of a folder, with the results of an earlier part of the screening.
   *
   * @param options `every`: milliseconds between two tables that are written during the screening
   * @throws {UsageError} if a file has changed after its structures were relaxed
   */
  static async open(
    folder: string,
    { every = 2000 }: { readonly every?: number } = {},
  ): Promise<Ledger> {
    const stamps = new Stamps(), all = await readResults(folder);
    const valid = await stamps.stillValid(folder, all);
    if (valid.length < all.length) {
      const text = valid.map((line) => `${JSON.stringify(line)}\n`).join("");
      await writeWhole(`${folder}/status.jsonl`, new TextEncoder().encode(text), "status");
    }
    const ledger = new Ledger(folder, every, stamps);
    await ledger.#lines.open();
    for (const result of valid) ledger.#note(result);
    return ledger;
  }

  /** All results so far. */
  get results(): readonly ScreenResult[] {
    return this.#results;
  }

  /** Number of results whose structures were written. */
  get written(): number {
    return this.#results.filter(({ status }) => status !== "failed").length;
  }

  /**
   * Forgets the results after the first `count` that have a structure: a killed process may have added lines whose
   * structures it had not written yet.
   */
  async forgetAfter(count: number): Promise<void> {
    let written = 0;
    const kept = this.#results.filter(({ status }) => status === "failed" || written++ < count);
    await this.#lines.close();
    const lines = kept.map((result) => `${JSON.stringify(this.#stamped(result))}\n`);
    await writeWhole(
      `${this.#folder}/status.jsonl`,
      new TextEncoder().encode(lines.join("")),
      "status",
    );
    await this.#lines.open();
    this.#results.splice(0, Infinity, ...kept);
    this.#known.clear();
    for (const { file, frame } of kept) this.#known.add(keyOf(file, frame));
  }

  /** Returns whether a structure has a result. Without a frame: whether the whole file has failed. */
  has(file: string, frame: number | null): boolean {
    return this.#known.has(keyOf(file, frame));
  }

  /** Notes the size and the time of a file that will be read, which are stored with its results. */
  async begin(file: string): Promise<void> {
    await this.#stamps.of(file);
  }

  /** Adds a result. */
  add(result: ScreenResult): void {
    this.#note(result);
    this.#lines.add(JSON.stringify(this.#stamped(result)));
  }

  #stamped(result: ScreenResult): LedgerLine {
    const input = this.#stamps.known(result.file);
    return { ...result, ...input !== undefined && { input } };
  }

  #note(result: ScreenResult): void {
    this.#results.push(result);
    this.#known.add(keyOf(result.file, result.frame));
  }

  /** Waits until all results are on the disk, and writes `status.csv` in the order of `files`. */
  async close(files: readonly string[]): Promise<void> {
    await this.#writing;
    await this.#lines.close();
    await this.#writeTable(files);
  }

  /** Writes `status.csv` during the screening if it lacks results and was not written in the last seconds. */
  refresh(files: readonly string[]): void {
    const begun = performance.now();
    if (this.#writing !== undefined || begun < this.#next) return;
    if (this.#tabled === this.#results.length) return;
    // An error is not lost: close() writes the table again.
    this.#writing = this.#writeTable(files).catch(() => {}).finally(() => {
      this.#writing = undefined;
      const now = performance.now();
      this.#next = now + Math.max(this.#every, 50 * (now - begun)); // a long table must not slow the screening
    });
  }

  async #writeTable(files: readonly string[]): Promise<void> {
    this.#tabled = this.#results.length;
    const order = new Map(files.map((file, i) => [file, i]));
    const sorted = this.#results.toSorted((a, b) =>
      (order.get(a.file) ?? 0) - (order.get(b.file) ?? 0) || (a.frame ?? 0) - (b.frame ?? 0)
    );
    const rows = sorted.map((result) =>
      Object.values(COLUMNS).map((member) => cell(result[member])).join(",")
    );
    const text = [Object.keys(COLUMNS).join(","), ...rows, ""].join("\n");
    await writeWhole(`${this.#folder}/status.csv`, new TextEncoder().encode(text), "status");
  }
}

function keyOf(file: string, frame: number | null): string {
  return `${frame ?? ""}@${file}`;
}

/** Returns a cell of a CSV file. Texts with commas, quotes or newlines are quoted. */
function cell(value: string | number | null): string {
  const text = value === null ? "" : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
