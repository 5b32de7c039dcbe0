import { STRAIN_LENGTH } from "../../../kernels/cells/deformation.ts";

/**
 * Matrices of how cells are strained: see src/kernels/cells/deformation.ts. Rows are kept as columns, so that a row
 * times a matrix is written `m * v`, and the product of a and b `b * a`.
 */
export const DEFORMATION: string = /* wgsl */ `
fn strain_length(s: u32) -> f32 {
  return ${STRAIN_LENGTH}.0 * sqrt(max(1.0, f32(first_of(s + 1u) - first_of(s))));
}

const IDENTITY = mat3x3<f32>(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);

fn strain_of(s: u32) -> mat3x3<f32> {
  let k = 9u * s;
  return mat3x3<f32>(
    strain[k], strain[k + 1u], strain[k + 2u],
    strain[k + 3u], strain[k + 4u], strain[k + 5u],
    strain[k + 6u], strain[k + 7u], strain[k + 8u],
  ) * (1.0 / strain_length(s));
}

fn inverted(m: mat3x3<f32>) -> mat3x3<f32> {
  let u = cross(m[1], m[2]);
  let size = dot(m[0], u);
  return transpose(mat3x3<f32>(u, cross(m[2], m[0]), cross(m[0], m[1]))) * (1.0 / size);
}
`;
