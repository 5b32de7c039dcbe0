import {
  type Backend,
  type Buffer,
  type Call,
  type FrameBuffers,
  openBackend,
} from "../../src/backend/mod.ts";
import { device } from "../backend/gpu.ts";
import { openWebGpu } from "../../src/backend/webgpu/mod.ts";
import { Control, type Dtype } from "../../src/kernels/kernel.ts";
import { gaussians, philox } from "../../src/kernels/philox.ts";

/** Where kernels run. */
export type BackendName = "reference" | "wasm" | "webgpu";

/** The backends that every kernel is tried on. */
export const BACKENDS: readonly BackendName[] = device === undefined
  ? ["reference", "wasm"]
  : ["reference", "wasm", "webgpu"];

/** A backend by name. */
export async function openOn(name: string): Promise<Backend> {
  return name === "webgpu" ? await openWebGpu({ device: device! }) : openBackend(name);
}

/** What a number may be off by, relative to the size of what it came from. */
export const TOLERANCE = { f64: 1e-12, f32: 1e-5 } as const;

/** How the systems of a {@linkcode Lab} are. */
export interface LabOptions {
  /** @default all 1 */
  active?: number[];
  /** @default 7, 8, … */
  ids?: number[];
  /** @default all 0 */
  ages?: number[];
}

/** A backend with a frame of systems of the given sizes. */
export class Lab {
  readonly backend: Backend;
  readonly frame: FrameBuffers;
  readonly tolerance: number;

  private constructor(backend: Backend, sizes: readonly number[], options: LabOptions) {
    this.backend = backend;
    this.tolerance = TOLERANCE[backend.real];
    const offsets = [0];
    for (const size of sizes) offsets.push(offsets.at(-1)! + size);
    this.frame = {
      systems: sizes.length,
      offsets: this.i32(offsets),
      active: this.i32(options.active ?? sizes.map(() => 1)),
      ids: this.i32(options.ids ?? sizes.map((_, i) => 7 + i)),
      ages: this.i32(options.ages ?? sizes.map(() => 0)),
      control: this.i32(new Array(Control.LENGTH).fill(0)),
    };
  }

  /** On the backend of this name. */
  static async open(
    name: string,
    sizes: readonly number[],
    options: LabOptions = {},
  ): Promise<Lab> {
    return new Lab(await openOn(name), sizes, options);
  }

  /** What a sum keeps of a number: all of it, or 48 bits where it is two float32. */
  sum(value: number): number {
    if (this.backend.name !== "webgpu") return value;
    return Math.fround(value) + Math.fround(value - Math.fround(value));
  }

  /** A buffer with these numbers. */
  real(values: ArrayLike<number>): Buffer<"real"> {
    return this.#with("real", values);
  }

  /** A buffer with these numbers. */
  f64(values: ArrayLike<number>): Buffer<"f64"> {
    return this.#with("f64", values);
  }

  /** A buffer with these numbers. */
  i32(values: ArrayLike<number>): Buffer<"i32"> {
    return this.#with("i32", values);
  }

  /** Runs calls, in order, once or for more steps; how many steps it did. */
  async run(calls: readonly Call[], steps = 1): Promise<number> {
    const program = this.backend.prepare(this.frame, calls);
    const done = await this.backend.run(program, 0, steps);
    program.free();
    return done;
  }

  /** What is in a buffer. */
  async read(buffer: Buffer): Promise<number[]> {
    return Array.from(await this.backend.read(buffer));
  }

  /** What is in several. */
  async readAll(buffers: readonly Buffer[]): Promise<number[][]> {
    const all: number[][] = [];
    for (const buffer of buffers) all.push(await this.read(buffer));
    return all;
  }

  #with<D extends Dtype>(dtype: D, values: ArrayLike<number>): Buffer<D> {
    const buffer = this.backend.alloc(dtype, values.length);
    this.backend.write(buffer, values);
    return buffer;
  }

  [Symbol.dispose](): void {
    this.backend.dispose();
  }
}

/** Gaussian numbers that are the same in every run; those of f32, so that both backends begin with the same. */
export function normals(count: number, seed: number, width = 1): number[] {
  const words = new Uint32Array(4), four = new Float64Array(4);
  return Array.from({ length: count }, (_, i) => {
    if (i % 4 === 0) {
      philox(i, 0, 0, 99, seed, 0, words);
      gaussians(words, four);
    }
    return Math.fround(width * four[i % 4]!);
  });
}

/** Throws unless each number is near what it should be; `scale`: what sizes are relative to, at least. */
export function assertNear(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number,
  scale = 0,
): void {
  if (actual.length !== expected.length) {
    throw new Error(`${actual.length} numbers, not ${expected.length}`);
  }
  for (let i = 0; i < expected.length; i++) {
    const [a, e] = [actual[i]!, expected[i]!];
    const far = tolerance * Math.max(Math.abs(e), scale);
    if (Object.is(a, e) || a === e || Math.abs(a - e) <= far) continue;
    throw new Error(`[${i}] is ${a}, not ${e} within ${far}`);
  }
}

/** A test on each backend. */
export function onEach(
  name: string,
  test: (backend: BackendName) => void | Promise<void>,
): void {
  for (const backend of BACKENDS) Deno.test(`${name} (${backend})`, () => test(backend));
}
