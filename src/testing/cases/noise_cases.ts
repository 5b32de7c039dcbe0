/**
 * Test cases for random numbers, which must be the same on every backend.
 *
 * @module
 */

import { type Backend, call } from "../../backend/backend.ts";
import { ACCELERATION, BOLTZMANN } from "../../kernels/constants.ts";
import { gaussians, philox, Stream } from "../../kernels/philox.ts";
import { thermalize } from "../../kernels/thermostats/thermalize.ts";
import { assertNear, assertSameBits } from "../assert_near.ts";
import { onBackend } from "../claims.ts";
import type { MakeBackend } from "./kernel_cases.ts";
import { Lab } from "../lab.ts";
import type { TestCase } from "./test_case.ts";

/**
 * Returns the random words of a backend for counters and keys. `given` has six numbers per result: four of the
 * counter, two of the key. Each result has four words.
 */
export type WordsOf = (given: Uint32Array<ArrayBuffer>) => Uint32Array | Promise<Uint32Array>;

const ALL = 0xffffffff;
/** Known answers of Random123: counters and keys with their words. */
const KNOWN: readonly (readonly [given: readonly number[], words: readonly number[]])[] = [
  [[0, 0, 0, 0, 0, 0], [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]],
  [[ALL, ALL, ALL, ALL, ALL, ALL], [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]],
  [
    [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0],
    [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
  ],
];

/**
 * Returns cases that compare random words bitwise, if the backend can return them, and normally distributed
 * numbers.
 */
export function noiseCases(open: MakeBackend, wordsOf: WordsOf | undefined): TestCase[] {
  const noise = [
    onBackend(open, "noise uses the random words of Random123", known),
    onBackend(open, "noise depends on (seed, atom, age, id), up to the largest of each", keyed),
  ];
  if (wordsOf === undefined) return noise;
  const name = "philox agrees bitwise with Random123 and with its definition";
  return [{ name, run: () => words(wordsOf) }, ...noise];
}

async function words(wordsOf: WordsOf): Promise<void> {
  const known = await wordsOf(Uint32Array.from(KNOWN.flatMap(([given]) => given)));
  assertSameBits(known, KNOWN.flatMap(([, words]) => words));
  const given = Uint32Array.from(
    Array.from({ length: 10_000 }, (_, i) => [i, 17 * i, 3, ALL - i, i * i, 5]).flat(),
  );
  const expected = new Uint32Array(given.length / 6 * 4);
  for (let i = 0; i < given.length / 6; i++) {
    const six = given.subarray(6 * i, 6 * i + 6);
    philox(
      six[0]!,
      six[1]!,
      six[2]!,
      six[3]!,
      six[4]!,
      six[5]!,
      expected.subarray(4 * i, 4 * i + 4),
    );
  }
  assertSameBits(await wordsOf(given), expected);
}

/** Langevin thermostat at 300 K with a friction so large that only noise is left of the velocities. */
interface Bath {
  readonly sizes: readonly number[];
  readonly ids: readonly number[];
  readonly ages: readonly number[];
  readonly seed: readonly [number, number];
}

const WIDTH = Math.sqrt(BOLTZMANN * 300 * ACCELERATION / 4);

async function noiseOf(backend: Backend, { sizes, ids, ages, seed }: Bath): Promise<number[]> {
  const lab = new Lab(backend, sizes, { ids, ages });
  const atoms = sizes.reduce((sum, size) => sum + size, 0);
  const each = (value: number) => lab.real(sizes.map(() => value), "system");
  const velocities = lab.real(new Float64Array(3 * atoms), "node");
  const args = {
    velocities,
    weights: lab.real(new Float64Array(atoms).fill(ACCELERATION / 4), "node"),
    dt: each(2),
    temperature: each(300),
    friction: each(1e3),
    seedLow: seed[0],
    seedHigh: seed[1],
  };
  await lab.run([call(thermalize, args)]);
  return (await lab.read(velocities)).map((v) => v / WIDTH);
}

function assertNoise(backend: Backend, actual: readonly number[], expected: readonly number[]) {
  assertNear(actual, expected, backend.real === "f64" ? 1e-12 : 2e-6, 1);
}

async function known(backend: Backend): Promise<void> {
  const four = new Float64Array(4);
  gaussians(Uint32Array.from(KNOWN[0]![1]), four);
  const noise = await noiseOf(backend, { sizes: [1], ids: [0], ages: [0], seed: [0, 0] });
  assertNoise(backend, noise, [...four.subarray(0, 3)]);
}

async function keyed(backend: Backend): Promise<void> {
  const most = 2 ** 31 - 1;
  const bath: Bath = {
    sizes: [70, 3, 129],
    ids: [most, 5, -7],
    ages: [12, most, 0],
    seed: [ALL, 0xfedcba98],
  };
  const [out, four] = [new Uint32Array(4), new Float64Array(4)];
  const expected = bath.sizes.flatMap((size, s) =>
    Array.from({ length: size }, (_, atom) => {
      philox(atom, bath.ages[s]!, bath.ids[s]!, Stream.THERMOSTAT, ...bath.seed, out);
      gaussians(out, four);
      return [...four.subarray(0, 3)];
    }).flat()
  );
  assertNoise(backend, await noiseOf(backend, bath), expected);
}
