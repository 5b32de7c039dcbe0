import type { CommandRun } from "../frame/command.ts";

/** Milliseconds between two repaints on a terminal, and between two plain lines elsewhere. */
const REPAINT = 100, LINE_EVERY = 10_000;

/** Width of a terminal that does not state its width. */
const DEFAULT_COLUMNS = 100;

/** A line of progress on the standard error: it is repainted on a terminal, and a plain line every 10 s elsewhere. */
export class ProgressLine {
  readonly #progress: CommandRun["terminal"]["progress"];
  #next: number;
  #isPainted = false;

  /** Creates the line, which is first shown after `delay` ms. With `quiet`, it is never shown. */
  constructor(
    { terminal }: Pick<CommandRun, "terminal">,
    { quiet, delay = 0 }: { readonly quiet: boolean; readonly delay?: number },
  ) {
    this.#progress = quiet ? undefined : terminal.progress;
    this.#next = performance.now() + delay;
  }

  /** Shows a text if the last one is old enough, or if `isLast` is true. A last line ends with a newline. */
  show(text: () => string, isLast: boolean = false): void {
    const progress = this.#progress, now = performance.now();
    if (progress === undefined || !isLast && now < this.#next) return;
    this.#next = now + (progress.isTerminal ? REPAINT : LINE_EVERY);
    if (!progress.isTerminal) return progress.write(`${text()}\n`);
    progress.write(`\r${text().slice(0, (progress.columns ?? DEFAULT_COLUMNS) - 1)}\x1b[K`);
    this.#isPainted = !isLast;
    if (isLast) progress.write("\n");
  }

  /** Removes a line from the terminal that will not be continued. */
  clear(): void {
    if (this.#isPainted) this.#progress!.write("\r\x1b[K");
    this.#isPainted = false;
  }
}
