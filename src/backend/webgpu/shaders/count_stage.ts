import type { Shader } from "../shader.ts";

/** See src/kernels/count_stage.ts. */
export const countStage: Shader = {
  words: { stages: "i32" },
  passes: () => [{
    per: "system",
    always: true,
    code: /* wgsl */ `
fn system(s: u32) {
  stage[s] = status[s];
  if (moving[s] == 0 || status[s] < 0 || status[s] >= params.stages) { return; }
  steps[params.stages * i32(s) + status[s]] += 1;
}`,
  }],
};
