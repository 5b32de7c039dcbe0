// The page in a clone that has never built it, with the permissions of the task `hooke`.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ROOT } from "../../tools/check/entry_points.ts";

/** Copies the files of a folder, without those that the page is packed into. */
async function copy(from: URL, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory, isFile } of Deno.readDir(from)) {
    if (isDirectory && name !== "assets") await copy(new URL(`${name}/`, from), `${to}/${name}`);
    else if (isFile) await Deno.copyFile(new URL(name, from), `${to}/${name}`);
  }
}

/** Serves a folder until the page has answered or the command has ended, and returns its output. */
async function serve(
  clone: string,
  cwd: string,
  flags: readonly string[],
  more: readonly string[] = [],
) {
  const main = `${clone}/src/cli/main.ts`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--no-prompt", ...flags, main, "serve", ".", ...more],
    cwd,
    env: { NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const err = new Response(child.stderr).text();
  let out = "", status: number | undefined;
  for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
    const [url] = /http:\S+\n/.exec(out += part) ?? [];
    if (url === undefined || status !== undefined) continue;
    const answer = await fetch(url.trim());
    status = answer.status;
    assertStringIncludes(await answer.text(), "<html");
    child.kill("SIGINT");
  }
  return { code: (await child.status).code, err: await err, status };
}

Deno.test("hooke serve builds the page of a new clone once, and again after a source has changed", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir()), clone = `${base}/clone`;
  try {
    for (const folder of ["src", "tools", "wasm/pkg"]) {
      await copy(new URL(`${folder}/`, ROOT), `${clone}/${folder}`);
    }
    for (const file of ["deno.json", "mod.ts"]) {
      await Deno.copyFile(new URL(file, ROOT), `${clone}/${file}`);
    }
    const { tasks } = JSON.parse(await Deno.readTextFile(`${clone}/deno.json`));
    const [, flags] = /^deno run (.*) src\/cli\/main\.ts$/.exec(tasks.hooke.command)!;
    const elsewhere = await serve(clone, base, [
      "--allow-read",
      "--allow-write=elsewhere",
      "--allow-net=127.0.0.1",
    ]);
    assertEquals([elsewhere.code, elsewhere.status], [1, undefined], elsewhere.err);
    assertMatch(
      elsewhere.err,
      /^Cannot open the page: it is not built\. Run in \S+clone\/: (deno|npx -y \S+) task page$/m,
    );
    const built = [];
    for (const isTouched of [false, false, true]) {
      if (isTouched) await Deno.utime(`${clone}/src/page/app/app.css`, Date.now(), Date.now());
      const { err, status } = await serve(clone, clone, flags!.split(" "));
      assertEquals(status, 200, err);
      built.push(err.includes("Building the page"));
    }
    assertEquals(built, [true, false, true]);
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 }), { port } = listener.addr;
    listener.close();
    const here = ["--allow-read", "--allow-write=.", `--allow-net=127.0.0.1:${port}`];
    const chosen = await serve(clone, clone, here, ["--port", `${port}`]);
    assertEquals(chosen.status, 200, "a permission for the port is enough");
    const names = await Array.fromAsync(Deno.readDir(`${clone}/src/page/assets`));
    assert(names.length > 0 && names.every(({ name }) => name.endsWith(".gen.ts")));
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});
