/**
 * Numbers that Python makes, too, bitwise identically: parameters and data of the cases in
 * tests/data/training_torch.jsonl are not in that file, but a seed and a scale. training_torch.py says the same in
 * numpy.
 *
 * @module
 */

/**
 * `count` numbers, evenly spread in [−scale, scale): the finalizer of MurmurHash3 of `seed + i · 0x9e3779b9`, of which
 * the upper 24 bits are a whole number of 2⁻²³, so that nothing is rounded where the scale is a power of two.
 */
export function madeNumbers(seed: number, count: number, scale: number): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: count }, (_, i) => {
    let h = seed + Math.imul(i, 0x9e3779b9);
    h = Math.imul(h ^ h >>> 16, 0x85ebca6b);
    h = Math.imul(h ^ h >>> 13, 0xc2b2ae35);
    return ((h ^ h >>> 16) >> 8) * 2 ** -23 * scale;
  });
}
