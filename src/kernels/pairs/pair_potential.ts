import { defineKernel, type Kernel } from "../kernel.ts";
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

/** Runs a program in float64. */
function pairFunction({ width, operations, energy, slope }: PairProgram): PairFunction {
  const values = Float64Array.from(operations, (one) => one.op === "number" ? one.value : 0);
  const steps = operations.map((operation, to) => ({ operation, to }))
    .filter(({ operation }) => operation.op !== "number");
  // V8 runs a switch over small integers in typed arrays several times as fast as one over objects.
  const codes = Uint8Array.from(steps, ({ operation }) => CODES.indexOf(operation.op));
  const places = Int32Array.from(steps, ({ to }) => to);
  const first = Int32Array.from(steps, ({ operation }) => operandsOf(operation)[0]);
  const second = Int32Array.from(steps, ({ operation }) => operandsOf(operation)[1]);
  return {
    width,
    at(square, parameters, at, out) {
      // hot
      for (let k = 0; k < codes.length; k++) {
        const i = first[k]!;
        const x = values[i]!, y = values[second[k]!]!;
        const value = codes[k] === 0
          ? square
          : codes[k] === 1
          ? parameters[at + i]!
          : resultOf(codes[k]!, x, y);
        values[places[k]!] = value;
      }
      out[0] = values[energy]! - parameters[at + width - 1]!;
      out[1] = values[slope]!;
    },
  };
}

/** Operations by their number in {@linkcode resultOf}. */
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

function resultOf(code: number, x: number, y: number): number {
  switch (code) {
    case 2:
      return x + y;
    case 3:
      return x - y;
    case 4:
      return x * y;
    case 5:
      return x / y;
    case 6:
      return -x;
    case 7:
      return Math.sqrt(x);
    case 8:
      return 2 ** x;
    default:
      return Math.log2(x);
  }
}

/** The operands of an operation, or the place of its coefficient. */
function operandsOf(operation: PairOperation): readonly [number, number] {
  if ("b" in operation) return [operation.a, operation.b];
  if ("a" in operation) return [operation.a, 0];
  return [operation.op === "coefficient" ? operation.index : 0, 0];
}
