import type { Shader } from "../../program/shader.ts";

/** WGSL version of the kernel in src/kernels/integrate/advance.ts. */
export const advance: Shader = {
  passes: () => [{
    per: "system",
    changes: ["ages"],
    code: "fn system(s: u32) { ages[s] += 1; }",
  }],
};
