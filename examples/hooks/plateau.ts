/**
 * A hook in a module of its own, which configurations name: `"./hooks/plateau.ts#PlateauHook"`.
 *
 * @module
 */
import type { MetricsContext } from "@hooke/hooke";

/** Reports when the last losses are about the same. */
export class PlateauHook {
  readonly #window: number;
  readonly #within: number;
  #losses: number[] = [];

  constructor({ window = 5, within = 0.001 }: { window?: number; within?: number } = {}) {
    this.#window = window;
    this.#within = within;
  }

  onEpochEnd({ epoch, metrics }: MetricsContext): void {
    this.#losses = [...this.#losses, metrics["train/loss"]!].slice(-this.#window);
    const range = Math.max(...this.#losses) - Math.min(...this.#losses);
    if (this.#losses.length < this.#window || range >= this.#within) return;
    console.log(`Training plateau detected in epoch ${epoch + 1}!`);
  }

  /** Checkpoints contain its state. */
  save(): number[] {
    return this.#losses;
  }

  load(losses: number[]): void {
    this.#losses = losses;
  }
}
