import { assert } from "@std/assert";

/** Result of a separate process, in bytes per recorded stage. */
async function measured(): Promise<{ readonly plain: number; readonly traced: number }> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--v8-flags=--min-semi-space-size=64,--max-semi-space-size=64",
      new URL("./memory_child.ts", import.meta.url).href,
    ],
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

Deno.test("recording a stage allocates nothing, with a trace or without", async () => {
  // The smallest object is 12 bytes, and a boxed fraction is no smaller. V8 compiles in the background, which may be
  // too late on a busy machine, so there are three attempts; code that allocates fails in each.
  let last = await measured();
  for (let i = 1; i < 3 && Math.max(Math.abs(last.plain), Math.abs(last.traced)) >= 4; i++) {
    last = await measured();
  }
  assert(Math.abs(last.plain) < 4, `${last.plain} bytes per stage`);
  assert(Math.abs(last.traced) < 4, `${last.traced} bytes per stage with a trace`);
});
