/** Real potentials on two threads, each in a process of its own: with memory that grows, most of them never end. */
import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { DOUBLE } from "./tiny_model.ts";
import { modelTest } from "./shared_models.ts";

/** Time after which a process counts as hung, ms. It takes some seconds. */
const TIMEOUT = 120_000;

/** Runs this in a process of its own. Returns its exit code, and what it printed. */
async function inProcess(...args: readonly string[]): Promise<[code: number, text: string]> {
  const script = fileURLToPath(new URL("./threads_program.ts", import.meta.url));
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", script, ...args],
    env: { NO_COLOR: "1" },
    signal: AbortSignal.timeout(TIMEOUT),
  }).output();
  const decoder = new TextDecoder();
  return [code, decoder.decode(stdout) + decoder.decode(stderr)];
}

// Force tolerance in eV/Å. CHGNet's angles are near 180°, where float32 has few digits.
for (const [name, tolerance] of [["chgnet", 1e-4], ["sevennet0", 5e-6]] as const) {
  modelTest(`${name} with forces runs on two threads, and agrees with PyTorch`, async () => {
    const [code, text] = await inProcess(name);
    assertEquals(code, 0, text);
    const { threads, worst } = JSON.parse(text);
    assertEquals(threads, 2);
    assert(worst < tolerance, `the largest error of a force is ${worst} eV/Å`);
  });
}

Deno.test("a process whose session with threads is not disposed of ends", async () => {
  assertEquals(await inProcess("double", DOUBLE.toBase64()), [0, "[2,4,6]\n"]);
});
