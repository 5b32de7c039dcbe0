import { Control } from "../../../../kernels/kernel.ts";
import type { Shader } from "../../program/shader.ts";

/** WGSL version of the kernel in src/kernels/converge/graduate.ts. */
export const graduate: Shader = {
  words: { source: "i32", goal: "i32", stop: "i32" },
  derived: ({ number }) => ({ goal: number("target") }),
  passes: () => [{
    per: "system",
    always: true,
    changes: ["moving"],
    atomic: ["control"],
    code: /* wgsl */ `
fn system(s: u32) {
  let is_asked = moving[s] != 0 && (params.source < 0 || status[s] == params.source);
  let is_met = is_asked && met[s] != 0;
  converged[s] = select(0, 1, is_met);
  met[s] = 1;
  if (!is_met) { return; }
  if (params.goal >= 0) { status[s] = params.goal; }
  if (params.stop != 0) { moving[s] = 0; }
  atomicStore(&control[${Control.HALT}], 1);
}`,
  }],
};
