/**
 * Devices, runtimes and numbers of threads that `hooke bench` measures.
 *
 * @module
 */

import { pickDevice } from "../../backend/webgpu/pick.ts";
import { findNativeRuntime } from "../../onnx/session/native/native_runtime.ts";
import type { PotentialSettings } from "../run/table.ts";

/** A device to measure, or the reason why it cannot be measured. */
export interface BenchCase {
  /** Name in the table, such as `wasm, 2 threads`. */
  readonly name: string;
  readonly settings: Pick<PotentialSettings, "device" | "runtime" | "threads">;
  /** Reason why it cannot be measured; undefined if it can. */
  readonly missing?: string;
}

/** Names that `--device` accepts. */
export const BENCH_DEVICES: readonly string[] = ["wasm", "native", "webgpu"];

/** Properties of a run that decide which devices can be measured. */
export interface CaseFacts {
  /** True for an ONNX file, false for a built-in potential. */
  readonly isOnnx: boolean;
  /** Largest number of threads. */
  readonly threads: number;
  /** Names of devices to measure; all if it is empty. */
  readonly only: readonly string[];
}

/** Returns the cases of a run. */
export async function benchCases({ isOnnx, threads, only }: CaseFacts): Promise<BenchCase[]> {
  const isWanted = (name: string) => only.length === 0 || only.includes(name);
  const counts = threads > 1 ? [1, threads] : [1];
  const cases: BenchCase[] = [];
  if (isWanted("wasm")) {
    for (const count of counts) {
      const settings = { device: "wasm", runtime: "web", threads: count } as const;
      cases.push({ name: `wasm, ${threadsText(count)}`, settings });
    }
  }
  if (isOnnx && isWanted("native")) cases.push(...await nativeCases(counts));
  if (isWanted("webgpu")) cases.push(await gpuCase());
  return cases;
}

async function nativeCases(counts: readonly number[]): Promise<BenchCase[]> {
  const found = await findNativeRuntime(false);
  if ("runtime" in found) {
    return counts.map((threads) => ({
      name: `native, ${threadsText(threads)}`,
      settings: { device: "wasm", runtime: "native", threads },
    }));
  }
  const settings = { device: "wasm", runtime: "native", threads: 1 } as const;
  return [{ name: "native", settings, missing: found.reason }];
}

async function gpuCase(): Promise<BenchCase> {
  const settings = { device: "webgpu", runtime: "web", threads: 1 } as const;
  try {
    const { info } = await pickDevice("webgpu");
    const isSoftware = info?.isSoftware === true;
    return { name: isSoftware ? "webgpu (software)" : "webgpu", settings };
  } catch (error) {
    return { name: "webgpu", settings, missing: (error as Error).message };
  }
}

function threadsText(count: number): string {
  return count === 1 ? "1 thread" : `${count} threads`;
}

/** The device that `--device auto` takes. */
export interface AutoChoice {
  /** Name of the case that has the same device and runtime on one thread. */
  readonly name: string;
  readonly reason: string;
}

/** Returns the device and runtime that `--device auto --runtime auto` takes, and the reason. */
export async function autoChoice(isOnnx: boolean): Promise<AutoChoice> {
  const { device, skipped } = await pickDevice("auto");
  if (device === "webgpu") return { name: "webgpu", reason: "this machine has a GPU" };
  const gpu = skipped.map((one) => `${one.device} is not used (${one.reason})`).join(", ");
  if (!isOnnx) return { name: "wasm, 1 thread", reason: gpu };
  const found = await findNativeRuntime(false);
  return "runtime" in found
    ? { name: "native, 1 thread", reason: `${gpu}, and onnxruntime-node is installed` }
    : { name: "wasm, 1 thread", reason: `${gpu}, and native is not used (${found.reason})` };
}
