import { assert, assertEquals, assertLess } from "@std/assert";
import { type Buffer, call } from "../../src/backend/mod.ts";
import { LbfgsMemory, lbfgsStep } from "../../src/kernels/relax/lbfgs_step.ts";
import { assertNear, Lab, normals, onEach } from "./lab.ts";

/** −∂E/∂x, and E. */
interface Landscape {
  readonly force: (x: readonly number[]) => number[];
  readonly energy: (x: readonly number[]) => number;
}

/** A valley: springs between all coordinates, of curvatures from 1 to 10, and a little of x⁴. */
function valley(n: number, quartic: number): Landscape {
  const force = (x: readonly number[]) =>
    x.map((one, i) => {
      let f = -(1 + 9 * i / n) * one - quartic * one ** 3;
      for (const [j, other] of x.entries()) f -= j === i ? 0 : 0.3 * other / n;
      return f;
    });
  const energy = (x: readonly number[]) => {
    let sum = 0;
    for (const [i, one] of x.entries()) {
      sum += (1 + 9 * i / n) * one ** 2 / 2 + quartic * one ** 4 / 4;
      for (const [j, other] of x.entries()) sum += j === i ? 0 : 0.15 * one * other / n;
    }
    return sum;
  };
  return { force, energy };
}

interface Options {
  readonly depth: number;
  readonly curvature: number;
  readonly damping: number;
  readonly maxStep: number;
}
const DEFAULT: Options = { depth: 3, curvature: 8, damping: 1, maxStep: 10 };

/**
 * L-BFGS by the book: H is a matrix, made anew in each step from the pairs that are kept,
 * H ← (1 − ρ s yᵀ) H (1 − ρ y sᵀ) + ρ s sᵀ.
 */
function byTheBook(x0: readonly number[], { force }: Landscape, options: Options, steps: number) {
  const { depth, curvature, damping, maxStep } = options;
  const dot = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, x, i) => sum + x * b[i]!, 0);
  const pairs: { s: number[]; y: number[] }[] = [];
  const way: number[][] = [];
  let x = [...x0], last: { s: number[]; f: number[] } | undefined;
  for (let step = 0; step < steps; step++) {
    const f = force(x);
    if (last !== undefined) {
      const { s } = last, y = last.f.map((one, i) => one - f[i]!);
      if (dot(s, y) > 0) pairs.push({ s, y });
      if (pairs.length > depth) pairs.shift();
    }
    const newest = pairs.at(-1);
    const scale = newest ? dot(newest.s, newest.y) / dot(newest.y, newest.y) : 1 / curvature;
    let h = x.map((_, i) => x.map((_, j) => i === j ? scale : 0));
    for (const { s, y } of pairs) {
      const rho = 1 / dot(s, y);
      const left = x.map((_, i) => x.map((_, j) => Number(i === j) - rho * s[i]! * y[j]!));
      const half = left.map((row) => x.map((_, j) => dot(row, h.map((one) => one[j]!))));
      h = half.map((row, i) => x.map((_, j) => dot(row, left[j]!) + rho * s[i]! * s[j]!));
    }
    let s = h.map((row) => damping * dot(row, f));
    const far = Math.max(...[0, 3, 6, 9].map((k) => Math.hypot(...s.slice(k, k + 3))));
    if (far > maxStep) s = s.map((one) => one * maxStep / far);
    x = x.map((one, i) => one + s[i]!);
    last = { s, f };
    way.push(x);
  }
  return way;
}

/** The kernel on systems of four atoms each. */
class Descent {
  readonly positions: Buffer<"real">;
  readonly forces: Buffer<"real">;
  readonly energy: Buffer<"f64">;
  readonly history: Buffer<"real">;
  readonly memory: Buffer<"f64">;
  readonly counts: Buffer<"i32">;
  readonly #lab: Lab;
  readonly #landscape: Landscape;
  readonly #step;

