import type { Shader } from "../../program/shader.ts";

/** WGSL version of the kernel in src/kernels/converge/enter_stage.ts. */
export const enterStage: Shader = {
  words: { first: "i32", end: "i32", notes: "i32" },
  passes: () => [{
    per: "system",
    always: true,
    changes: ["moving"],
    code: /* wgsl */ `
fn system(s: u32) {
  if (params.notes != 0) { awake[s] = moving[s]; }
  let is_in = params.first <= status[s] && status[s] < params.end;
  moving[s] = select(0, awake[s], is_in);
}`,
  }],
};
