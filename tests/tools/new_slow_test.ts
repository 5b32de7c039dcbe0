// What `deno task new` writes passes format, lint, types and its own tests, in a copy of the tree.
import { assertEquals } from "@std/assert";
import { ROOT } from "../../tools/check/entry_points.ts";
import { KINDS } from "../../tools/new/scaffold.ts";

/** Copies all files that Git knows, and the choice of @std of this machine. */
async function copyTree(target: string): Promise<void> {
  const tracked = await output("git", ["ls-files", "-z"], ROOT);
  const standIns = ["std_assert", "std_cli"].map((name) => `tools/airgap/${name}/deno.json`);
  for (const path of [...tracked.split("\0"), ...standIns, "tools/airgap/used.lock"]) {
    if (path === "") continue;
    const to = `${target}/${path}`;
    await Deno.mkdir(to.slice(0, to.lastIndexOf("/")), { recursive: true });
    await Deno.copyFile(new URL(path, ROOT), to).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error; // with JSR there are no stand-ins
    });
  }
}

/** Runs a command. Throws an Error with all that it has printed if it fails. */
async function output(
  command: string,
  args: readonly string[],
  cwd: string | URL,
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args: [...args], cwd })
    .output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (!success) throw new Error(`${command} ${args.join(" ")} failed:\n${out}\n${err}`);
  return out!;
}

Deno.test("each scaffold passes format, lint, types and its own tests", async () => {
  const copy = await Deno.makeTempDir();
  const deno = (...args: string[]) => output(Deno.execPath(), args, copy);
  try {
    await copyTree(copy);
    const written = new Set<string>();
    for (const kind of KINDS) {
      const printed = await deno("run", "-A", "tools/new/main.ts", kind, `made_${kind}`);
      for (const [, path] of printed.matchAll(/^ {2}(\w[\w/]*\.ts)$/gm)) written.add(path!);
    }
    const files = [...written], tests = files.filter((path) => path.startsWith("tests/"));
    assertEquals(tests.length, KINDS.length);
    await deno("fmt", "--check", ...files);
    await deno("lint", ...files);
    await deno("check", "mod.ts", ...files);
    // The kernel is not compiled, so that its test fails on wasm.
    const shown = await deno(
      "test",
      "-A",
      "--no-check",
      "--filter",
      "/^(?!.*\\(wasm\\))/",
      ...tests,
    );
    assertEquals(shown.includes("0 failed"), true, shown);
  } finally {
    await Deno.remove(copy, { recursive: true });
  }
});
