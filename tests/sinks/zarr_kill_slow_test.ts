import { assert, assertEquals } from "@std/assert";
import { FileSystemStore } from "@zarrita/storage";
import * as zarr from "zarrita";
import { openSink, ZarrSink } from "../../src/sinks/mod.ts";
import { frameAt } from "./zarr_endless.ts";

const KILLS = 24;

Deno.test(`a process killed ${KILLS} times while it writes a store keeps all flushed systems`, async () => {
  const folder = await Deno.makeTempDir();
  try {
    let torn = 0;
    for (const turn of [0, 1]) {
      const path = `${folder}/${turn}.zarr`;
      let before = 0;
      for (let kill = 0; kill < KILLS / 2; kill++) {
        const flushed = await killInMidRun(path, turn, {
          after: /[1-9]/,
          wait: (kill * 0.618 % 1) * 200,
        });
        const length = await check(path, Math.max(before, flushed));
        await checkAlone(path, length);
        if (length > flushed || await rowsIn(path, "meta/atoms_ptr") > length + 1) torn++;
        await (await openSink(path)).close();
        assertEquals(await rowsIn(path, "custom/step"), length); // incomplete data is removed
        before = length;
      }
      assert(before >= KILLS, `only ${before} frames were written`);
    }
    assert(torn > 0, `none of ${KILLS} kills fell into a commit`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a process killed while it creates a store leaves a store that can be opened", async () => {
  const folder = await Deno.makeTempDir();
  try {
    let early = 0;
    for (let kill = 0; kill < 20; kill++) {
      const path = `${folder}/${kill}.zarr`;
      const flushed = await killInMidRun(path, kill, { after: /0/, wait: kill / 2 });
      await using sink = new ZarrSink(path);
      await sink.open();
      assert(sink.length >= flushed, `${sink.length} of ${flushed} flushed systems are there`);
      if (sink.length === 0) early++;
      await sink.write(frameAt(sink.length));
      assertEquals(await check(path, 0, sink), sink.length);
    }
    assert(early > 0, "no kill came before the first frame");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/**
 * Lets a process write for a while after its first output, then kills it. Returns the number of systems that
 * it reported as flushed.
 */
async function killInMidRun(
  path: string,
  turn: number,
  { after, wait }: { readonly after: RegExp; readonly wait: number },
): Promise<number> {
  const script = new URL("zarr_endless.ts", import.meta.url);
  const run = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", script.href, path, String(turn)],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let told = "";
  const telling = (async () => {
    for await (const text of run.stdout.pipeThrough(new TextDecoderStream())) told += text;
  })();
  let isOver = false;
  run.status.then(() => isOver = true);
  while (!isOver && !after.test(told)) await pause(1);
  await pause(wait);
  assert(!isOver, "the process ended by itself");
  run.kill("SIGKILL");
  assertEquals((await run.status).signal, "SIGKILL");
  await telling;
  return Number(told.trimEnd().split("\n").at(-1)); // lines are complete
}

/** Checks that every frame occurs once, in order, and unchanged. Returns their number. */
async function check(path: string, least: number, sink = new ZarrSink(path)): Promise<number> {
  const all = await sink.read();
  assert(all.size >= least, `${all.size} of ${least} flushed systems are there`);
  for (const [step, system] of all.systems().entries()) {
    const [expected] = frameAt(step).systems();
    for (const name of ["numbers", "positions", "forces", "energy", "edges", "step"]) {
      assertEquals(system.get(name), expected!.get(name), `${name} of ${step}`);
    }
    assertEquals(system.info, { step });
  }
  return all.size;
}

/** The same check with another reader, which knows nothing of incomplete data. */
async function checkAlone(path: string, length: number): Promise<void> {
  const root = zarr.root(new FileSystemStore(path));
  const open = (name: string) => zarr.open(root.resolve(name), { kind: "array" });
  const step = await zarr.get(await open("custom/step"), [zarr.slice(0, length)]);
  assertEquals(Array.from(step.data as Int32Array), Array.from({ length }, (_, i) => i));
  const pointers = await zarr.get(await open("meta/atoms_ptr"), [zarr.slice(0, length + 1)]);
  const atoms = Array.from(pointers.data as BigInt64Array, Number);
  const last = zarr.slice(atoms[length - 1]!, atoms[length]!);
  const positions = await zarr.get(await open("core/positions"), [last, null]);
  assertEquals(Array.from(positions.data as Float64Array), [
    ...frameAt(length - 1).get("positions"),
  ]);
}

async function rowsIn(path: string, name: string): Promise<number> {
  return JSON.parse(await Deno.readTextFile(`${path}/${name}/zarr.json`)).shape[0];
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}
