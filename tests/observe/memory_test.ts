import { assert } from "@std/assert";

Deno.test("recording a stage allocates nothing, with a trace or without", async () => {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--v8-flags=--min-semi-space-size=64,--max-semi-space-size=64",
      new URL("./memory_child.ts", import.meta.url).href,
    ],
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  const { plain, traced } = JSON.parse(new TextDecoder().decode(stdout));
  // The smallest object is 12 bytes, a fraction that is boxed no less.
  assert(Math.abs(plain) < 4, `${plain} bytes per stage`);
  assert(Math.abs(traced) < 4, `${traced} bytes per stage with a trace`);
});
