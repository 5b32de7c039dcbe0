/**
 * The table of epochs that the terminal shows during training.
 *
 * @module
 */

import type { BatchEndContext, MetricsContext } from "../../training/stages.ts";
import type { TuningMetrics } from "../../training/tuning/fine_tune_options.ts";
import type { CommandRun } from "../frame/command.ts";
import { sparkline } from "../picture.ts";
import type { TrainSettings } from "./settings.ts";

/** Errors in the table: the end of the metric's name, the title and the unit. */
const ERRORS: readonly (readonly [name: string, title: string, unit: string])[] = [
  ["energyMAE", "energy MAE", "meV/atom"],
  ["forcesMAE", "forces MAE", "meV/Å"],
  ["stressMAE", "stress MAE", "meV/Å³"],
];

/** Milliseconds between two repaints of the progress line on a terminal, and between two lines elsewhere. */
const REPAINT = 100, LINE_EVERY = 10_000;

/** Width of a terminal that does not state its width. */
const DEFAULT_COLUMNS = 100;

/** A hook that prints a row for each epoch, and progress with the remaining time. */
export class EpochTable {
  /** Name of the hook. */
  readonly name = "epoch_table";
  readonly #settings: TrainSettings;
  readonly #run: CommandRun;
  readonly #title: string;
  readonly #history: TuningMetrics[] = [];
  #begun = performance.now();
  #painted = 0;
  #steps = 0;
  #isPainted = false;
  #hasHead = false;

  constructor(settings: TrainSettings, run: CommandRun, { title }: { readonly title: string }) {
    this.#settings = settings;
    this.#run = run;
    this.#title = title;
  }

  /** Prints that training continues from a checkpoint. */
  resumed(step: number): void {
    if (!this.#isSilent) this.#print(`Resuming at step ${step}`);
  }

  /** Prints what is trained. Called by the trainer. */
  onTrainBegin(): void {
    this.#begun = performance.now();
    if (this.#isSilent) return;
    this.#print(this.#title);
  }

  /** Prints the head of the table, which says of which frames the errors are. */
  #printHead(of: "val" | "train"): void {
    this.#hasHead = true;
    const errors = ERRORS.slice(0, this.#columns).map(([, title, unit]) =>
      `${of} ${title} ${unit}`
    );
    this.#print(
      ["epoch", `${of} loss`, ...errors].map((title, i) => title.padStart(WIDTHS[i]!)).join(""),
    );
    this.#print(
      of === "val"
        ? "       (val: of the validation frames)"
        : "       (train: of the training frames; there are no validation frames)",
    );
  }

  /** Shows progress. Called by the trainer. */
  onBatchEnd({ epoch, batchIdx, loss }: BatchEndContext): void {
    const { progress } = this.#run.terminal, now = performance.now();
    this.#steps++;
    if (this.#settings.quiet || progress === undefined) return;
    if (now - this.#painted < (progress.isTerminal ? REPAINT : LINE_EVERY)) return;
    this.#painted = now;
    const speed = this.#steps / (now - this.#begun) * 1000;
    const text = `epoch ${epoch + 1}/${this.#settings.epochs}  batch ${batchIdx + 1}  loss ${
      loss.toPrecision(4)
    }  ${speed.toPrecision(3)} steps/s${this.#remaining(epoch, now)}`;
    // A line of the full width would wrap, and the next repaint would begin in the wrong line.
    const fitting = text.slice(0, (progress.columns ?? DEFAULT_COLUMNS) - 1);
    progress.write(progress.isTerminal ? `\r${fitting}\x1b[K` : `${text}\n`);
    this.#isPainted = progress.isTerminal;
  }

  /** Prints the row of an epoch. Called by the trainer. */
  onEpochEnd({ epoch, metrics, outcome }: MetricsContext): void {
    if (outcome.status === "failed") return;
    this.#history.push({ ...metrics });
    if (this.#settings.json) {
      this.#print(JSON.stringify({ type: "epoch", epoch: epoch + 1, ...metrics }));
    } else if (!this.#isSilent) {
      const of = metrics["val/loss"] === undefined ? "train" : "val";
      if (!this.#hasHead) this.#printHead(of);
      const names = ["loss", ...ERRORS.slice(0, this.#columns).map(([name]) => name)];
      const values = names.map((name) => metrics[`${of}/${name}`]);
      const texts = values.map((value) => value === undefined ? "-" : Number(value).toPrecision(4));
      this.#print([`${epoch + 1}`, ...texts].map((text, i) => text.padStart(WIDTHS[i]!)).join(""));
    }
  }

  /** Prints the errors before and after training, and their course as small plots. */
  printSummary(before: TuningMetrics | undefined, after: TuningMetrics | undefined): void {
    for (const [name, title, unit] of ERRORS) {
      const [then, now] = [before?.[`val/${name}`], after?.[`val/${name}`]];
      if (then === undefined || now === undefined) continue;
      const course = this.#history.map((metrics) => metrics[`val/${name}`]).filter((x) =>
        x !== undefined
      );
      this.#print(
        `validation ${title}: ${then.toPrecision(4)} → ${now.toPrecision(4)} ${unit}  ${
          course.length > 1 ? sparkline(course, 40) : ""
        }`.trimEnd(),
      );
    }
  }

  get #isSilent(): boolean {
    return this.#settings.quiet || this.#settings.json;
  }

  get #columns(): number {
    return this.#settings.stressWeight > 0 ? 3 : 2;
  }

  /** Prints a line, after the progress line is erased. */
  #print(line: string): void {
    if (this.#isPainted) this.#run.terminal.progress?.write("\r\x1b[K");
    this.#isPainted = false;
    this.#run.terminal.print(line);
  }

  /** Returns the remaining time after the first epoch of this process. */
  #remaining(epoch: number, now: number): string {
    const done = this.#history.length;
    if (done === 0) return "";
    const seconds = (now - this.#begun) / 1000 / done * (this.#settings.epochs - epoch);
    return `  ${seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`} left`;
  }
}

/** Widths of the columns. */
const WIDTHS: readonly number[] = [6, 12, 27, 24, 24];
