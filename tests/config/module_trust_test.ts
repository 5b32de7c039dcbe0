/**
 * A configuration is data: a module that it names is imported only from its own folder, or if the caller allows it.
 */
import { assertEquals, assertRejects } from "@std/assert";
import { createHooks, type CreateHooksOptions } from "@hooke/hooke/config";

const globals = globalThis as unknown as { hasRun?: boolean };
const CODE = "globalThis.hasRun = true; export default { onEpochEnd() {} };";
const base = import.meta.url;

const hooksOf = (module: string, options: CreateHooksOptions = {}) =>
  createHooks({ hooks: { other: [{ module }] } }, { base, ...options });

Deno.test("addresses and files outside the configuration's folder are refused, and do not run", async () => {
  const outside = new URL("../hooks/kit.ts", base);
  for (
    const module of [
      `data:text/javascript,${encodeURIComponent(CODE)}`,
      `blob:${crypto.randomUUID()}/#x`,
      "https://127.0.0.1:1/hooks.ts#Hook",
      "http://127.0.0.1:1/hooks.ts",
      "npm:left-pad",
      "jsr:@std/assert",
      "node:fs",
      "@hooke/hooke/hooks#Loop",
      "../hooks/kit.ts#work",
      outside.href,
      outside.pathname,
      "./../hooks/kit.ts",
      "./..%2fhooks%2fkit.ts",
      "/etc/hosts",
    ]
  ) {
    delete globals.hasRun;
    await assertRejects(
      () => hooksOf(module),
      TypeError,
      "hooks.other[0] must be a file in the folder of the configuration",
    );
    assertEquals(globals.hasRun, undefined, module);
  }
  await assertRejects(
    () => createHooks({ hookClasses: ["data:text/javascript,1#x"] }, { base }),
    TypeError,
    "must be a file in the folder",
  );
});

Deno.test("a link in the configuration's folder that leads outside is refused", async () => {
  const folder = await Deno.makeTempDir(), elsewhere = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${elsewhere}/far.mjs`, CODE);
    await Deno.writeTextFile(`${folder}/near.mjs`, CODE);
    await Deno.symlink(`${elsewhere}/far.mjs`, `${folder}/far.mjs`);
    await Deno.symlink(`${folder}/near.mjs`, `${folder}/link.mjs`);
    const inFolder = { base: `${folder}/` };
    delete globals.hasRun;
    await assertRejects(() => hooksOf("./far.mjs", inFolder), TypeError, "in the folder");
    assertEquals(globals.hasRun, undefined);
    for (const module of ["./near.mjs", "./link.mjs", `${folder}/near.mjs`]) {
      assertEquals((await hooksOf(module, inFolder)).length, 1);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
    await Deno.remove(elsewhere, { recursive: true });
  }
});

Deno.test("the caller may allow any module, or no modules", async () => {
  delete globals.hasRun;
  const module = `data:text/javascript,${encodeURIComponent(CODE)}`;
  assertEquals((await hooksOf(module, { modules: "any" })).length, 1);
  assertEquals(globals.hasRun, true);
  await assertRejects(
    () => hooksOf("./own_hooks.ts#quiet", { modules: "none" }),
    TypeError,
    "must be the name of a registered hook",
  );
  await assertRejects(
    () => createHooks({}, { modules: "all" as never }),
    RangeError,
    'modules must be "folder", "any" or "none"',
  );
});
