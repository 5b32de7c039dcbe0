/** What every backend does alike. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { type Backend, call, type FrameBuffers, openBackend } from "../../src/backend/mod.ts";
import { loadModule } from "../../src/backend/wasm/module.ts";
import { advance } from "../../src/kernels/advance.ts";
import { drift } from "../../src/kernels/drift.ts";
import { graduate } from "../../src/kernels/graduate.ts";
import { Control, defineKernel } from "../../src/kernels/kernel.ts";
import { BACKENDS, on } from "../dynamics/backends.ts";

/** Two systems of one and of two atoms. */
function frameOn(backend: Backend): FrameBuffers {
  const i32 = (values: number[]) => {
    const buffer = backend.alloc("i32", values.length);
    backend.write(buffer, values);
    return buffer;
  };
  return {
    systems: 2,
    offsets: i32([0, 1, 3]),
    active: i32([1, 1]),
    ids: i32([0, 1]),
    ages: i32([0, 10]),
    control: i32(Array(Control.LENGTH).fill(0)),
  };
}

/** Positions that move by 1 and by 2 in each step. */
function moving(backend: Backend) {
  const [positions, velocities, dt] = [9, 9, 2].map((n) => backend.alloc("real", n));
  backend.write(velocities!, Array(9).fill(1));
  backend.write(dt!, [1, 2]);
  const move = { positions: positions!, velocities: velocities!, dt: dt!, fraction: 1 };
  return { positions: positions!, move };
}

Deno.test(
  "what is seen is there at once, what is taken is a copy of the moment",
  on(BACKENDS, async (name) => {
    const backend = openBackend(name);
    const [real, whole] = [backend.alloc("real", 2), backend.alloc("i32", 1)];
    backend.write(real, [1, 2]);
    backend.write(whole, [3]);
    const taken = backend.take([real, whole]);
    const seen = backend.see([real, whole]);
    assert(!(seen instanceof Promise));
    const [x, n] = seen;
    assertEquals([[...x], [...n]], [[1, 2], [3]]);
    x[0] = 9;
    backend.flush();
    assertEquals(Array.from(await backend.read(real)), [9, 2]);
    assertEquals((await taken).map((values) => [...values]), [[1, 2], [3]]);
    backend.dispose();
  }),
);

Deno.test(
  "buffers begin with zeros, keep what is written, and reading copies",
  on(BACKENDS, async (name) => {
    const backend = openBackend(name);
    for (const dtype of ["real", "f64", "i32"] as const) {
      const buffer = backend.alloc(dtype, 5);
      assertEquals([buffer.dtype, buffer.length], [dtype, 5]);
      assertEquals(Array.from(await backend.read(buffer)), [0, 0, 0, 0, 0]);
      backend.write(buffer, [1, 2, 3]);
      backend.write(buffer, [7], 4);
      const copy = await backend.read(buffer);
      assertEquals(Array.from(copy), [1, 2, 3, 0, 7]);
      backend.view(buffer)[0] = 9;
      assertEquals([copy[0], backend.view(buffer)[0]], [1, 9]);
      assertThrows(() => backend.write(buffer, [1, 2], 4), RangeError);
      backend.free(buffer);
    }
    // Sums are in float64 on every backend, the rest in its own precision.
    const [sum, real] = [backend.alloc("f64", 1), backend.alloc("real", 1)];
    for (const buffer of [sum, real]) backend.write(buffer, [0.1]);
    assertEquals(backend.view(sum)[0], 0.1);
    assertEquals(backend.view(real)[0], backend.real === "f64" ? 0.1 : Math.fround(0.1));
    backend.dispose();
  }),
);

