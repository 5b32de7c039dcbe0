/** The kernels that parameters are trained by, by hand: one number per atom. */
import { assertEquals, assertNotEquals } from "@std/assert";
import { type Buffer, call } from "../../src/backend/mod.ts";
import { adamStep, AdamStepSetting } from "../../src/kernels/learn/adam_step.ts";
import { clipNorm } from "../../src/kernels/learn/clip_norm.ts";
import { clipValues } from "../../src/kernels/learn/clip_values.ts";
import { mix } from "../../src/kernels/mix.ts";
import { AdamSetting, scaleByAdam } from "../../src/kernels/learn/scale_by_adam.ts";
import { scaleByLion } from "../../src/kernels/learn/scale_by_lion.ts";
import { scaleByMomentum } from "../../src/kernels/learn/scale_by_momentum.ts";
import { sumSquares } from "../../src/kernels/learn/sum_squares.ts";
import { assertNear, Lab, normals, onEach, TOLERANCE } from "./lab.ts";

/** Parameters of all the sizes that lanes and workgroups may get wrong; the fourth is frozen. */
const SIZES = [1, 3, 4, 5, 0, 63, 64, 65, 1003];
const ACTIVE = SIZES.map((_, s) => Number(s !== 3));
const COUNT = SIZES.reduce((sum, size) => sum + size, 0);
/** Returns true for frozen numbers. */
const isFrozen = (a: number) => a >= 8 && a < 13;

function zeros(lab: Lab, count = COUNT): Buffer<"real"> {
  return lab.real(Array(count).fill(0));
}

/** The settings of Adam at step t, of every system. */
function adamRow(t: number, eps = 1e-8): number[] {
  const [b1, b2] = [0.9, 0.999];
  return [b1, 1 - b1, b2, 1 - b2, 1 / (1 - b1 ** t), 1 / Math.sqrt(1 - b2 ** t), eps];
}

/** The same for a whole step. */
function adamStepRow(t: number, lr: number, { keep = 1, l2 = 0, eps = 1e-8 } = {}): number[] {
  const row = adamRow(t, eps);
  row[AdamStepSetting.STEP_SIZE] = lr * row[AdamSetting.CORRECT_FIRST]!;
  return [...row, keep, l2];
}

function repeated(row: readonly number[], systems: number): number[] {
  return Array.from({ length: systems }, () => row).flat();
}

onEach("mix() combines two numbers with weights", async (backend) => {
  using lab = await Lab.open(backend, [2, 3, 1], { active: [1, 0, 1] });
  const target = lab.real([1, 2, 3, 4, 5, 6]);
  const source = lab.real([10, 20, 30, 40, 50, 60]);
  const [keep, take] = [lab.real([1, 9, 0.5]), lab.real([-0.25, 9, 0.125])];
  await lab.run([call(mix, { target, source, keep, take })]);
  assertEquals(await lab.read(target), [-1.5, -3, 3, 4, 5, 10.5]);
});

onEach("mix() ignores NaN that is multiplied by 0", async (backend) => {
  using lab = await Lab.open(backend, [5, 5, 5, 5]);
  const rows = (of: readonly number[]) => lab.real(of.flatMap((x) => Array(5).fill(x)));
  const target = rows([NaN, 3, NaN, Infinity]), source = rows([2, NaN, NaN, 4]);
  const [keep, take] = [lab.real([0, 2, 0, 0]), lab.real([1, 0, 0, -1])];
  await lab.run([call(mix, { target, source, keep, take })]);
  const expected = [2, 6, 0, -4].flatMap((x) => Array(5).fill(x));
  assertEquals(await lab.read(target), expected);
});

onEach("mix() processes arrays of any length", async (backend) => {
  const count = 200_003; // a backend may do them in parts
  using lab = await Lab.open(backend, [count]);
  const numbers = Array.from({ length: count }, (_, i) => i);
  const [target, source] = [lab.real(numbers), lab.real(numbers.map((i) => count - i))];
  await lab.run([call(mix, { target, source, keep: lab.real([0.5]), take: lab.real([2]) })]);
  assertEquals(await lab.read(target), numbers.map((i) => 0.5 * i + 2 * (count - i)));
});

onEach(
  "sum_squares() sums in higher precision than float32, and skips frozen parameters",
  async (backend) => {
    using lab = await Lab.open(backend, [5, 0, 4, 100_001], { active: [1, 1, 0, 1] });
    const many = Array(100_001).fill(1);
    many[0] = 4096; // of float32 the square would take a million more ones to notice any
    const values = lab.real([1, -2, 3, -4, 5, 7, 7, 7, 7, ...many]);
    const squares = lab.f64([9, 9, 9, 9]);
    await lab.run([call(sumSquares, { values, squares })]);
    assertEquals(await lab.read(squares), [55, 0, 0, 4096 * 4096 + 100_000]);
  },
);

