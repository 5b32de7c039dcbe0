// `deno task new`: each template fits the tree as it is. new_slow_test.ts runs what it writes.
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ROOT } from "../../tools/check/entry_points.ts";
import { write } from "../../tools/new/main.ts";
import { kindOf, KINDS, scaffold, withAddition } from "../../tools/new/scaffold.ts";

for (const kind of KINDS) {
  Deno.test(`the template of a ${kind} adds lines where the tree has a place for them`, async () => {
    const { files, additions, left } = await scaffold(kind, "radial_kick");
    assert(files.size >= 2 && left.length >= 4);
    assert(
      [...files.keys()].some((path) => path.startsWith("tests/") && path.endsWith("_test.ts")),
    );
    for (const [path, text] of files) assert(!/\{\{/.test(path + text), path);
    for (const addition of additions) {
      const text = await Deno.readTextFile(new URL(addition.path, ROOT));
      assert(withAddition(text, addition).includes(addition.text), addition.path);
    }
  });
}

for (const kind of KINDS) {
  Deno.test(`the template of a ${kind} names tests that exist, and not all tests of the docs`, async () => {
    const { left } = await scaffold(kind, "radial_kick");
    const paths = left.at(-1)!.split("deno task test ")[1]!.split(" ");
    assert(!paths.includes("tests/docs"), "tests/docs takes minutes");
    for (const path of paths) await Deno.stat(new URL(path, ROOT));
  });
}

Deno.test("names have each spelling in its place", async () => {
  const { files } = await scaffold("hook", "radial_kick2");
  const text = files.get("src/observe/atoms/radial_kick2_hook.ts")!;
  assert(text.includes("export class RadialKick2Hook {"));
});

Deno.test("kinds and names that do not fit are refused", async () => {
  assertThrows(() => kindOf("kernle"), RangeError, "got kernle");
  for (const name of [undefined, "", "RadialKick", "a-b", "../x", "_x"]) {
    await assertRejects(() => scaffold("hook", name), RangeError, "snake_case");
  }
});

Deno.test("a line to add after must be there once", () => {
  const addition = { path: "x.ts", after: "a", text: "b\n" };
  assertEquals(withAddition("a\nc\n", addition), "a\nb\nc\n");
  for (const text of ["c\n", "a\na\n"]) {
    assertThrows(() => withAddition(text, addition), Error, "x.ts must have this line once");
  }
});

Deno.test("nothing is written if a file exists", async () => {
  const folder = await Deno.makeTempDir();
  const root = new URL(`file://${folder}/`);
  await Deno.writeTextFile(new URL("b.ts", root), "kept");
  const files = new Map([["a.ts", "new"], ["b.ts", "new"]]);
  await assertRejects(
    () => write({ files, additions: [], left: [] }, root),
    Error,
    "b.ts: the file exists",
  );
  assertEquals([...Deno.readDirSync(root)].map(({ name }) => name), ["b.ts"]);
  assertEquals(await Deno.readTextFile(new URL("b.ts", root)), "kept");
  await Deno.remove(folder, { recursive: true });
});
