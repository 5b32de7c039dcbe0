/**
 * Shaders of WebGL2. The view is that of `viewOf`; shaders.ts of WebGPU says the same in WGSL.
 *
 * @module
 */

const HEAD = `#version 300 es
precision highp float;
uniform vec4 view[6];
`;

/** A quad around a shape, from the number of its corner. */
const CORNER = `
uniform vec3 offset;
vec3 seen(vec3 p) {
  return vec3(dot(view[0].xyz, p) + view[0].w, dot(view[1].xyz, p) + view[1].w, dot(view[2].xyz, p) + view[2].w);
}
vec2 corner() {
  return vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
}
`;

/** Light from the upper left, a dark rim, and a haze that grows with the distance. */
const SHADE = `
out vec4 result;
void shade(vec3 color, vec3 normal, float depth, float coverage) {
  float light = max(dot(normal, vec3(-0.36, 0.48, 0.8)), 0.0);
  float shine = pow(max(dot(normal, vec3(-0.19, 0.25, 0.949)), 0.0), 48.0);
  vec3 lit = color * (0.46 + 0.6 * light) + vec3(0.22 * shine);
  lit *= 0.62 + 0.38 * smoothstep(0.08, 0.42, normal.z);
  float away = 0.5 - 0.5 * depth * view[3].z;
  gl_FragDepth = clamp(away, 0.0, 1.0);
  result = vec4(mix(lit, view[4].xyz, view[4].w * smoothstep(0.4, 1.0, away)), coverage);
}
`;

/** Source texts of the vertex and the fragment shader of a shape. */
export interface ShaderPair {
  readonly vertex: string;
  readonly fragment: string;
}

/** Spheres: a ray in the direction of the view meets the sphere in closed form. */
export const SPHERES: ShaderPair = {
  vertex: `${HEAD}${CORNER}
layout(location = 0) in vec4 sphere;
layout(location = 1) in vec4 color;
out vec2 at;
flat out vec4 tint;
flat out vec2 size;
void main() {
  vec3 middle = seen(sphere.xyz + offset);
  float grown = sphere.w + view[3].w;
  at = corner() * grown / sphere.w;
  tint = color;
  size = vec2(sphere.w, middle.z);
  gl_Position = vec4((middle.xy + corner() * grown) * view[3].xy, 0.0, 1.0);
}`,
  fragment: `${HEAD}${SHADE}
in vec2 at;
flat in vec4 tint;
flat in vec2 size;
void main() {
  float square = dot(at, at);
  float coverage = clamp((1.0 - sqrt(square)) * size.x / view[3].w + 0.5, 0.0, 1.0);
  if (coverage <= 0.0) discard;
  vec3 normal = vec3(at, sqrt(max(0.0, 1.0 - square)));
  vec3 color = tint.w > 0.5 && square > 0.5 ? view[5].xyz : tint.xyz;
  shade(color, normal, size.y + size.x * normal.z, coverage);
}`,
};

/** Cylinders without ends, which atoms hide. They are at least a pixel wide. */
export const CYLINDERS: ShaderPair = {
  vertex: `${HEAD}${CORNER}
layout(location = 0) in vec4 start;
layout(location = 1) in vec4 end;
layout(location = 2) in vec4 color;
out vec2 at;
flat out vec4 tint;
flat out vec4 axis;
flat out vec4 size;
void main() {
  vec3 from = seen(start.xyz + offset);
  vec3 along = seen(end.xyz + offset) - from;
  float span = max(length(along), 1e-6);
  axis = vec4(along / span, span);
  float slant = max(length(axis.xy), 1e-4);
  vec2 right = length(axis.xy) > 1e-4 ? axis.xy / slant : vec2(1.0, 0.0);
  float radius = max(start.w, 0.7 * view[3].w), grown = radius + view[3].w;
  float cap = radius * abs(axis.z);
  vec2 c = corner();
  at = vec2(c.x < 0.0 ? -cap : slant * span + cap, c.y * grown);
  tint = color;
  size = vec4(radius, from.z, right);
  vec2 place = from.xy + at.x * right + at.y * vec2(-right.y, right.x);
  gl_Position = vec4(place * view[3].xy, 0.0, 1.0);
}`,
  fragment: `${HEAD}${SHADE}
in vec2 at;
flat in vec4 tint;
flat in vec4 axis;
flat in vec4 size;
void main() {
  float side = at.y / size.x;
  float coverage = clamp((1.0 - abs(side)) * size.x / view[3].w + 0.5, 0.0, 1.0);
  if (coverage <= 0.0) discard;
  float front = sqrt(max(0.0, 1.0 - side * side));
  float slant = max(length(axis.xy), 1e-4);
  float along = (at.x + size.x * front * axis.z) / slant;
  if (along < 0.0 || along > axis.w) discard;
  vec2 right = size.zw;
  vec3 normal = side * vec3(-right.y, right.x, 0.0) + front * vec3(-axis.z * right, slant);
  shade(tint.xyz, normal, size.y + along * axis.z + size.x * front * slant, coverage);
}`,
};
