/** Memory: runs free what they allocate, and steps without observers make no garbage. */
import { assertEquals, assertGreater, assertLess, assertRejects } from "@std/assert";
import { loadModule } from "../../src/backend/wasm/module.ts";
import type { WasmModule } from "../../src/backend/wasm/wasm_buffer.ts";
import { Batch } from "../../src/batch/mod.ts";
import { ConvergenceHook, FIRE, NVE, NVTLangevin } from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { ARGON, argon, crystals, idle } from "./atoms.ts";
import { slowTest, test } from "../suite.ts";

const MODULE = loadModule() as { -readonly [k in keyof WasmModule]: WasmModule[k] };
const { allocate, release } = MODULE;

/** Bytes that backends have asked for and not given back; lists of pairs are not among them. */
let live = 0;
MODULE.allocate = (size) => {
  live += size;
  return allocate(size);
};
MODULE.release = (pointer, size) => {
  live -= size;
  release(pointer, size);
};

/** The bytes of memory that WebAssembly has, lists of pairs among them. */
function bytes(): number {
  return MODULE.memory.buffer.byteLength;
}

/** By how much memory in use and memory had have grown over a hundred times some work, once a first few are done. */
async function growth(work: (i: number) => Promise<void>): Promise<[live: number, all: number]> {
  for (let i = 0; i < 20; i++) await work(i);
  const before = [live, bytes()] as const;
  for (let i = 20; i < 120; i++) await work(i);
  return [live - before[0], bytes() - before[1]];
}

test("engines that are closed give back all they took", async () => {
  const systems = [argon(4, 0), argon(3, 1)];
  const grown = await growth(async (i) => {
    const batch = Batch.from(systems);
    const options = { model: ARGON, dt: 1, device: "wasm" } as const;
    const hooks = [ConvergenceHook.fromFmax(0.01)];
    await using engine = i % 3 === 0
      ? new NVE({ ...options, hooks: [idle()] })
      : i % 3 === 1
      ? new NVTLangevin({ ...options, temperature: 10, friction: 0.1 })
      : new FIRE({ ...options, dt: 0.1, hooks });
    await engine.run(batch, 2);
  });
  assertEquals(grown, [0, 0]);
});

test("an engine that goes from batch to batch keeps but the last", async () => {
  const systems = [argon(4, 0), argon(3, 1)];
  await using md = new NVE({ model: ARGON, dt: 1, device: "wasm" });
  assertEquals(await growth(async () => void await md.run(Batch.from(systems), 2)), [0, 0]);
});

test("runs of one batch, and hooks that come and go, take nothing more", async () => {
  const batch = Batch.from([argon(4, 0), argon(3, 1)]);
  await using md = new NVTLangevin({
    model: ARGON,
    dt: 1,
    temperature: 10,
    friction: 0.1,
    device: "wasm",
  });
  const look = () =>
    hook({
      name: "look",
      reads: ["energy", "temperature", "stress", "energyChange"],
      on: { dynamics: { AFTER_STEP: () => {} } },
    });
  const grown = await growth(async () => {
    md.hooks.add(look());
    md.hooks.add(new ConvergenceHook({ criteria: { key: "fmax", threshold: 0 } }));
    await md.run(batch, 2);
    md.hooks.remove("look");
    md.hooks.remove("ConvergenceHook");
    await md.run(batch, 2);
  });
  assertEquals(grown, [0, 0]);
});

test("runs that are refused or fail give back all they took", async () => {
  const systems = [argon(4, 0), argon(3, 1)];
  const grown = await growth(async () => {
    const options = { model: ARGON, device: "wasm" } as const;
    const short = new NVE({ ...options, dt: [1, 1, 1] });
    await assertRejects(() => short.run(Batch.from(systems), 1), RangeError);
    const batch = Batch.from(systems);
    const position = batch.get("positions");
    position.copyWithin(0, 3, 6); // two atoms in one place
    const far = new NVE({ ...options, dt: 1 });
    await assertRejects(() => far.run(batch, 5), Error);
  });
  assertEquals(grown, [0, 0]);
});

test("a system that is run for long takes nothing more", async () => {
  const batch = crystals(4, 80);
  await using md = new NVE({ model: ARGON, dt: 2, device: "wasm" });
  await md.run(batch, 500);
  const before = bytes();
  await md.run(batch, 3000);
  assertEquals(bytes() - before, 0);
});

test("the measure of memory sees what is not given back", () => {
  const [own, all] = [live, bytes()];
  const taken: number[] = [];
  for (let i = 0; i < 100; i++) taken.push(MODULE.allocate(20_000));
  assertEquals(live - own, 2_000_000);
  assertGreater(bytes() - all, 0);
  for (const pointer of taken) MODULE.release(pointer, 20_000);
  assertEquals(live, own);
});

slowTest("engines that are never closed free their memory when they are collected", async () => {
  // Some 33 MB, were it kept.
  assertLess(Number(await printed("./lost_child.ts", "--expose-gc")), 4_000_000);
});

slowTest("steps in one call make no garbage; the measure sees a hook that does", async () => {
  const flags = "--expose-gc,--min-semi-space-size=64";
  const measure = async () =>
    JSON.parse(await printed("./garbage_child.ts", flags)) as Record<string, number>;
  let { plain, littering } = await measure();
  // V8's own work beside the program counts in, and a busy machine spreads it: code that makes garbage does so each time.
  for (let i = 1; i < 4 && Math.abs(plain!) >= 0.5; i++) ({ plain, littering } = await measure());
  assertGreater(littering!, 15);
  assertLess(Math.abs(plain!), 0.5);
});

/** Output of a script that is run with flags of V8. */
async function printed(script: string, flags: string): Promise<string> {
  const child = new URL(script, import.meta.url);
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "-A", `--v8-flags=${flags}`, child.href],
  }).output();
  const text = new TextDecoder();
  assertEquals(success, true, text.decode(stderr));
  return text.decode(stdout);
}
