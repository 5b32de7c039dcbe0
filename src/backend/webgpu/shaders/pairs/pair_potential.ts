import type { PairOperation, PairProgram } from "../../../../kernels/pairs/expression/program.ts";
import type { Shader } from "../../program/shader.ts";
import { sumPairs } from "../../wgsl/sum_pairs.ts";

/** Returns the shader of a pair potential; see src/kernels/pairs/pair_potential.ts. */
export function pairPotential({ width, operations, energy, slope }: PairProgram): Shader {
  const lines = operations.map((operation, i) => `  let v${i} = ${valueOf(operation)};`);
  return sumPairs(
    width,
    /* wgsl */ `
fn pair(square: f32, at: u32) -> vec2<f32> {
${lines.join("\n")}
  return vec2<f32>(v${energy} - parameters[at + ${width - 1}u], v${slope});
}
`,
  );
}

function valueOf(operation: PairOperation): string {
  switch (operation.op) {
    case "square":
      return "square";
    case "coefficient":
      return `parameters[at + ${operation.index}u]`;
    case "number":
      return `${operation.value}f`;
    case "add":
    case "subtract":
    case "multiply":
    case "divide":
      return `v${operation.a} ${SIGNS[operation.op]} v${operation.b}`;
    case "negate":
      return `-v${operation.a}`;
    default:
      return `${operation.op}(v${operation.a})`;
  }
}

const SIGNS = { add: "+", subtract: "-", multiply: "*", divide: "/" } as const;
