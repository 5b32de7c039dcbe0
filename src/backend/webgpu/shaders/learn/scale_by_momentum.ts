import { MomentumSetting as S } from "../../../../kernels/learn/scale_by_momentum.ts";
import type { Shader } from "../../program/shader.ts";
import { settingOf } from "../../wgsl/settings.ts";

/** WGSL version of the kernel in src/kernels/learn/scale_by_momentum.ts. */
export const scaleByMomentum: Shader = {
  passes: () => [{
    per: "atom",
    code: /* wgsl */ `${settingOf(S.LENGTH)}
fn atom(s: u32, a: u32) {
  let g = updates[a];
  let keep = setting(s, ${S.KEEP}u);
  let m = keep * trace[a] + setting(s, ${S.TAKE}u) * g;
  trace[a] = m;
  if (setting(s, ${S.NESTEROV}u) == 0.0) { updates[a] = m; } else { updates[a] = g + keep * m; }
}`,
  }],
};
