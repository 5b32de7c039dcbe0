/** The tables of docs/gradients.md, compared with the code, and its programs, checked in a folder of one's own. */
import { assert, assertEquals } from "@std/assert";
import { RULED_OPERATORS } from "../../src/onnx/grad/rules.ts";
import { PASSES, WEBGPU_PASSES } from "../../src/onnx/mod.ts";
import { ROOT } from "../../tools/check/entry_points.ts";
import { tablesOf } from "./tables.ts";

const PAGE = await Deno.readTextFile(new URL("docs/gradients.md", ROOT));
const README = await Deno.readTextFile(new URL("README.md", ROOT));

Deno.test("the page of gradients names every operator that has a rule, and no other", () => {
  const rows = tablesOf(PAGE)("family");
  const ruled = new Set(RULED_OPERATORS.map((op) => op.split(".").at(-1)!));
  const words = new Set(rows.flatMap(([, names]) => names!.match(/\w+/g) ?? []));
  assertEquals([...ruled].filter((name) => !words.has(name)), []);
  // What stops a way is no rule's matter, and is described in words.
  const told = rows.filter(([family]) => family !== "what stops it")
    .flatMap(([, names]) =>
      names!.replaceAll(/\(.*?\)/g, "").split(",").map((name) => name.trim())
    );
  assertEquals(told.filter((name) => !ruled.has(name)), []);
});

Deno.test("the page of gradients names the domain of each operator that is not ONNX's alone", () => {
  const others = RULED_OPERATORS.filter((op) => op.includes("."));
  assert(others.length > 0);
  assertEquals(others.filter((op) => !PAGE.includes(`\`${op}\``)), []);
});

Deno.test("the page of gradients has every pass, in order, those for WebGPU last", () => {
  const named = tablesOf(PAGE)("pass").map(([name]) => name);
  assertEquals(named, [...PASSES, ...WEBGPU_PASSES].map(({ name }) => name));
  assertEquals(WEBGPU_PASSES.length, 4);
});

/** The first block of JSON on a page. */
function jsonOf(page: string) {
  return JSON.parse(/^```json\n([\s\S]*?)^```$/m.exec(page)![1]!);
}

Deno.test("the examples of the page run in a folder of one's own, with the lines that it names", async () => {
  const path = await Deno.realPath(await Deno.makeTempDir());
  try {
    const { imports } = jsonOf(README);
    const config = { imports: { ...imports, ...jsonOf(PAGE) } };
    await Deno.writeTextFile(`${path}/deno.json`, JSON.stringify(config));
    await Deno.symlink(new URL(".", ROOT), `${path}/hooke`, { type: "dir" });
    const programs = [...PAGE.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text]) => text!);
    assert(programs.length >= 6);
    // One module that imports all of them is loaded, checked and run once.
    for (const [i, text] of programs.entries()) {
      await Deno.writeTextFile(`${path}/example_${i}.ts`, `${text}\nexport {};\n`);
    }
    const all = programs.map((_, i) => `import "./example_${i}.ts";\n`).join("");
    await Deno.writeTextFile(`${path}/all.ts`, all);
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--check", "-A", "all.ts"],
      cwd: path,
      env: { NO_COLOR: "1", XDG_RUNTIME_DIR: path },
    }).output();
    assert(success, new TextDecoder().decode(stderr));
  } finally {
    await Deno.remove(path, { recursive: true });
  }
});
