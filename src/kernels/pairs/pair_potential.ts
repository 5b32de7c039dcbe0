import { type Arrays, defineKernel, type Kernel } from "../kernel.ts";
import type { PairOperation, PairProgram } from "./expression/program.ts";
import { PAIR_ARGS, type PairFunction, sumPairs } from "./sum_pairs.ts";

/** A kernel that sums a pair potential given as a program. */
export interface PairKernel extends Kernel<typeof PAIR_ARGS> {
  /** The pair potential. */
  readonly pair: PairProgram;
}

/**
 * Returns the kernel of a pair potential, which adds the forces, energies and virials of all pairs within the cutoff.
 * A backend that has its own kernel for exactly this potential finds it by `name`. Arguments of the kernel:
 *
 * - `parameters`: a row of {@linkcode PairProgram} for each ordered pair of types.
 * - `species`: type of each atom, from 0, or rows with exclusions (see exclusions.ts); not read if there is one type.
 * - `switchWidth`: if above 0, energies are multiplied by 1 − 10x³ + 15x⁴ − 6x⁵ over this distance before the cutoff.
 * - `want`: bits of {@linkcode Want}. Forces do not depend on it.
 *
 * The virial is W = Σ f ⊗ r; the stress is −W/V.
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

/** Names of operations by their opcode, which is the index. */
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

/** Returns a function that evaluates a program for one pair, in float64. */
function pairFunction({ width, operations, energy, slope }: PairProgram): PairFunction {
  const values = Float64Array.from(operations, (one) => one.op === "number" ? one.value : 0);
  // Each operation has four words: its code, the index of its result, and its two operands. V8 runs a
  // switch over small integers in one typed array several times faster than one over objects.
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

/** Returns the positions of the operands of an operation, or the index of its coefficient. Unused words are 0. */
function operandsOf(operation: PairOperation): readonly [number, number] {
  if ("b" in operation) return [operation.a, operation.b];
  if ("a" in operation) return [operation.a, 0];
  return [operation.op === "coefficient" ? operation.index : 0, 0];
}
