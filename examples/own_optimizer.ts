/**
 * Implements an optimizer that Hooke does not have as a hook: Rprop, which uses only the signs of gradients. It
 * replaces the step at OPTIMIZER_STEP and changes parameters in place. Checkpoints contain its state.
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

/** For each number: its step size, and the sign of its last gradient. */
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
        signs[i] = turn < 0 ? 0 : sign; // after a change of sign it does not move
        numbers[i]! -= signs[i]! * steps[i]!;
      }
    }
  }

  /** State for checkpoints. */
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

/** y = 3 a + 0.01 b, where b is some thirty times a: a long, narrow valley, in which plain descent is slow. */
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
    optimizers: sgd({ lr: 1e-3 }), // the largest rate that does not diverge
    hooks,
    epochs: 60,
  });
  await trainer.train();
  const [a, b] = await trainer.parameter("w");
  const name = hooks[0]?.name ?? "sgd";
  console.log(`${name}: y = ${a!.toFixed(3)} a + ${b!.toFixed(4)} b`);
}
