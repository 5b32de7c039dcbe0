import { diverge } from "../../../wgsl/diverge.ts";
import { FrameWord } from "../../../wgsl/module.ts";
import { PLACES } from "../../../wgsl/pair_state.ts";
import { LAYOUT } from "./layout.ts";

/** Mark of a system in which an atom has more pairs than a thread can process. Marks 1 and 2 stand for due systems. */
const TOO_MANY = 3;

/**
 * Writes the row of each atom: the number of its entries, its images, then the entries. The first entries of all
 * atoms are stored together, then all second entries, so that neighboring threads read neighboring memory.
 *
 * Mesa's software GPU silently ends the loops of a thread after 65,535 rounds in total. So the thread counts the bins
 * and the atoms that it visits. If it has visited too few, or if the row is too long for the loops of other kernels,
 * it marks the system, and `COMMIT` reports it. (A loop that reports it here would be ended as well.)
 */
export const LIST: string = /* wgsl */ `${LAYOUT}
fn image_of(bin: i32, count: i32) -> i32 {
  if (bin < 0) { return (bin + 1) / count - 1; }
  return bin / count;
}

fn atom(s: u32, a: u32) {
  if (marks[due_at(s)] == 0) { return; }
  let counts = counts_of(s);
  let ranges = ranges_of(s);
  let own = marks[bin_at(a)];
  let place = vec3<i32>(own / (counts.y * counts.z), own / counts.z % counts.y, own % counts.z);
  let is_periodic = vec3<bool>(pbc[3u * s] != 0, pbc[3u * s + 1u] != 0, pbc[3u * s + 2u] != 0);
  let at = wrapped_at(a);
  let x = vec3<f32>(kept[at], kept[at + 1u], kept[at + 2u]);
  let limit = params.reach * 1.000001;
  let widths = vec3<u32>(2 * ranges + 1);
  var many = 0u;
  var bins = 0u;
  var there = 0u;
  var met = 0u;
  for (var u = place.x - ranges.x; u <= place.x + ranges.x; u++) {
    let p = image_of(u, counts.x);
    if (p != 0 && !is_periodic.x) { bins += widths.y * widths.z; continue; }
    for (var v = place.y - ranges.y; v <= place.y + ranges.y; v++) {
      let q = image_of(v, counts.y);
      if (q != 0 && !is_periodic.y) { bins += widths.z; continue; }
      for (var w = place.z - ranges.z; w <= place.z + ranges.z; w++) {
        bins++;
        let r = image_of(w, counts.z);
        if (r != 0 && !is_periodic.z) { continue; }
        let bin = u32(((u - p * counts.x) * counts.y + v - q * counts.y) * counts.z + w - r * counts.z);
        let image = f32(p) * boxed(s, 0u) + f32(q) * boxed(s, 1u) + f32(r) * boxed(s, 2u);
        var o = 0u;
        if (bin > 0u) { o = u32(marks[bins_at(s) + bin - 1u]); }
        let end = u32(marks[bins_at(s) + bin]);
        there += end - o;
        for (; o < end; o++) {
          met++;
          let j = u32(marks[order_at(first_of(s) + o)]);
          if (j == a && p == 0 && q == 0 && r == 0) { continue; }
          let other = wrapped_at(j);
          let delta = x - vec3<f32>(kept[other], kept[other + 1u], kept[other + 2u]) - image;
          if (!(dot(delta, delta) <= limit * limit)) { continue; }
          if (many < params.capacity) {
            let entry = 4u * params.atoms + 2u * (many * params.atoms + a);
            list[entry] = i32(j);
            list[entry + 1u] = (p + 128) | ((q + 128) << 8u) | ((r + 128) << 16u);
          }
          many++;
        }
      }
    }
  }
  if (bins != widths.x * widths.y * widths.z || met != there || many > params.longest) {
    marks[due_at(s)] = ${TOO_MANY};
    many = 0u;
  }
  list[a] = i32(min(many, params.capacity));
  for (var k = 0u; k < 3u; k++) {
    list[params.atoms + 3u * a + k] = marks[wraps_at(a) + k] - marks[images_at(a) + k];
  }
  atomicMax(&need[0], many);
}`;

/**
 * Marks the pairs as found, or freezes the frame if the longest row did not fit. Reports a system in which an atom
 * has more pairs than a thread can process.
 */
export const COMMIT: string = /* wgsl */ `${PLACES}${diverge(4)}
fn system(s: u32) {
  let due = marks[due_at(s)];
  let longest = atomicLoad(&need[0]);
  if (longest > params.capacity) {
    atomicStore(&frame[${FrameWord.NEED}u], longest);
    atomicStore(&frame[${FrameWord.OVERFLOW}u], params.call + 1u);
    atomicStore(&frame[${FrameWord.FROZEN}u], 1u);
    return;
  }
  if (due == ${TOO_MANY}) { diverge(s); }
  if (due == 1) { marks[builds_at(s)] += 1; }
  marks[due_at(s)] = 0;
}`;