onEach(
  "sum_squares() is not finite if any number is not",
  async (backend) => {
    for (const at of [0, 3, 7, 8, 63, 64, 66]) {
      for (const [bad, square] of [[NaN, NaN], [Infinity, Infinity], [-Infinity, Infinity]]) {
        using lab = await Lab.open(backend, [2, 67, 3]);
        const values = Array(72).fill(1);
        values[2 + at] = bad;
        const squares = lab.f64([0, 0, 0]);
        await lab.run([call(sumSquares, { values: lab.real(values), squares })]);
        assertEquals(await lab.read(squares), [2, square, 3]);
      }
    }
  },
);

/** Clips gradients. The tests use 3, 0, 4 and a frozen 12; the norm without the frozen number is 5. */
async function clipped(backend: string, gradients: number[], limit: number): Promise<number[]> {
  using lab = await Lab.open(backend, [1, 2, 1], { active: [1, 1, 0] });
  const values = lab.real(gradients);
  const squares = lab.f64([0, 0, 0]);
  await lab.run([
    call(sumSquares, { values, squares }),
    call(clipNorm, { values, squares, limit: lab.real([limit]) }),
  ]);
  return await lab.read(values);
}

onEach("clip_norm() limits the norm of all gradients together", async (backend) => {
  const by = 1 / (5 + 1e-6);
  assertNear(await clipped(backend, [3, 0, 4, 12], 1), [3 * by, 0, 4 * by, 12], 1e-7);
});

onEach(
  "clip_norm() does not change gradients within the limit, or non-finite ones",
  async (backend) => {
    assertEquals(await clipped(backend, [3, 0, 4, 12], 5.5), [3, 0, 4, 12]);
    assertEquals(await clipped(backend, [0, 0, 0, 12], 1), [0, 0, 0, 12]);
    for (const bad of [NaN, Infinity, -Infinity]) {
      assertEquals(await clipped(backend, [3, bad, 4, 12], 1), [3, bad, 4, 12]);
    }
  },
);

onEach(
  "clip_norm() supports more parameters than a workgroup has threads",
  async (backend) => {
    const sizes = Array(300).fill(1);
    using lab = await Lab.open(backend, sizes);
    const values = lab.real(Array(300).fill(2));
    const squares = lab.f64(Array(300).fill(0.75)); // 225 = 15 · 15
    await lab.run([call(clipNorm, { values, squares, limit: lab.real([3]) })]);
    assertNear(await lab.read(values), Array(300).fill(6 / (15 + 1e-6)), 1e-7);
  },
);

onEach(
  "clip_values() clips values, and keeps NaN",
  async (backend) => {
    using lab = await Lab.open(backend, [1, 6, 2], { active: [1, 1, 0] });
    const values = lab.real([-3, 0.5, 2, NaN, Infinity, -Infinity, -0.75, 9, NaN]);
    await lab.run([call(clipValues, { values, limit: lab.real([0.75]) })]);
    const expected = [-0.75, 0.5, 0.75, NaN, 0.75, -0.75, -0.75, 9, NaN];
    assertEquals(await lab.read(values), expected);
  },
);

onEach(
  "scale_by_adam() starts with the signs of the gradients",
  async (backend) => {
    using lab = await Lab.open(backend, SIZES, { active: ACTIVE });
    const gradients = normals(COUNT, 5);
    const [updates, first, second] = [lab.real(gradients), zeros(lab), zeros(lab)];
    const settings = lab.real(repeated(adamRow(1, 0), SIZES.length));
    await lab.run([call(scaleByAdam, { updates, first, second, settings })]);
    const near = TOLERANCE[lab.backend.real];
    const expected = gradients.map((g, a) => isFrozen(a) ? g : Math.sign(g));
    assertNear(await lab.read(updates), expected, near);
    const moment = (power: number, part: number) =>
      gradients.map((g, a) => isFrozen(a) ? 0 : part * g ** power);
    assertNear(await lab.read(first), moment(1, 1 - 0.9), near);
    assertNear(await lab.read(second), moment(2, 1 - 0.999), near, 1e-6);
  },
);

onEach("scale_by_adam() has a known second step", async (backend) => {
  using lab = await Lab.open(backend, [1]);
  const [updates, first, second] = [lab.real([2]), lab.real([0]), lab.real([0])];
  const rows = [0.5, 0.5, 0.75, 0.25]; // β₁ = 1/2, β₂ = 3/4
  for (
    const [g, correct1, correct2, u] of [
      [2, 2, 2, 1 / 1.25], // m = 1, v = 1: 2/(2 + 1/2)
      [-1, 4 / 3, Math.sqrt(16 / 7), 0], // m = 1/2 − 1/2
    ]
  ) {
    const settings = lab.real([...rows, correct1!, correct2!, 0.5]);
    lab.backend.write(updates, [g!]);
    await lab.run([call(scaleByAdam, { updates, first, second, settings })]);
    assertNear(await lab.read(updates), [u!], 1e-6);
  }
  assertEquals(await lab.read(first), [0]);
  assertEquals(await lab.read(second), [1]); // 3/4 + 1/4
});

