import { Control } from "../../../../kernels/kernel.ts";
import type { Shader } from "../../program/shader.ts";

/** WGSL version of the kernel in src/kernels/converge/count_stage.ts. */
export const countStage: Shader = {
  words: { stages: "i32" },
  passes: () => [{
    per: "system",
    always: true,
    changes: ["moving"],
    atomic: ["control"],
    code: /* wgsl */ `
fn system(s: u32) {
  stage[s] = status[s];
  if (moving[s] == 0) { return; }
  if (status[s] >= 0 && status[s] < params.stages) {
    steps[params.stages * i32(s) + status[s]] += 1;
    return;
  }
  moving[s] = 0;
  atomicStore(&control[${Control.HALT}], 1);
}`,
  }],
};
