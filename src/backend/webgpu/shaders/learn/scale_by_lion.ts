import { LionSetting as S } from "../../../../kernels/learn/scale_by_lion.ts";
import type { Shader } from "../../program/shader.ts";
import { settingOf } from "../../wgsl/settings.ts";

/** WGSL version of the kernel in src/kernels/learn/scale_by_lion.ts. */
export const scaleByLion: Shader = {
  passes: () => [{
    per: "atom",
    code: /* wgsl */ `${settingOf(S.LENGTH)}
fn atom(s: u32, a: u32) {
  let g = updates[a];
  let m = trace[a];
  let u = setting(s, ${S.KEEP_UPDATE}u) * m + setting(s, ${S.TAKE_UPDATE}u) * g;
  trace[a] = setting(s, ${S.KEEP_TRACE}u) * m + setting(s, ${S.TAKE_TRACE}u) * g;
  if (is_nan(u)) { updates[a] = u; } else { updates[a] = sign(u); }
}`,
  }],
};
