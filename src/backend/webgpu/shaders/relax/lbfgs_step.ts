import {
  LbfgsCount as C,
  LbfgsMemory as M,
  LbfgsParameter as P,
  LEAST_COSINE,
  LineSearch as L,
} from "../../../../kernels/relax/lbfgs_step.ts";
import type { Shader } from "../../program/shader.ts";
import { parameterOf } from "../../wgsl/settings.ts";

/**
 * Returns WGSL that runs `lines` for each coordinate e of the atoms and, with `hasCell`, of the cell. In the lines,
 * X, F and H are the position, the force and the history of the coordinate, `at` is its index in row 0 of the
 * history, and `n` the length of a row. Each lane handles whole atoms; the first lane also handles the cell.
 */
function through(lines: string, hasCell: boolean): string {
  const loop = (
    names: readonly [x: string, f: string, h: string],
    range: string,
    width: number,
  ) => {
    // The loop is unrolled, because Mesa's software GPU silently ends the loops of an invocation
    // after 65,535 rounds in total.
    const each = Array.from({ length: width }, (_, e) =>
      /* wgsl */ `{
        let e = k + ${e}u;
        let at = (2u * rows - 1u) * begins + e;
        ${lines.replaceAll(/\b[XFH]\[/g, (name) => `${names["XFH".indexOf(name[0]!)]}[`)}
      }`);
    return /* wgsl */ `
  {
    ${range}
    let n = ends - begins;
    for (var k = begins + ${width}u * lane; k < ends; k += ${width}u * LANES) {
      ${each.join("\n      ")}
    }
  }`;
  };
  const atoms = loop(
    ["positions", "forces", "history"],
    "let begins = first_of(s) * 3u; let ends = first_of(s + 1u) * 3u;",
    3,
  );
  if (!hasCell) return atoms;
  const names = ["cellPositions", "cellForces", "cellHistory"] as const;
  return atoms + loop(names, "let begins = 9u * s; let ends = begins + 9u;", 9);
}

/**
 * WGSL version of the kernel in src/kernels/relax/lbfgs_step.ts. Each coordinate belongs to one lane, so that rows
 * need no barriers.
 */
export const lbfgsStep: Shader = {
  words: { depth: "u32" },
  passes: ({ has }) => {
    const hasCell = has("cellPositions"), searches = has("energy");
    const each = (lines: string) => through(lines, hasCell);
    return [{
      per: "group",
      changes: hasCell ? ["cellPositions", "cellHistory"] : [],
      code: /* wgsl */ `${parameterOf(P.LENGTH)}
var<workgroup> first_value: u32;
var<workgroup> kept: array<f32, ${MOST_STORED}>;

// What the first lane says, for branches with barriers in them.
fn agreed(lane: u32, value: u32) -> u32 {
  if (lane == 0u) { first_value = value; }
  return workgroupUniformLoad(&first_value);
}

fn group(s: u32, lane: u32) {
  let first = 3u * first_of(s);
  let end = 3u * first_of(s + 1u);
  let rows = params.depth + 1u;
  let noted = (rows + ${M.LENGTH}u) * s;
  var stored = u32(counts[${C.LENGTH}u * s + ${C.STORED}u]);
  var slot = u32(counts[${C.LENGTH}u * s + ${C.SLOT}u]);
  let tries = agreed(lane, u32(counts[${C.LENGTH}u * s + ${C.TRIES}u]));
  var scale = memory[noted + rows + ${M.SCALE}u];
${searches ? backtrack(each) : ""}
  if (tries != 0u) {
    var sy = wide(0.0);
    var ss = wide(0.0);
    var yy = wide(0.0);
    ${
        each(`
        let a = H[at + slot * n];
        let b = opaque(H[at + (rows + slot) * n] - F[e]);
        H[at + (rows + slot) * n] = b;
        sy = wide_add(sy, wide(a * b));
        ss = wide_add(ss, wide(a * a));
        yy = wide_add(yy, wide(b * b));`)
      }
    sy = sum_of_lanes(lane, sy);
    ss = sum_of_lanes(lane, ss);
    yy = sum_of_lanes(lane, yy);
    if (ss.x == 0.0) { stored = 0u; }
    if (sy.x > ${LEAST_COSINE} * sqrt(ss.x) * sqrt(yy.x)) {
      scale = wide_divide(sy, yy);
      if (lane == 0u) { memory[noted + slot] = wide_divide(wide(1.0), sy); }
      stored = min(stored + 1u, rows - 1u);
      slot = (slot + 1u) % rows;
    }
    storageBarrier();
  }
  stored = agreed(lane, stored);
  let begin = 1.0 / parameter(s, ${P.CURVATURE}u).x;
  if (stored == 0u) {
    ${each("H[at + slot * n] = F[e] * begin;")}
  } else {
    var product = wide(0.0);
    let newest = (slot + rows - 1u) % rows;
    ${
        each(`
        H[at + slot * n] = F[e];
        product = wide_add(product, wide(F[e] * H[at + newest * n]));`)
      }
    for (var i = 1u; i <= stored; i++) {
      let now = (slot + rows - i) % rows;
      let part = wide_multiply(memory[noted + now], sum_of_lanes(lane, product)).x;
      if (lane == 0u) { kept[i] = part; }
      // The next product: with the step before, or, when all has been gone through, with the oldest change.
      let next = select((now + rows - 1u) % rows, rows + now, i == stored);
      product = wide(0.0);
      ${
        each(`
        let d = opaque(H[at + slot * n] - part * H[at + (rows + now) * n]);
        H[at + slot * n] = d;
        product = wide_add(product, wide(d * H[at + next * n]));`)
      }
    }
    ${each("H[at + slot * n] = H[at + slot * n] * scale.x;")}
    product = wide_multiply(sum_of_lanes(lane, product), scale);
    for (var i = stored; i >= 1u; i--) {
      let now = (slot + rows - i) % rows;
      let part = kept[i] - wide_multiply(memory[noted + now], product).x;
      // The next: with the change after, or at last with the forces.
      let next = rows + (now + 1u) % rows;
      let isLast = i == 1u;
      product = wide(0.0);
      ${
        each(`
        let d = opaque(H[at + slot * n] + part * H[at + now * n]);
        H[at + slot * n] = d;
        var other = F[e];
        if (!isLast) { other = H[at + next * n]; }
        product = wide_add(product, wide(d * other));`)
      }
      product = sum_of_lanes(lane, product);
    }
    if (!(product.x > 0.0)) {
      stored = 0u;
      ${each("H[at + slot * n] = F[e] * begin;")}
    }
  }
  let damping = parameter(s, ${P.DAMPING}u).x;
  var largest = 0u;
  for (var k = first + 3u * lane; k < end; k += 3u * LANES) {
    let at = 2u * rows * first + slot * (end - first) + k - first;
    let d = vec3<f32>(history[at], history[at + 1u], history[at + 2u]);
    largest = max(largest, size_bits(length_of(d)));
  }
  ${hasCell ? LARGEST_OF_CELL : ""}
  largest = largest_of_lanes(lane, largest);
  let far = damping * from_bits(largest);
  let most = parameter(s, ${P.MAX_STEP}u).x;
  var length = damping;
  if (far > most) { length = damping * (most / far); }
  ${searches ? "var slope = wide(0.0);" : ""}
  ${
        each(`
        let before = X[e];
        ${searches ? "slope = wide_add(slope, wide(length * H[at + slot * n] * F[e]));" : ""}
        let after = opaque(before + length * H[at + slot * n]);
        X[e] = after;
        H[at + slot * n] = opaque(after - before);
        H[at + (rows + slot) * n] = F[e];`)
      }
  ${
        searches
          ? /* wgsl */ `slope = sum_of_lanes(lane, slope);
  if (lane == 0u) {
    memory[noted + rows + ${M.ENERGY}u] = energy[s];
    memory[noted + rows + ${M.SLOPE}u] = slope;
  }`
          : ""
      }
  if (lane == 0u) {
    memory[noted + rows + ${M.SCALE}u] = scale;
    counts[${C.LENGTH}u * s + ${C.STORED}u] = i32(stored);
    counts[${C.LENGTH}u * s + ${C.SLOT}u] = i32(slot);
    counts[${C.LENGTH}u * s + ${C.TRIES}u] = 1;
  }
}`,
    }];
  },
};

/** Largest number of rows that the history can store. */
const MOST_STORED = 129;

const LARGEST_OF_CELL = /* wgsl */ `
  if (lane == 0u) {
    var square = 0.0;
    var top = 0.0;
    for (var k = 0u; k < 9u; k++) {
      let d = cellHistory[18u * rows * s + slot * 9u + k];
      square += d * d;
      top = max(top, abs(d));
    }
    let atoms = max(1.0, f32((end - first) / 3u));
    var of_cell = sqrt(square / atoms);
    // A bound of the length where its square is beyond float32.
    if (size_bits(square) == INFINITE) { of_cell = 3.0 * top / sqrt(atoms); }
    largest = max(largest, size_bits(of_cell));
  }`;

/**
 * Returns the WGSL of the line search, which runs first in a step. If the energy has not decreased enough, it
 * shortens the last displacement and ends the step.
 */
function backtrack(each: (lines: string) => string): string {
  return /* wgsl */ `
  if (tries != 0u && tries < ${L.TRIES}u) {
    let before = memory[noted + rows + ${M.ENERGY}u];
    let slope = memory[noted + rows + ${M.SLOPE}u];
    let rise = wide_add(energy[s], -before);
    var forward = wide(0.0);
    ${each("forward = wide_add(forward, wide(H[at + slot * n] * F[e]));")}
    forward = sum_of_lanes(lane, forward);
    let is_lower = wide_add(rise, slope * ${L.DECREASE}).x <= 0.0;
    let is_rough = abs(rise.x) <= ${L.NOISE} * abs(before.x) && forward.x >= -${L.BACK} * slope.x;
    if (agreed(lane, select(0u, 1u, is_lower || is_rough)) == 0u) {
      let lowest = slope.x / (2.0 * (rise.x + slope.x));
      var part = f32(${L.LEAST});
      if (lowest > part) { part = min(lowest, ${L.MOST}); }
      ${
    each(`
      let step = H[at + slot * n];
      X[e] += (part - 1.0) * step;
      H[at + slot * n] = part * step;`)
  }
      if (lane == 0u) {
        memory[noted + rows + ${M.SLOPE}u] = slope * part;
        counts[${C.LENGTH}u * s + ${C.TRIES}u] = i32(tries) + 1;
      }
      return;
    }
  }`;
}
