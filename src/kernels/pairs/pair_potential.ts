import { type Arrays, defineKernel, type Kernel } from "../kernel.ts";
import type { PairOperation, PairProgram } from "./expression/program.ts";
import { PAIR_ARGS, type PairFunction, sumPairs } from "./sum_pairs.ts";

/** A kernel that sums a pair potential which is known as a program. */
export interface PairKernel extends Kernel<typeof PAIR_ARGS> {
  /** The potential. */
  readonly pair: PairProgram;
}

/**
 * Returns the kernel of a pair potential, which adds the forces, energies and virials of all pairs below a cutoff.
 *
 * `name`: that of a kernel which some backend has for exactly this potential.
 *
 * `parameters`: a row as {@linkcode PairProgram} says for each ordered pair of types (row: type of the one atom, column:
 * of the other). `species`: the type of each atom, from 0, not read if there is one; or rows with exclusions, as
 * exclusions.ts says.
 * `switchWidth`: above 0, energies are multiplied by 1 − 10x³ + 15x⁴ − 6x⁵ over the last so many Å before the cutoff.
 * `want`: the bits of {@linkcode Want}; forces are the same with any of them. Virial W = Σ f ⊗ r: the stress is −W/V.
 */
export function pairKernel(program: PairProgram, name = "pair_potential"): PairKernel {
  const pair = pairFunction(program);
  const kernel = defineKernel(
    "pair_potential",
    PAIR_ARGS,
    (values, frame) => sumPairs(values, frame, pair),
  );
  return Object.freeze({ ...kernel, name, pair: program });
}

/** Operations by the number that stands for them. */
const CODES: readonly PairOperation["op"][] = [
  "square",
  "coefficient",
  "add",
  "subtract",
  "multiply",
  "divide",
  "negate",
  "sqrt",
  "exp2",
  "log2",
];

/** Returns the function that runs a program in float64. */
function pairFunction({ width, operations, energy, slope }: PairProgram): PairFunction {
  const values = Float64Array.from(operations, (one) => one.op === "number" ? one.value : 0);
  // Four words for each operation: its number, the place of its result, its operands. V8 runs a switch over small
  // integers of one typed array several times as fast as one over objects.
  const words = Int32Array.from(
    operations.flatMap((one, to) =>
      one.op === "number" ? [] : [CODES.indexOf(one.op), to, ...operandsOf(one)]
    ),
  );
  return {
    width,
    at(square, parameters, at, out) {
      run(words, values, square, parameters, at);
      out[0] = values[energy]! - parameters[at + width - 1]!;
      out[1] = values[slope]!;
    },
  };
}

function run(
  words: Int32Array,
  values: Float64Array,
  square: number,
  parameters: Arrays["real"],
  at: number,
): void {
  // hot
  for (let k = 0; k < words.length; k += 4) {
    const to = words[k + 1]!, a = words[k + 2]!, b = words[k + 3]!;
    switch (words[k]) {
      case 0:
        values[to] = square;
        break;
      case 1:
        values[to] = parameters[at + a]!;
        break;
      case 2:
        values[to] = values[a]! + values[b]!;
        break;
      case 3:
        values[to] = values[a]! - values[b]!;
        break;
      case 4:
        values[to] = values[a]! * values[b]!;
        break;
      case 5:
        values[to] = values[a]! / values[b]!;
        break;
      case 6:
        values[to] = -values[a]!;
        break;
      case 7:
        values[to] = Math.sqrt(values[a]!);
        break;
      case 8:
        values[to] = 2 ** values[a]!;
        break;
      default:
        values[to] = Math.log2(values[a]!);
    }
  }
}

/** Returns the operands of an operation, or the place of its coefficient. */
function operandsOf(operation: PairOperation): readonly [number, number] {
  if ("b" in operation) return [operation.a, operation.b];
  if ("a" in operation) return [operation.a, 0];
  return [operation.op === "coefficient" ? operation.index : 0, 0];
}
