/**
 * Times of steps of Hooke, each in a process of its own.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { BY_HOST, type Start, type StepTime, type StepTimes } from "./figures.ts";
import type { Timed } from "./step_time.ts";

/** Seconds after which a process that times steps is given up. */
const PATIENCE = 120;

/** Returns the costs of steps on wasm, native and WebGPU, from these starts; on WebGPU from the first alone. */
export async function hookeTimes(
  path: string,
  starts: readonly Start[],
): Promise<Omit<StepTimes, "ase">> {
  const wasm: StepTime[] = [], native: StepTime[] = [];
  for (const start of starts) {
    wasm.push(await timed(path, start, "wasm"));
    native.push(await timed(path, start, "native"));
  }
  const webgpu = await timed(path, starts[0]!, "webgpu").then((time) => [time], reasonOf);
  return { wasm, native, webgpu };
}

async function timed(
  path: string,
  start: Start,
  device: "wasm" | "native" | "webgpu",
): Promise<StepTime> {
  const file = await Deno.makeTempFile({ suffix: ".json" });
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), 1000 * PATIENCE);
  try {
    await Deno.writeTextFile(file, JSON.stringify(start));
    const script = fileURLToPath(new URL("step_time.ts", import.meta.url));
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", script, path, file, device],
      signal: patience.signal,
    }).output();
    if (patience.signal.aborted) throw new Error(`no result within ${PATIENCE} s`);
    const decode = (bytes: Uint8Array<ArrayBuffer>) => new TextDecoder().decode(bytes).trimEnd();
    if (!success) {
      throw new Error(decode(stderr).split("\n")[0]!.replace(/^error: Uncaught .*?: /, ""));
    }
    const { onHost, ...time }: Timed = JSON.parse(decode(stdout).split("\n").at(-1)!);
    if (device === "webgpu" && onHost !== undefined) throw new Error(BY_HOST);
    return time;
  } finally {
    clearTimeout(timer);
    await Deno.remove(file);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
