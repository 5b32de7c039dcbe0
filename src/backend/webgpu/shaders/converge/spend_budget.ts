import { Control } from "../../../../kernels/kernel.ts";
import type { Shader } from "../../program/shader.ts";

/** WGSL version of the kernel in src/kernels/converge/spend_budget.ts. */
export const spendBudget: Shader = {
  words: {
    stages: "i32",
    first: "i32",
    end: "i32",
    budget: "i32",
    stop: "i32",
  },
  passes: () => [{
    per: "system",
    always: true,
    changes: ["moving"],
    atomic: ["control"],
    code: /* wgsl */ `
fn system(s: u32) {
  spent[s] = 0;
  if (moving[s] == 0 || status[s] < params.first || status[s] >= params.end) { return; }
  var done = 0;
  for (var k = params.first; k < params.end; k++) {
    let i = params.stages * i32(s) + k;
    done += steps[i] - begun[i];
  }
  if (done < params.budget) { return; }
  spent[s] = 1;
  status[s] = params.end;
  if (params.stop != 0) { moving[s] = 0; }
  atomicStore(&control[${Control.HALT}], 1);
}`,
  }],
};
