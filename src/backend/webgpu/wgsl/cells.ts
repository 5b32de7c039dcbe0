/**
 * WGSL functions for lattice coordinates; see src/kernels/cells.
 *
 * @module
 */

/**
 * Defines a function that returns the unwrapped position of an atom, from `positions` and, if they are bound,
 * `images` and `cell`.
 */
export function unwrapped(has: (name: string) => boolean): string {
  const off = has("images") && has("cell") ? " + shifted(3u * a, s)" : "";
  return /* wgsl */ `
${off === "" ? "" : lattice("shifted", "images")}
fn unwrapped(a: u32, s: u32) -> vec3<f32> {
  return vec3<f32>(positions[3u * a], positions[3u * a + 1u], positions[3u * a + 2u])${off};
}
`;
}

/**
 * Defines the function `name`, which multiplies the lattice vectors of a system by three integers of `buffer` from
 * index `at` on, and returns their sum.
 */
export function lattice(name: string, buffer: string): string {
  return /* wgsl */ `
fn ${name}(at: u32, s: u32) -> vec3<f32> {
  let n = vec3<f32>(f32(${buffer}[at]), f32(${buffer}[at + 1u]), f32(${buffer}[at + 2u]));
  let h = 9u * s;
  return vec3<f32>(
    n.x * cell[h] + n.y * cell[h + 3u] + n.z * cell[h + 6u],
    n.x * cell[h + 1u] + n.y * cell[h + 4u] + n.z * cell[h + 7u],
    n.x * cell[h + 2u] + n.y * cell[h + 5u] + n.z * cell[h + 8u],
  );
}
`;
}

/**
 * Defines a function that replaces each row k of a cell for which `there[k]` is false by a unit vector normal to the
 * other rows.
 */
export const COMPLETED = /* wgsl */ `
fn completed(given: array<vec3<f32>, 3>, there: vec3<bool>) -> array<vec3<f32>, 3> {
  var rows = given;
  let count = select(0u, 1u, there.x) + select(0u, 1u, there.y) + select(0u, 1u, there.z);
  if (count == 0u) {
    return array<vec3<f32>, 3>(vec3<f32>(1.0, 0.0, 0.0), vec3<f32>(0.0, 1.0, 0.0), vec3<f32>(0.0, 0.0, 1.0));
  }
  if (count == 1u) {
    let k = select(select(2u, 1u, there.y), 0u, there.x);
    let sizes = abs(rows[k]);
    var axis = vec3<f32>(0.0, 0.0, 1.0);
    if (sizes.x <= sizes.y && sizes.x <= sizes.z) {
      axis = vec3<f32>(1.0, 0.0, 0.0);
    } else if (sizes.y <= sizes.z) {
      axis = vec3<f32>(0.0, 1.0, 0.0);
    }
    rows[(k + 1u) % 3u] = normalize(cross(rows[k], axis));
    rows[(k + 2u) % 3u] = normalize(cross(rows[k], rows[(k + 1u) % 3u]));
  }
  if (count == 2u) {
    let k = select(select(0u, 1u, !there.y), 2u, !there.z);
    rows[k] = normalize(cross(rows[(k + 1u) % 3u], rows[(k + 2u) % 3u]));
  }
  return rows;
}

`;

/** Defines a function that reads a row of `cell`. */
export const ROWS = /* wgsl */ `
fn row_of(s: u32, k: u32) -> vec3<f32> {
  return vec3<f32>(cell[9u * s + 3u * k], cell[9u * s + 3u * k + 1u], cell[9u * s + 3u * k + 2u]);
}
`;

/** Defines a function that reads the rows of `cell`, with rows of zeros replaced. */
export const COMPLETED_ROWS: string = /* wgsl */ `${ROWS}${COMPLETED}
fn completed_rows(s: u32) -> array<vec3<f32>, 3> {
  let rows = array<vec3<f32>, 3>(row_of(s, 0u), row_of(s, 1u), row_of(s, 2u));
  let zero = vec3<f32>(0.0);
  return completed(rows, vec3<bool>(any(rows[0] != zero), any(rows[1] != zero), any(rows[2] != zero)));
}
`;
