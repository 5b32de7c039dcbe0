/** Checking that the numbers of a step are finite: the kernel `check_finite`. */
import { assertEquals } from "@std/assert";
import { call } from "../../src/backend/mod.ts";
import { checkFinite } from "../../src/kernels/check_finite.ts";
import { Control } from "../../src/kernels/kernel.ts";
import { Lab, onEach } from "./lab.ts";

const SIZES = [7, 1, 40, 0, 3];
const ATOMS = 51;
const SYSTEMS = SIZES.length;

/** The numbers that are given, by argument. */
const LENGTHS = {
  positions: 3 * ATOMS,
  velocities: 3 * ATOMS,
  forces: 3 * ATOMS,
  cell: 9 * SYSTEMS,
  energy: SYSTEMS,
} as const;

type Bad = Partial<Record<keyof typeof LENGTHS, number | readonly [at: number, value: number]>>;

/** The system that is reported + 1, the cause, and how many of five steps were done. */
async function found(backend: string, bad: Bad, only?: readonly string[]): Promise<number[]> {
  using lab = await Lab.open(backend, SIZES, { active: [1, 0, 1, 1, 1] });
  const args = Object.fromEntries(
    Object.entries(LENGTHS).filter(([name]) => only?.includes(name) !== false).map((
      [name, length],
    ) => {
      const values = Array.from(
        { length },
        (_, i) => (i % 2 === 0 ? 1 : -1) * 10 ** (name === "positions" ? i % 9 : i % 37),
      );
      const place = bad[name as keyof Bad];
      const [at, value] = typeof place === "number" ? [place, NaN] : place ?? [];
      if (at !== undefined) values[at] = value!;
      return [name, name === "energy" ? lab.f64(values) : lab.real(values)];
    }),
  );
  const done = await lab.run([call(checkFinite, args)], 5);
  const control = await lab.read(lab.frame.control);
  return [control[Control.DIVERGED]!, control[Control.CAUSE]!, done];
}

onEach("check_finite() accepts finite numbers of any size", async (name) => {
  assertEquals(await found(name, {}), [0, 0, 5]);
  assertEquals(await found(name, {}, []), [0, 0, 5]);
});

onEach("check_finite() halts at a non-finite number at any position", async (name) => {
  const first = 3 * 8, end = 3 * 48; // atoms of system 2
  for (const value of [NaN, Infinity, -Infinity]) {
    for (const at of [first, first + 1, first + 16, end - 1]) {
      assertEquals(await found(name, { positions: [at, value] }), [3, 0, 1]);
    }
    assertEquals(await found(name, { positions: [end - 2, 1.01e9 * Math.sign(value) || 2e9] }), [
      3,
      0,
      1,
    ]);
    assertEquals(await found(name, { forces: [end, value] }), [5, 1, 1]);
    assertEquals(await found(name, { velocities: [0, value] }), [1, 3, 1]);
    assertEquals(await found(name, { energy: [4, value] }), [5, 1, 1]);
    assertEquals(await found(name, { cell: [26, value] }), [3, 0, 1]);
  }
});

onEach("check_finite() reports the first system, and its first cause", async (name) => {
  assertEquals(await found(name, { velocities: 3 * 48, forces: 3 * 47, energy: 2 }), [3, 1, 1]);
  assertEquals(await found(name, { velocities: 3 * 20, positions: 3 * 20 }), [3, 0, 1]);
  assertEquals(await found(name, { velocities: 3 * 20, energy: 2 }), [3, 1, 1]);
});

onEach("check_finite() ignores inactive systems and omitted arguments", async (name) => {
  const rest = { positions: 21, velocities: 21, forces: 21, cell: 9, energy: 1 };
  assertEquals(await found(name, rest), [0, 0, 5]);
  assertEquals(await found(name, { positions: 0 }, ["forces", "energy"]), [0, 0, 5]);
});
