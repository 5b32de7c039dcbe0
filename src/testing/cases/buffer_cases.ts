/**
 * Test cases for buffers of any backend.
 *
 * @module
 */

import type { Backend } from "../../backend/backend.ts";
import { assertNear, assertSameBits } from "../assert_near.ts";
import { claim, claimRefused, onBackend } from "../claims.ts";
import type { MakeBackend } from "./kernel_cases.ts";
import type { TestCase } from "./test_case.ts";

const DTYPES = ["real", "f64", "i32"] as const;

/** Returns cases for creating, writing, reading, viewing and releasing buffers. */
export function bufferCases(open: MakeBackend): TestCase[] {
  return [
    onBackend(open, "buffers start with zeros, keep written values, and reading copies", keep),
    onBackend(open, "real and f64 buffers keep their precision, NaN and infinities", digits),
    onBackend(open, "readLate() and viewOrRead() return the values of one moment", look),
    onBackend(
      open,
      "view() shares the memory of the buffer on a host backend, and throws on other backends",
      views,
    ),
    onBackend(open, "invalid writes and reads are rejected without effect", refusals),
  ];
}

async function keep(backend: Backend): Promise<void> {
  for (const dtype of DTYPES) {
    const buffer = backend.alloc(dtype, 5);
    claim(
      buffer.dtype === dtype && buffer.length === 5,
      () => `A buffer is ${buffer.length} ${buffer.dtype}, not 5 ${dtype}`,
    );
    assertSameBits(await backend.read(buffer), [0, 0, 0, 0, 0]);
    backend.write(buffer, [1, 2, 3]);
    backend.write(buffer, [7], 4);
    const copy = await backend.read(buffer);
    backend.write(buffer, [9]);
    backend.write(buffer, []);
    assertSameBits(copy, [1, 2, 3, 0, 7]);
    assertSameBits(await backend.read(buffer), [9, 2, 3, 0, 7]);
    backend.free(buffer);
    backend.free(buffer); // Releasing a buffer twice has no effect.
    const empty = backend.alloc(dtype, 0);
    assertSameBits(await backend.read(empty), []);
    backend.free(empty);
  }
}

async function digits(backend: Backend): Promise<void> {
  const values = [0.1, -1e10 / 3, 1e-30, Infinity, -Infinity, NaN, 0];
  const [real, sum] = [backend.alloc("real", 7), backend.alloc("f64", 7)];
  for (const buffer of [real, sum]) backend.write(buffer, values);
  const kept = backend.real === "f64" ? values : values.map(Math.fround);
  assertSameBits(await backend.read(real), kept);
  const sums = await backend.read(sum);
  assertNear(sums.slice(0, 3), values.slice(0, 3), 2 ** -48);
  assertSameBits(sums.slice(3), values.slice(3));
  const whole = backend.alloc("i32", 3), far = [2 ** 31 - 1, -(2 ** 31), -1];
  backend.write(whole, far);
  assertSameBits(await backend.read(whole), far);
}

async function look(backend: Backend): Promise<void> {
  const [real, whole] = [backend.alloc("real", 2), backend.alloc("i32", 1)];
  backend.write(real, [1, 2]);
  backend.write(whole, [3]);
  const taken = backend.readLate([real, whole]);
  const [x, n] = await backend.viewOrRead([real, whole]);
  assertSameBits(x, [1, 2]);
  assertSameBits(n, [3]);
  backend.write(real, [9]);
  backend.flush();
  const [then, counted] = await taken;
  assertSameBits(then, [1, 2]);
  assertSameBits(counted, [3]);
  const order: number[] = [];
  const all = Array.from({ length: 100 }, async (_, i) => {
    backend.write(whole, [i]);
    const [values] = await backend.readLate([whole]);
    order.push(values[0]!);
  });
  backend.flush();
  await Promise.all(all);
  assertSameBits(order, Array.from({ length: 100 }, (_, i) => i));
}

async function views(backend: Backend): Promise<void> {
  const buffer = backend.alloc("f64", 2);
  if (!backend.isHost) return await claimRefused(() => backend.view(buffer), TypeError, "Cannot");
  backend.view(buffer)[1] = 5;
  assertSameBits(await backend.read(buffer), [0, 5]);
  // WebAssembly memory may move when it grows, which detaches views.
  const many = Array.from({ length: 200 }, () => backend.alloc("f64", 10_000));
  assertSameBits(backend.view(buffer), [0, 5]);
  for (const one of many) backend.free(one);
}

async function refusals(backend: Backend): Promise<void> {
  for (const dtype of DTYPES) {
    const buffer = backend.alloc(dtype, 5);
    await claimRefused(() => backend.write(buffer, [1, 2], 4), RangeError);
    assertSameBits(await backend.read(buffer), [0, 0, 0, 0, 0]);
    // A device may have lower limits, so test only lengths that are never valid.
    await claimRefused(() => backend.alloc(dtype, 2 ** 50), backend.isHost ? RangeError : Error);
  }
}
