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
  // An object would be 12 bytes at the very least. A run itself takes some, shared by all its stages.
  assert(Math.abs(plain) < 4, `${plain} bytes per stage`);
  assert(Math.abs(traced) < 4, `${traced} bytes per stage with a trace`);
});
