import { AdamSetting as S } from "../../../../kernels/learn/scale_by_adam.ts";
import type { Shader } from "../../program/shader.ts";
import { settingOf } from "../../wgsl/settings.ts";

/** WGSL version of the kernel in src/kernels/learn/scale_by_adam.ts. */
export const scaleByAdam: Shader = {
  passes: () => [{
    per: "atom",
    code: /* wgsl */ `${settingOf(S.LENGTH)}
fn atom(s: u32, a: u32) {
  let g = updates[a];
  let m = setting(s, ${S.KEEP_FIRST}u) * first[a] + setting(s, ${S.TAKE_FIRST}u) * g;
  let v = setting(s, ${S.KEEP_SECOND}u) * second[a] + setting(s, ${S.TAKE_SECOND}u) * (g * g);
  first[a] = m;
  second[a] = v;
  updates[a] = m * setting(s, ${S.CORRECT_FIRST}u) /
    (sqrt(v) * setting(s, ${S.CORRECT_SECOND}u) + setting(s, ${S.EPS}u));
}`,
  }],
};