Deno.test(
  "a program does all its calls in each step, in order, and says how many steps it did",
  on(BACKENDS, async (name) => {
    const backend = openBackend(name);
    const frame = frameOn(backend);
    const { positions, move } = moving(backend);
    const program = backend.prepare(frame, [call(drift, move), call(advance, {})]);
    assertEquals(program.length, 2);
    assertEquals(await backend.run(program, 0, 3), 3);
    assertEquals(Array.from(backend.view(positions)), [3, 3, 3, 6, 6, 6, 6, 6, 6]);
    assertEquals(Array.from(backend.view(frame.ages)), [3, 13]);
    assertEquals(await backend.run(program, 3, 0), 0);
    // Systems at rest stay.
    backend.write(frame.active, [1, 0]);
    await backend.run(program, 3, 2);
    assertEquals(Array.from(backend.view(positions)), [5, 5, 5, 6, 6, 6, 6, 6, 6]);
    assertEquals(Array.from(backend.view(frame.ages)), [5, 13]);
    program.free();
    backend.dispose();
  }),
);

Deno.test(
  "a call runs only at its steps: step % every === phase, by the number of the step",
  on(BACKENDS, async (name) => {
    const backend = openBackend(name);
    const frame = frameOn(backend);
    const often = call(advance, {}, { every: 3, phase: 1 });
    const program = backend.prepare(frame, [often]);
    const ages = async (first: number, steps: number) => {
      backend.write(frame.ages, [0, 0]);
      await backend.run(program, first, steps);
      return backend.view(frame.ages)[0];
    };
    assertEquals(await ages(0, 1), 0);
    assertEquals(await ages(1, 1), 1);
    assertEquals(await ages(0, 9), 3);
    assertEquals(await ages(2, 2), 0);
    assertEquals(await ages(2, 3), 1);
    assertEquals(await ages(3_000_000_001, 1), 1); // steps are counted beyond 2^31
    backend.dispose();
  }),
);

Deno.test(
  "a run ends after the step in which a kernel halts it, and the next is not held up by that",
  on(BACKENDS, async (name) => {
    const backend = openBackend(name);
    const frame = frameOn(backend);
    const [met, converged, status] = [2, 2, 2].map((n) => backend.alloc("i32", n));
    backend.write(met!, [0, 1]);
    const done = call(graduate, {
      ...{ met: met!, converged: converged!, status: status! },
      ...{ source: -1, target: 1, stop: 1 },
    }, { every: 4, phase: 2 });
    const program = backend.prepare(frame, [call(advance, {}), done]);
    assertEquals(await backend.run(program, 0, 100), 3);
    assertEquals(Array.from(backend.view(frame.ages)), [3, 13]);
    assertEquals(Array.from(backend.view(frame.active)), [1, 0]);
    backend.write(met!, [0, 0]);
    assertEquals(await backend.run(program, 3, 2), 2);
    assertEquals(Array.from(backend.view(frame.ages)), [5, 13]);
    backend.dispose();
  }),
);

Deno.test("a backend of another name is refused, and a kernel that wasm has not", () => {
  assertThrows(() => openBackend("cuda"), RangeError, "must be one of reference, wasm");
  assertThrows(() => openBackend("toString"), RangeError, '"toString"');
  const backend = openBackend("wasm");
  const unknown = defineKernel("no_such_kernel", {}, () => {});
  const before = loadModule().memory.buffer.byteLength;
  for (let i = 0; i < 5000; i++) {
    assertThrows(
      () => backend.prepare(frameOn(backend), [call(unknown, {})]),
      TypeError,
      "no_such_kernel",
    );
    backend.dispose();
  }
  assertEquals(loadModule().memory.buffer.byteLength - before, 0);
});

Deno.test("dispose() gives everything back", () => {
  const module = loadModule();
  const backend = openBackend("wasm");
  const fill = () => {
    for (let i = 0; i < 20; i++) backend.alloc("f64", 10_000);
    backend.pairs(frameOn(backend), { cutoff: 5, skin: 1 });
    backend.dispose();
  };
  fill();
  const before = module.memory.buffer.byteLength;
  for (let i = 0; i < 50; i++) fill();
  assertEquals(module.memory.buffer.byteLength - before, 0);
});
