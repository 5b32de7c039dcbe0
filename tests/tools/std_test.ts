import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  forcedSource,
  probe,
  STAND_INS,
  use,
  useLock,
  useRunLock,
} from "../../tools/airgap/std.ts";

/** A registry on this machine that answers everything with `body`. */
async function withRegistry(body: string, status: number, fn: (url: string) => Promise<void>) {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response(body, { status }),
  );
  try {
    await fn(`http://127.0.0.1:${server.addr.port}`);
  } finally {
    await server.shutdown();
  }
}

Deno.test("probe() says jsr only when the registry answers with the manifest", async () => {
  await withRegistry('{"versions":{}}', 200, async (url) => {
    assertEquals(await probe(url), "jsr");
    assertEquals(await probe(`${url}/`), "jsr");
  });
  await withRegistry(
    '{"versions":{}}',
    503,
    async (url) => assertEquals(await probe(url), "local"),
  );
  await withRegistry(
    "<html>Please log in</html>",
    200,
    async (url) => assertEquals(await probe(url), "local"),
  );
});

Deno.test("probe() says local when nothing listens", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr;
  listener.close();
  assertEquals(await probe(`http://127.0.0.1:${port}`), "local");
});

Deno.test("forcedSource() reads STD and refuses anything else", () => {
  assertEquals(forcedSource(undefined), undefined);
  assertEquals(forcedSource(""), undefined);
  assertEquals(forcedSource("jsr"), "jsr");
  assertEquals(forcedSource("local"), "local");
  assertThrows(() => forcedSource("npm"), RangeError, 'got "npm"');
});

Deno.test("use() writes what the workspace needs, and takes it away again", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const root = new URL(`file://${folder}/`);
    for (const { folder } of STAND_INS) await Deno.mkdir(new URL(folder, root));
    const file = new URL("std_assert/deno.json", root);
    await use("local", root);
    await use("local", root);
    assertEquals(JSON.parse(await Deno.readTextFile(file)), {
      name: "@std/assert",
      version: "1.999.0",
      exports: { ".": "./mod.ts" },
      publish: false,
    });
    await use("jsr", root);
    await use("jsr", root);
    await assertRejects(() => Deno.stat(file), Deno.errors.NotFound);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("every entry point of a stand-in exists, and no stand-in has a committed deno.json", async () => {
  for (const { folder, exports } of STAND_INS) {
    for (const path of Object.values(exports)) {
      await Deno.stat(new URL(`../../tools/airgap/${folder}/${path}`, import.meta.url));
    }
  }
  const ignored = await Deno.readTextFile(new URL("../../.gitignore", import.meta.url));
  assertEquals(ignored.includes("/tools/airgap/*/deno.json"), true);
});

Deno.test("useLock() puts the committed lock file into use, and keeps what JSR has added to it", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const root = new URL(`file://${folder}/`), used = new URL("used.lock", root);
    const write = (name: string, lock: object) =>
      Deno.writeTextFile(new URL(name, root), JSON.stringify(lock));
    const read = async () => JSON.parse(await Deno.readTextFile(used));
    const npm = { "mitt@3.0.1": { integrity: "sha512-a" } };
    await write("npm.lock", { npm });
    await useLock("jsr", root);
    assertEquals(await read(), { npm });
    await write("used.lock", { jsr: { "@std/assert@1.0.0": {} }, npm });
    await useLock("jsr", root);
    assertEquals(Object.keys(await read()), ["jsr", "npm"]);
    await useLock("local", root);
    assertEquals(await read(), { npm });
    // Another hash than the committed one does not stay.
    await write("used.lock", { npm: { "mitt@3.0.1": { integrity: "sha512-b" } } });
    await useLock("jsr", root);
    assertEquals(await read(), { npm });
    await Deno.writeTextFile(used, '{"npm":');
    await useLock("jsr", root);
    assertEquals(await read(), { npm });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("useRunLock() leaves out packages of tests, and keeps what the others need", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const root = new URL(`file://${folder}/`);
    const write = (name: string, content: object) =>
      Deno.writeTextFile(new URL(name, root), JSON.stringify(content));
    await write("deno.json", {
      imports: { "@std/cli": "jsr:@std/cli@^1", "a": "npm:a@1.0.0" },
      scopes: { "./tests/": { "c": "npm:c@3.0.0" } },
    });
    await write("npm.lock", {
      version: "5",
      specifiers: { "npm:a@1.0.0": "1.0.0", "npm:c@3.0.0": "3.0.0" },
      npm: { "a@1.0.0": { dependencies: ["@x/b"] }, "@x/b@2.0.0": {}, "c@3.0.0": {} },
    });
    await useRunLock("local", root, new URL("deno.json", root));
    const lock = JSON.parse(await Deno.readTextFile(new URL("run.lock", root)));
    assertEquals(Object.keys(lock.npm), ["a@1.0.0", "@x/b@2.0.0"]);
    assertEquals([lock.version, lock.specifiers], ["5", { "npm:a@1.0.0": "1.0.0" }]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
