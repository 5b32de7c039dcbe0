/**
 * Schedules beside PyTorch's: tests/data/training_torch.jsonl, which training_torch.py writes and explains.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import {
  constant,
  cosine,
  exponential,
  linear,
  oneCycle,
  piecewise,
  plateau,
  type Schedule,
  warmup,
} from "../../../src/training/schedules/mod.ts";

/** A line of the file, as far as schedules go: base64 of doubles, one per epoch. */
interface Line {
  readonly case: string;
  readonly name: string;
  readonly lr: number;
  readonly rates: string;
  readonly losses?: string;
  readonly momenta?: string;
}

const FILE = new URL("../../data/training_torch.jsonl", import.meta.url);

const lines: Line[] = Deno.readTextFileSync(FILE).trimEnd().split("\n")
  .map((line) => JSON.parse(line)).filter((line: Line) => line.case === "schedule");

/** The options of each line, said our way. */
const OURS: Readonly<Record<string, () => Schedule>> = {
  "constant": () => constant(),
  "linear": () => linear({ from: 0.1, to: 1, steps: 10 }),
  "cosine": () => cosine({ steps: 50, to: 0.1 }),
  "warm-up and cosine": () => warmup({ steps: 5, from: 0.1, then: cosine({ steps: 55 }) }),
  "milestones": () => piecewise({ at: { 10: 0.3, 30: 0.3 * 0.3 } }),
  "steps": () => exponential({ gamma: 0.5, every: 7 }),
  "exponential": () => exponential({ gamma: 0.9 }),
  "plateau": () =>
    plateau({ monitor: "loss", factor: 0.5, patience: 3, threshold: 1e-3, cooldown: 2 }),
  "one cycle": () => oneCycle({ steps: 60, momentum: [0.85, 0.95] }),
};

/** Epochs that are compared, where not all are: PyTorch's wave rises again, ours has arrived. */
const EPOCHS: Readonly<Record<string, number>> = { cosine: 51 };

function decoded(base64: string): Float64Array {
  return new Float64Array(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer);
}

/** Both within a few roundings of the largest: PyTorch multiplies its way from step to step. */
function assertNear(ours: ArrayLike<number>, theirs: Float64Array, what: string): void {
  const largest = Math.max(...theirs);
  const bad = Array.from(ours).findIndex((x, t) => !(Math.abs(x - theirs[t]!) <= 4e-15 * largest));
  assertEquals(bad, -1, `${what} ${bad}: ${ours[bad]}, not ${theirs[bad]}`);
}

Deno.test("PyTorch has numbers for every schedule that there is", () => {
  assertEquals(lines.map(({ name }) => name).sort(), Object.keys(OURS).sort());
});

for (const { name, lr, rates, losses, momenta } of lines) {
  Deno.test(`${name}: learning rates are PyTorch's`, () => {
    const theirs = decoded(rates);
    const fed = losses && decoded(losses);
    const schedule = OURS[name]!();
    const ours = [];
    for (let t = 0; t < (EPOCHS[name] ?? theirs.length); t++) {
      ours.push(lr * schedule.factor(t));
      if (fed) schedule.observe!({ loss: fed[t]! });
    }
    assertNear(ours, theirs, "rate");
    if (momenta) {
      assertNear(ours.map((_, t) => schedule.momentum!(t)), decoded(momenta), "momentum");
    }
  });
}
