/**
 * Vectors of three numbers, and rotations as unit quaternions.
 *
 * @module
 */

/** Three numbers: x, y and z. */
export type Vector = readonly [x: number, y: number, z: number];

/** A rotation: vector part and scalar part of a unit quaternion. */
export type Quaternion = readonly [x: number, y: number, z: number, w: number];

/** Rows of a rotation matrix: the directions right, up and towards the reader, as vectors of the model. */
export type Rows = readonly [right: Vector, up: Vector, front: Vector];

/** Returns `a + times · b`. */
export function plus(a: Vector, b: Vector, times: number = 1): Vector {
  return [a[0] + times * b[0], a[1] + times * b[1], a[2] + times * b[2]];
}

/** Returns `a − b`. */
export function minus(a: Vector, b: Vector): Vector {
  return plus(a, b, -1);
}

/** Returns the scalar product. */
export function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** Returns the vector product. */
export function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** Returns the length. */
export function norm(a: Vector): number {
  return Math.hypot(a[0], a[1], a[2]);
}

/** Returns a vector of length 1 in the same direction; z if the vector is zero. */
export function unit(a: Vector): Vector {
  const length = norm(a);
  return length === 0 ? [0, 0, 1] : [a[0] / length, a[1] / length, a[2] / length];
}

/** Returns the vector at an index of an array of vectors. */
export function vectorAt(values: ArrayLike<number>, index: number): Vector {
  return [values[3 * index]!, values[3 * index + 1]!, values[3 * index + 2]!];
}

/** Returns the sum of the rows of a matrix, each times a number: the position of fractional coordinates. */
export function combined(rows: ArrayLike<number>, [a, b, c]: Vector): Vector {
  return [0, 1, 2].map((k) =>
    a * rows[k]! + b * rows[3 + k]! + c * rows[6 + k]!
  ) as unknown as Vector;
}

/** Returns the rotation about an axis by an angle, rad. */
export function turnAbout(axis: Vector, angle: number): Quaternion {
  const [x, y, z] = unit(axis), sin = Math.sin(angle / 2);
  return [x * sin, y * sin, z * sin, Math.cos(angle / 2)];
}

/** Returns the rotation that does `second` after `first`. */
export function after(first: Quaternion, second: Quaternion): Quaternion {
  const [a, b, c, d] = second, [x, y, z, w] = first;
  const all = [
    d * x + a * w + b * z - c * y,
    d * y - a * z + b * w + c * x,
    d * z + a * y - b * x + c * w,
    d * w - a * x - b * y - c * z,
  ];
  const length = Math.hypot(...all);
  return all.map((value) => value / length) as unknown as Quaternion;
}

/** Returns the matrix of a rotation. */
export function rowsOf([x, y, z, w]: Quaternion): Rows {
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
    [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
    [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
  ];
}

/** Returns the rotation with a matrix. The rows must be perpendicular unit vectors, right-handed. */
export function quaternionOf([right, up, front]: Rows): Quaternion {
  const all = [
    1 + right[0] - up[1] - front[2],
    1 - right[0] + up[1] - front[2],
    1 - right[0] - up[1] + front[2],
    1 + right[0] + up[1] + front[2],
  ].map((value) => Math.sqrt(Math.max(0, value)) / 2);
  const [x, y, z, w] = all as [number, number, number, number];
  // The largest component is certain; the signs of the others follow from it.
  const largest = all.indexOf(Math.max(...all));
  const [a, b, c] = [front[1] - up[2], right[2] - front[0], up[0] - right[1]];
  const [d, e, f] = [up[0] + right[1], front[0] + right[2], front[1] + up[2]];
  const sign = (value: number) => value < 0 ? -1 : 1;
  if (largest === 3) return [x * sign(a), y * sign(b), z * sign(c), w];
  if (largest === 0) return [x, y * sign(d), z * sign(e), w * sign(a)];
  if (largest === 1) return [x * sign(d), y, z * sign(f), w * sign(b)];
  return [x * sign(e), y * sign(f), z, w * sign(c)];
}
