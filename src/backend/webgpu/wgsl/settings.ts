/**
 * WGSL that reads settings of systems from buffers.
 *
 * @module
 */

/** Defines `setting(s, which)`, which reads one of the `length` float32 numbers of a system in `settings`. */
export function settingOf(length: number): string {
  return /* wgsl */ `
fn setting(s: u32, which: u32) -> f32 { return settings[${length}u * s + which]; }
`;
}

/**
 * Defines `parameter(s, which)`, which reads one of the `length` numbers of a system in `parameters`, each of about
 * 48 bits.
 */
export function parameterOf(length: number): string {
  return /* wgsl */ `
fn parameter(s: u32, which: u32) -> vec2<f32> { return parameters[${length}u * s + which]; }
`;
}
