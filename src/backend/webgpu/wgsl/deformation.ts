import { STRAIN_LENGTH } from "../../../kernels/cells/deformation.ts";

/**
 * Defines a function that reads nine numbers of a system as a matrix and divides it by κ, the function
 * `strain_length` of `DEFORMATION`. The module must contain `DEFORMATION`.
 */
export function strainOf(buffer: string, name: string): string {
  return /* wgsl */ `
fn ${name}(s: u32) -> mat3x3<f32> {
  let k = 9u * s;
  return mat3x3<f32>(
    ${buffer}[k], ${buffer}[k + 1u], ${buffer}[k + 2u],
    ${buffer}[k + 3u], ${buffer}[k + 4u], ${buffer}[k + 5u],
    ${buffer}[k + 6u], ${buffer}[k + 7u], ${buffer}[k + 8u],
  ) * (1.0 / strain_length(s));
}
`;
}

/**
 * Defines functions for the matrices of strained cells; see src/kernels/cells/deformation.ts. Rows are stored as
 * columns. So a row times a matrix is written `m * v`, and the product of a and b is written `b * a`.
 */
export const DEFORMATION: string = /* wgsl */ `
fn strain_length(s: u32) -> f32 {
  return ${STRAIN_LENGTH}.0 * sqrt(max(1.0, f32(first_of(s + 1u) - first_of(s))));
}

const IDENTITY = mat3x3<f32>(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);

${strainOf("strain", "strain_of")}
fn inverted(m: mat3x3<f32>) -> mat3x3<f32> {
  let u = cross(m[1], m[2]);
  let size = dot(m[0], u);
  return transpose(mat3x3<f32>(u, cross(m[2], m[0]), cross(m[0], m[1]))) * (1.0 / size);
}
`;
