/**
 * The table of epochs that the terminal shows during training.
 *
 * @module
 */

import type { BatchEndContext, MetricsContext } from "../../training/stages.ts";
import type { TuningMetrics } from "../../training/tuning/fine_tune_options.ts";
import type { CommandRun } from "../frame/command.ts";
import { sparkline } from "../picture.ts";
import { ProgressLine } from "../run/progress_line.ts";
import type { TrainSettings } from "./settings.ts";

/** Errors in the table: the end of the metric's name, the title and the unit. */
const ERRORS: readonly (readonly [name: string, title: string, unit: string])[] = [
  ["energyMAE", "energy MAE", "meV/atom"],
  ["forcesMAE", "forces MAE", "meV/Å"],
  ["stressMAE", "stress MAE", "meV/Å³"],
];

/** A hook that prints a row for each epoch, and progress with the remaining time. */
export class EpochTable {
  /** Name of the hook. */
  readonly name = "epoch_table";
  readonly #settings: TrainSettings;
  readonly #run: CommandRun;
  readonly #line: ProgressLine;
  readonly #title: string;
  readonly #history: TuningMetrics[] = [];
  #begun = performance.now();
  #steps = 0;
  #hasHead = false;

  constructor(settings: TrainSettings, run: CommandRun, { title }: { readonly title: string }) {
    this.#settings = settings;
    this.#run = run;
    this.#line = new ProgressLine(run, settings);
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
    this.#steps++;
    this.#line.show(() => {
      const now = performance.now(), speed = this.#steps / (now - this.#begun) * 1000;
      return `epoch ${epoch + 1}/${this.#settings.epochs}  batch ${batchIdx + 1}  loss ${
        loss.toPrecision(4)
      }  ${speed.toPrecision(3)} steps/s${this.#remaining(epoch, now)}`;
    });
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

  /** Prints the errors before and after training, and their course as small plots, which begin before training. */
  printSummary(before: TuningMetrics | undefined, after: TuningMetrics | undefined): void {
    for (const [name, title, unit] of ERRORS) {
      const [then, now] = [before?.[`val/${name}`], after?.[`val/${name}`]];
      if (then === undefined || now === undefined) continue;
      const course = this.#history.map((metrics) => metrics[`val/${name}`]).filter((x) =>
        x !== undefined
      );
      this.#print(
        `validation ${title}: ${then.toPrecision(4)} → ${now.toPrecision(4)} ${unit}  ${
          course.length > 0 ? sparkline([then, ...course], 40) : ""
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
    this.#line.clear();
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
