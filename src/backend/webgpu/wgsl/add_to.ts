/** Returns the WGSL of a function that adds to positions[k]. With `hasLow`, `low` accumulates the rounding error. */
export function addTo(hasLow: boolean): string {
  if (!hasLow) return "fn add_to(k: u32, by: f32) { positions[k] += by; }";
  return /* wgsl */ `
fn add_to(k: u32, by: f32) {
  let x = positions[k];
  let term = opaque(by + low[k]);
  let sum = opaque(x + term);
  low[k] = opaque(term - opaque(sum - x));
  positions[k] = sum;
}`;
}
