/**
 * Shaders of WebGPU. The view is that of `viewOf`; shaders.ts of WebGL2 says the same in GLSL, with comments.
 *
 * @module
 */

const HEAD = `
@group(0) @binding(0) var<uniform> view: array<vec4f, 6>;
@group(0) @binding(2) var<storage, read> colors: array<u32>;
@group(0) @binding(3) var<storage, read> offsets: array<vec4f>;

fn seen(p: vec3f) -> vec3f {
  return vec3f(dot(view[0].xyz, p) + view[0].w, dot(view[1].xyz, p) + view[1].w, dot(view[2].xyz, p) + view[2].w);
}
fn corner(vertex: u32) -> vec2f {
  return vec2f(f32(vertex & 1u), f32(vertex >> 1u)) * 2.0 - 1.0;
}
struct Shaded {
  @location(0) color: vec4f,
  @builtin(frag_depth) depth: f32,
}
fn shade(color: vec3f, normal: vec3f, depth: f32, coverage: f32) -> Shaded {
  let light = max(dot(normal, vec3f(-0.36, 0.48, 0.8)), 0.0);
  let shine = pow(max(dot(normal, vec3f(-0.19, 0.25, 0.949)), 0.0), 48.0);
  let lit = (color * (0.46 + 0.6 * light) + vec3f(0.22 * shine)) *
    (0.62 + 0.38 * smoothstep(0.08, 0.42, normal.z));
  let away = 0.5 - 0.5 * depth * view[3].z;
  let hazy = mix(lit, view[4].xyz, view[4].w * smoothstep(0.4, 1.0, away));
  return Shaded(vec4f(hazy, coverage), clamp(away, 0.0, 1.0));
}
`;

/** Spheres. */
export const SPHERES: string = `${HEAD}
@group(0) @binding(1) var<storage, read> spheres: array<vec4f>;
struct Quad {
  @builtin(position) position: vec4f,
  @location(0) at: vec2f,
  @location(1) @interpolate(flat) tint: vec4f,
  @location(2) @interpolate(flat) size: vec2f,
}
@vertex fn vertex(@builtin(vertex_index) v: u32, @builtin(instance_index) instance: u32) -> Quad {
  let count = arrayLength(&spheres);
  let sphere = spheres[instance % count];
  let middle = seen(sphere.xyz + offsets[instance / count].xyz);
  let grown = sphere.w + view[3].w;
  return Quad(
    vec4f((middle.xy + corner(v) * grown) * view[3].xy, 0.0, 1.0),
    corner(v) * grown / sphere.w,
    unpack4x8unorm(colors[instance % count]),
    vec2f(sphere.w, middle.z),
  );
}
@fragment fn fragment(quad: Quad) -> Shaded {
  let square = dot(quad.at, quad.at);
  let coverage = clamp((1.0 - sqrt(square)) * quad.size.x / view[3].w + 0.5, 0.0, 1.0);
  if (coverage <= 0.0) { discard; }
  let normal = vec3f(quad.at, sqrt(max(0.0, 1.0 - square)));
  let color = select(quad.tint.xyz, view[5].xyz, quad.tint.w > 0.5 && square > 0.5);
  return shade(color, normal, quad.size.y + quad.size.x * normal.z, coverage);
}`;

/** Cylinders without ends. */
export const CYLINDERS: string = `${HEAD}
struct Cylinder { start: vec4f, end: vec4f }
@group(0) @binding(1) var<storage, read> cylinders: array<Cylinder>;
struct Quad {
  @builtin(position) position: vec4f,
  @location(0) at: vec2f,
  @location(1) @interpolate(flat) tint: vec4f,
  @location(2) @interpolate(flat) axis: vec4f,
  @location(3) @interpolate(flat) size: vec4f,
}
@vertex fn vertex(@builtin(vertex_index) v: u32, @builtin(instance_index) instance: u32) -> Quad {
  let count = arrayLength(&cylinders);
  let cylinder = cylinders[instance % count];
  let offset = offsets[instance / count].xyz;
  let start = seen(cylinder.start.xyz + offset);
  let along = seen(cylinder.end.xyz + offset) - start;
  let span = max(length(along), 1e-6);
  let axis = vec4f(along / span, span);
  let slant = max(length(axis.xy), 1e-4);
  let right = select(vec2f(1.0, 0.0), axis.xy / slant, length(axis.xy) > 1e-4);
  let radius = max(cylinder.start.w, 0.7 * view[3].w);
  let cap = radius * abs(axis.z);
  let c = corner(v);
  let at = vec2f(select(slant * span + cap, -cap, c.x < 0.0), c.y * (radius + view[3].w));
  let place = start.xy + at.x * right + at.y * vec2f(-right.y, right.x);
  return Quad(
    vec4f(place * view[3].xy, 0.0, 1.0),
    at,
    unpack4x8unorm(colors[instance % count]),
    axis,
    vec4f(radius, start.z, right),
  );
}
@fragment fn fragment(quad: Quad) -> Shaded {
  let axis = quad.axis;
  let radius = quad.size.x;
  let side = quad.at.y / radius;
  let coverage = clamp((1.0 - abs(side)) * radius / view[3].w + 0.5, 0.0, 1.0);
  let front = sqrt(max(0.0, 1.0 - side * side));
  let slant = max(length(axis.xy), 1e-4);
  let along = (quad.at.x + radius * front * axis.z) / slant;
  if (coverage <= 0.0 || along < 0.0 || along > axis.w) { discard; }
  let right = quad.size.zw;
  let normal = side * vec3f(-right.y, right.x, 0.0) + front * vec3f(-axis.z * right, slant);
  return shade(quad.tint.xyz, normal, quad.size.y + along * axis.z + radius * front * slant, coverage);
}`;
