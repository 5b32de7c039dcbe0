/** Every file in examples/ is run as a user would, and its output checked. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";

const FOLDER = new URL("../../examples/", import.meta.url);

/** Runs an example; answers with what it printed. */
async function run(name: string, ...args: string[]): Promise<string> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", new URL(`${name}.ts`, FOLDER).pathname, ...args],
    env: { NO_COLOR: "1" },
  });
  const { code, stdout, stderr } = await command.output();
  const text = new TextDecoder();
  assertEquals(code, 0, text.decode(stderr));
  return text.decode(stdout);
}

Deno.test("examples/is_hook.ts does what it says", async () => {
  assertEquals(
    await run("is_hook"),
    [
      "isHook(new MyHook()): true",
      "isHook({ stage }): false",
      "Step 0: energy = -1.6500",
      "Step 1: energy = -1.8150",
      "Step 2: energy = -1.9965\n",
    ].join("\n"),
  );
});

Deno.test("examples/step_timer.ts does what it says", async () => {
  const output = await run("step_timer");
  assertEquals(output.match(/^Step [012]: \d+\.\d ms$/gm)?.length, 3);
  const fastest = Number(/fastest (\d+\.\d) ms/.exec(output)?.[1]);
  assert(fastest >= 4, output);
});

Deno.test("examples/universal_logger.ts does what it says", async () => {
  assertEquals(
    await run("universal_logger"),
    [
      "[dynamics] step 0: fmax=0.9000",
      "[dynamics] step 10: fmax=0.3138",
      "[pipeline] step 0: processed 1",
      "[pipeline] step 10: processed 11",
      "[custom] step 0: stage=garden/AFTER_RAIN",
      "[custom] step 10: stage=garden/AFTER_RAIN",
      "in the garden it runs by otherwise\n",
    ].join("\n"),
  );
});

Deno.test("examples/file_writer.ts does what it says", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/out.csv`;
    assertMatch(
      await run("file_writer", path),
      /^closed .*: completed\nclosed .*: completed\n$/,
    );
    // Steps 0, 10 and 20 of the first run; the second, at 25 to 29, has none that is due.
    assertEquals(await Deno.readTextFile(path), "0,-2.125\n10,-3.375\n20,-4.625\n");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("every example is run by a test", async () => {
  const tests = await Deno.readTextFile(new URL(import.meta.url));
  for await (const { name } of Deno.readDir(FOLDER)) {
    assertStringIncludes(tests, `Deno.test("examples/${name} does what it says"`);
  }
});
