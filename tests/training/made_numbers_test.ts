import { assert, assertEquals } from "@std/assert";
import { madeNumbers } from "./made_numbers.ts";

const FILE = new URL("../data/training_torch.jsonl", import.meta.url);

/** Numbers made by Python. */
interface Numbers {
  readonly case: string;
  readonly seed: number;
  readonly scale: number;
  readonly values: readonly number[];
}

Deno.test("madeNumbers() makes the numbers that Python makes, of any seed and scale", () => {
  const lines = Deno.readTextFileSync(FILE).trimEnd().split("\n");
  const made: Numbers[] = lines.map((line) => JSON.parse(line))
    .filter((line) => line.case === "numbers");
  assert(made.length > 0);
  for (const { seed, scale, values } of made) {
    assertEquals([...madeNumbers(seed, values.length, scale)], [...values], `seed ${seed}`);
  }
});

Deno.test("madeNumbers() spreads evenly: mean 0, variance scale² / 3", () => {
  const count = 1e5, made = madeNumbers(11, count, 4);
  const mean = made.reduce((sum, x) => sum + x, 0) / count;
  const variance = made.reduce((sum, x) => sum + x * x, 0) / count;
  assert(Math.abs(mean) < 0.05, `mean ${mean}`);
  assert(Math.abs(variance - 16 / 3) < 0.1, `variance ${variance}`);
  assert(made.every((x) => x >= -4 && x < 4));
});