  constructor(
    lab: Lab,
    x0: readonly number[],
    landscape: Landscape,
    options: Options,
    searches = false,
  ) {
    const { depth, curvature, damping, maxStep } = options;
    const rows = depth + 1, systems = lab.frame.systems;
    this.#lab = lab;
    this.#landscape = landscape;
    this.positions = lab.real(x0);
    this.forces = lab.real(x0);
    this.energy = lab.f64(new Array(systems).fill(0));
    this.history = lab.real(new Array(2 * rows * x0.length).fill(0));
    this.memory = lab.f64(new Array((rows + LbfgsMemory.LENGTH) * systems).fill(0));
    this.counts = lab.i32(new Array(3 * systems).fill(0));
    this.#step = call(lbfgsStep, {
      positions: this.positions,
      forces: this.forces,
      history: this.history,
      energy: searches ? this.energy : undefined,
      memory: this.memory,
      counts: this.counts,
      parameters: lab.f64(
        Array.from({ length: systems }, () => [curvature, damping, maxStep]).flat(),
      ),
      depth,
      cellPositions: undefined,
      cellForces: undefined,
      cellHistory: undefined,
    });
  }

  /** One step, all systems of which have as many coordinates as are given at once. */
  async step(width: number): Promise<number[]> {
    const x = await this.#lab.read(this.positions), { force, energy } = this.#landscape;
    const each = Array.from(
      { length: x.length / width },
      (_, s) => x.slice(width * s, width * (s + 1)),
    );
    this.#lab.backend.write(this.forces, each.flatMap(force));
    this.#lab.backend.write(this.energy, each.map(energy));
    await this.#lab.run([this.#step]);
    return await this.#lab.read(this.positions);
  }
}

for (
  const [what, options] of Object.entries({
    "as it is": DEFAULT,
    "damped": { ...DEFAULT, damping: 0.7 },
    "cut": { ...DEFAULT, maxStep: 0.05 },
    "with one pair": { ...DEFAULT, depth: 1 },
  })
) {
  onEach(
    `lbfgs_step goes the way of matrices that are kept as a whole, ${what}`,
    async (backend) => {
      using lab = await Lab.open(backend, [4]);
      const x0 = Array.from(normals(12, 5)).map(Math.fround), landscape = valley(12, 0.1);
      const descent = new Descent(lab, x0, landscape, options);
      for (const expected of byTheBook(x0, landscape, options, 9)) {
        const tolerance = lab.backend.real === "f64" ? 1e-9 : 2e-4;
        assertNear(await descent.step(12), expected, tolerance, 1);
      }
    },
  );
}

onEach("lbfgs_step reaches the minimum after few steps, and stays there", async (backend) => {
  using lab = await Lab.open(backend, [4]);
  const descent = new Descent(lab, normals(12, 5) as never, valley(12, 0), {
    ...DEFAULT,
    depth: 12,
  });
  let x: number[] = [];
  for (let i = 0; i < 24; i++) x = await descent.step(12);
  assertLess(Math.max(...x.map(Math.abs)), lab.backend.real === "f64" ? 1e-9 : 1e-5);
  for (let i = 0; i < 30; i++) x = await descent.step(12);
  assert(x.every(Number.isFinite));
});

onEach("lbfgs_step stays at an exact minimum without NaN", async (backend) => {
  using lab = await Lab.open(backend, [4]);
  const flat = { force: () => new Array(12).fill(0), energy: () => 0 };
  for (const searches of [false, true]) {
    const descent = new Descent(lab, new Array(12).fill(0.5), flat, DEFAULT, searches);
    for (let i = 0; i < 4; i++) assertEquals(await descent.step(12), new Array(12).fill(0.5));
    for (const buffer of [descent.memory, descent.history, descent.counts]) {
      assert((await lab.read(buffer)).every(Number.isFinite));
    }
  }
});

onEach("lbfgs_step discards pairs with negative curvature", async (backend) => {
  using lab = await Lab.open(backend, [1]);
  const hill = { force: ([x]: readonly number[]) => [x!, 0, 0], energy: () => 0 };
  const descent = new Descent(lab, [1, 0, 0], hill, DEFAULT);
  const way = [1];
  for (let i = 0; i < 3; i++) way.push((await descent.step(3))[0]!);
  // Always as if nothing were known: x ← x + x/8.
  assertNear(way, [0, 1, 2, 3].map((i) => 1.125 ** i), 1e-6);
  assertEquals((await lab.read(descent.counts))[0], 0);
});

