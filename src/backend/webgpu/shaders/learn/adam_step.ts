import { AdamStepSetting as S } from "../../../../kernels/learn/adam_step.ts";
import type { Shader } from "../../program/shader.ts";
import { settingOf } from "../../wgsl/settings.ts";

/** WGSL version of the kernel in src/kernels/learn/adam_step.ts. */
export const adamStep: Shader = {
  passes: () => [{
    per: "atom",
    code: /* wgsl */ `${settingOf(S.LENGTH)}
fn atom(s: u32, a: u32) {
  let p = parameters[a];
  let g = gradients[a] + setting(s, ${S.L2}u) * p;
  let m = setting(s, ${S.KEEP_FIRST}u) * first[a] + setting(s, ${S.TAKE_FIRST}u) * g;
  let v = setting(s, ${S.KEEP_SECOND}u) * second[a] + setting(s, ${S.TAKE_SECOND}u) * (g * g);
  first[a] = m;
  second[a] = v;
  parameters[a] = setting(s, ${S.KEEP}u) * p - setting(s, ${S.STEP_SIZE}u) * m /
    (sqrt(v) * setting(s, ${S.CORRECT_SECOND}u) + setting(s, ${S.EPS}u));
}`,
  }],
};