onEach(
  "scale_by_momentum() keeps a trace, and supports Nesterov momentum",
  async (backend) => {
    using lab = await Lab.open(backend, [2, 1, 1], { active: [1, 1, 0] });
    const [updates, trace] = [lab.real([1, -2, 1, 5]), lab.real([0, 0, 0, 7])];
    const rows = (take: number) => lab.real([0.5, take, 0, 0.5, take, 1, 0.5, take, 1]);
    await lab.run([call(scaleByMomentum, { updates, trace, settings: rows(1) })]);
    assertEquals(await lab.read(updates), [1, -2, 1.5, 5]);
    assertEquals(await lab.read(trace), [1, -2, 1, 7]);
    lab.backend.write(updates, [4, 4, 4, 5]);
    await lab.run([call(scaleByMomentum, { updates, trace, settings: rows(0.25) })]);
    assertEquals(await lab.read(updates), [1.5, 0, 4.75, 5]);
    assertEquals(await lab.read(trace), [1.5, 0, 1.5, 7]);
  },
);

onEach("scale_by_lion() returns signs, 0 for 0, and NaN for NaN", async (backend) => {
  using lab = await Lab.open(backend, [5, 1], { active: [1, 0] });
  const updates = lab.real([4, -4, -4, 0, NaN, 3]);
  const trace = lab.real([0, 1, 2, 0, 1, 3]);
  const settings = lab.real(repeated([0.75, 0.25, 0.5, 0.5], 2));
  await lab.run([call(scaleByLion, { updates, trace, settings })]);
  // 3/4 m + g/4: 1, −1/4, 1/2, 0
  assertEquals(await lab.read(updates), [1, -1, 1, 0, NaN, 3]);
  assertEquals(await lab.read(trace), [2, -1.5, -1, 0, NaN, 3]);
});

onEach(
  "adam_step() starts with a step of lr against the gradient",
  async (backend) => {
    using lab = await Lab.open(backend, SIZES, { active: ACTIVE });
    const [start, gradients] = [normals(COUNT, 6), normals(COUNT, 7)];
    const [parameters, first, second] = [lab.real(start), zeros(lab), zeros(lab)];
    const settings = lab.real(
      repeated(adamStepRow(1, 0.125, { keep: 0.75, eps: 0 }), SIZES.length),
    );
    const given = { parameters, gradients: lab.real(gradients), first, second, settings };
    await lab.run([call(adamStep, given)]);
    const expected = start.map((p, a) =>
      isFrozen(a) ? p : 0.75 * p - 0.125 * Math.sign(gradients[a]!)
    );
    assertNear(await lab.read(parameters), expected, TOLERANCE[lab.backend.real], 1);
  },
);

onEach("adam_step() agrees with scale_by_adam() and mix() for several steps", async (backend) => {
  using lab = await Lab.open(backend, SIZES, { active: ACTIVE });
  const start = normals(COUNT, 8), lr = 0.01, keep = 0.999;
  const state = () => ({ first: zeros(lab), second: zeros(lab) });
  const [fused, composed] = [{ parameters: lab.real(start), ...state() }, state()];
  const [target, updates] = [lab.real(start), zeros(lab)];
  const every = (value: number) => lab.real(SIZES.map(() => value));
  for (let t = 1; t <= 5; t++) {
    const gradients = normals(COUNT, 100 + t);
    lab.backend.write(updates, gradients);
    const settings = lab.real(repeated(adamStepRow(t, lr, { keep }), SIZES.length));
    const apart = lab.real(repeated(adamRow(t), SIZES.length));
    await lab.run([
      call(adamStep, { ...fused, gradients: lab.real(gradients), settings }),
      call(scaleByAdam, { updates, ...composed, settings: apart }),
      call(mix, { target, source: updates, keep: every(keep), take: every(-lr) }),
    ]);
  }
  const near = TOLERANCE[lab.backend.real];
  const found = await lab.read(fused.parameters);
  assertNotEquals(found, start);
  assertNear(found, await lab.read(target), near, 1);
  assertEquals(await lab.read(fused.first), await lab.read(composed.first));
  assertEquals(await lab.read(fused.second), await lab.read(composed.second));
});

onEach("adam_step() supports coupled and decoupled weight decay", async (backend) => {
  using lab = await Lab.open(backend, [1, 1]);
  const [parameters, gradients] = [lab.real([2, 2]), lab.real([-0.5, -0.5])];
  const [first, second] = [lab.real([0, 0]), lab.real([0, 0])];
  // β₁ = 1/2, β₂ = 3/4; g′ = −1/2 + 2 = 3/2 in the second
  const row = [0.5, 0.5, 0.75, 0.25, 0.25, 2, 0.5];
  const settings = lab.real([...row, 0.5, 0, ...row, 1, 1]);
  await lab.run([call(adamStep, { parameters, gradients, first, second, settings })]);
  assertEquals(await lab.read(first), [-0.25, 0.75]);
  assertEquals(await lab.read(second), [0.0625, 0.5625]);
  assertNear(await lab.read(parameters), [1 + 0.0625 / 1, 2 - 0.1875 / 2], 1e-7);
});