onEach("lbfgs_step resets its history if it leads uphill", async (backend) => {
  using lab = await Lab.open(backend, [1]);
  const spring = { force: ([x]: readonly number[]) => [-x!, 0, 0], energy: () => 0 };
  const descent = new Descent(lab, [1, 0, 0], spring, DEFAULT);
  await descent.step(3);
  await descent.step(3);
  const x = (await lab.read(descent.positions))[0]!;
  const memory = await lab.read(descent.memory);
  // As if curvatures were negative.
  lab.backend.write(descent.memory, memory.map((one) => -one));
  lab.backend.write(descent.positions, [2, 0, 0]);
  lab.backend.write(descent.counts, [1, 1, 0]);
  assertNear([(await descent.step(3))[0]!], [2 - 2 / 8], 1e-6);
  assertEquals((await lab.read(descent.counts))[0], 0);
  assertLess(Math.abs(x), 1e-6); // without that it was there after two steps
});

onEach("lbfgs_step scales the step of all atoms of one system only", async (backend) => {
  using lab = await Lab.open(backend, [2, 1]);
  const positions = lab.real(new Array(9).fill(0)), rows = 2;
  await lab.run([call(lbfgsStep, {
    positions,
    forces: lab.real([30, 40, 0, 0, 5, 0, 1, 0, 0]),
    history: lab.real(new Array(18 * rows).fill(0)),
    energy: undefined,
    depth: 1,
    memory: lab.f64(new Array(2 * (rows + 3)).fill(0)),
    counts: lab.i32([0, 0, 0, 0, 0, 0]),
    parameters: lab.f64([10, 1, 0.2, 10, 1, 0.2]),
    cellPositions: undefined,
    cellForces: undefined,
    cellHistory: undefined,
  })]);
  assertNear(await lab.read(positions), [0.12, 0.16, 0, 0, 0.02, 0, 0.1, 0, 0], 1e-6, 1);
});

onEach(
  "lbfgs_step backtracks to the minimum of a parabola",
  async (backend) => {
    using lab = await Lab.open(backend, [1]);
    const spring = {
      force: ([x]: readonly number[]) => [-x!, 0, 0],
      energy: ([x]: readonly number[]) => x! * x! / 2,
    };
    // Four times as far as it should go: from 1 to -3, where the energy is nine times as high.
    const descent = new Descent(lab, [1, 0, 0], spring, { ...DEFAULT, curvature: 0.25 }, true);
    assertNear([(await descent.step(3))[0]!], [-3], 1e-6);
    assertNear([(await descent.step(3))[0]!], [0], 1e-6, 1);
    assertEquals(await lab.read(descent.counts), [0, 0, 2]);
    // And the pair is that of the shorter step.
    await descent.step(3);
    assertNear((await lab.read(descent.memory)).slice(0, 1), [1], 1e-5);
  },
);

onEach(
  "lbfgs_step needs its line search to find the minimum in some cases",
  async (backend) => {
    // Curvature falls from 1 to nothing: steps by it go ever further astray.
    const bowl = {
      force: ([x]: readonly number[]) => [-x! / Math.sqrt(1 + x! * x!), 0, 0],
      energy: ([x]: readonly number[]) => Math.sqrt(1 + x! * x!),
    };
    const end = async (searches: boolean) => {
      using lab = await Lab.open(backend, [1]);
      const wide = { ...DEFAULT, depth: 2, curvature: 0.05, maxStep: 1e3 };
      const descent = new Descent(lab, [3, 0, 0], bowl, wide, searches);
      let x = 3;
      for (let i = 0; i < 25; i++) x = (await descent.step(3))[0]!;
      return Math.abs(x);
    };
    assertLess(await end(true), 1e-3);
  },
);
