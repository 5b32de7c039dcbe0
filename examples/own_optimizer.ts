/**
 * An optimizer that there is none of, as a hook: Rprop, which looks at signs of gradients only. It takes the place of the
 * step at OPTIMIZER_STEP and changes parameters where they are; what it keeps goes into checkpoints with it.
 *
 * Riedmiller and Braun, A direct adaptive method for faster backpropagation learning (1993).
 *
 * Run: `deno run -P=onnx examples/own_optimizer.ts`
 */
import {
  GraphBuilder,
  meanSquaredError,
  normalNumbers,
  sgd,
  tensorData,
  Trainer,
  TrainingStage,
} from "@hooke/hooke";
import type { OptimizerContext, UpdateContext } from "@hooke/hooke/training";

/** Of each number: the step it takes, and where its slope last pointed. */
interface Kept {
  readonly steps: Float32Array;
  readonly signs: Int8Array;
}

class Rprop {
  readonly name = "rprop";
  readonly stage = TrainingStage.OPTIMIZER_STEP;
  readonly frequency = 1;
  #kept = new Map<string, Kept>();

  call({ parameters, gradients }: OptimizerContext & UpdateContext): void {
    for (const [name, numbers] of parameters) {
      const gradient = gradients.get(name)!, { steps, signs } = this.#of(name, numbers.length);
      for (let i = 0; i < numbers.length; i++) {
        const sign = Math.sign(gradient[i]!), turn = sign * signs[i]!;
        if (turn > 0) steps[i] = Math.min(steps[i]! * 1.2, 1);
        if (turn < 0) steps[i] = Math.max(steps[i]! * 0.5, 1e-6);
        signs[i] = turn < 0 ? 0 : sign; // after a turn it waits
        numbers[i]! -= signs[i]! * steps[i]!;
      }
    }
  }

  /** For checkpoints. */
  save(): [string, Kept][] {
    return [...this.#kept];
  }

  load(saved: [string, Kept][]): void {
    this.#kept = new Map(saved);
  }

  #of(name: string, length: number): Kept {
    const kept = this.#kept.get(name) ??
      { steps: new Float32Array(length).fill(0.01), signs: new Int8Array(length) };
    this.#kept.set(name, kept);
    return kept;
  }
}

/** y = 3 a + 0.01 b, where b is some thirty times a: a long, narrow valley, in which plain descent creeps. */
function valley() {
  const a = normalNumbers(64, { seed: 1 }), b = normalNumbers(64, { seed: 2, stdev: 30 });
  const x = Float32Array.from({ length: 128 }, (_, i) => (i % 2 === 0 ? a : b)[i >> 1]!);
  const target = a.map((a, i) => 3 * a + 0.01 * b[i]!);
  return { x: { data: x, dims: [64, 2] }, target: { data: target, dims: [64, 1] } };
}

const builder = new GraphBuilder("plane");
const x = builder.input("x", "f32", ["B", 2]);
const w = builder.parameter("w", [0, 0], [2, 1]);
builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);

for (const hooks of [[], [new Rprop()]]) {
  await using trainer = new Trainer({
    model: builder.build(),
    loss: meanSquaredError(),
    data: tensorData(valley(), { batchSize: 64 }),
    optimizers: sgd({ lr: 1e-3 }), // the largest rate that does not run away
    hooks,
    epochs: 60,
  });
  await trainer.train();
  const [a, b] = await trainer.parameter("w");
  const name = hooks[0]?.name ?? "sgd";
  console.log(`${name}: y = ${a!.toFixed(3)} a + ${b!.toFixed(4)} b`);
}
