import { Control } from "../../../kernels/kernel.ts";

/**
 * Defines `fn diverge(s: u32)`, which reports that a system has diverged. Of several such systems in a step, the
 * one with the lowest index is reported, with the cause that was found first. The pass must declare `control` as atomic.
 *
 * @param cause See `Control.CAUSE`.
 */
export function diverge(cause: number): string {
  return /* wgsl */ `
fn diverge(s: u32) {
  atomicStore(&control[${Control.HALT}], 1);
  loop {
    let known = atomicLoad(&control[${Control.DIVERGED}]);
    if (known != 0 && known <= i32(s) + 1) { return; }
    let tried = atomicCompareExchangeWeak(&control[${Control.DIVERGED}], known, i32(s) + 1);
    if (tried.exchanged) {
      atomicStore(&control[${Control.CAUSE}], ${cause});
      return;
    }
  }
}
`;
}
