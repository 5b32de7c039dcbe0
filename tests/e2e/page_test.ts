// A page can be made of the library: nothing of a server's is in the way.
import { assert, assertEquals } from "@std/assert";
import { checkForBrowser } from "../../tools/check/browser.ts";
import { bundle } from "./served_page.ts";
import { slowTest, test } from "../suite.ts";

slowTest("the demo's core passes the check for browsers", async () => {
  const { success, output } = await checkForBrowser([new URL("page.ts", import.meta.url).href]);
  assert(success, output);
});

/** The modules that a script imports as it begins, and those that it imports by a call. */
function importsOf(script: string): { first: string[]; later: string[] } {
  const found = (pattern: RegExp) => [...script.matchAll(pattern)].map(([, name]) => name!);
  return {
    first: found(/^(?:import|export|\}) *(?:[^"'\n;]*from *)?["']([^"'\n]+)["'];?$/gm),
    later: found(/\bimport\(["']([^"']+)["']\)/g),
  };
}

test("a bundle for browsers imports its own files alone, and onnxruntime-web is one of them", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await bundle(folder);
    const names = Array.from(Deno.readDirSync(folder), ({ name }) => name);
    for (const name of names.filter((each) => !each.startsWith("ort."))) {
      const { first, later } = importsOf(await Deno.readTextFile(`${folder}/${name}`));
      const foreign = [...first, ...later].filter((each) =>
        !names.includes(each.slice("./".length))
      );
      assertEquals(foreign, [], name);
      assert(!(await Deno.readTextFile(`${folder}/${name}`)).includes("hooke_bg.wasm"), name);
    }
    const { first } = importsOf(await Deno.readTextFile(`${folder}/page.js`));
    assert(first.length > 0, "what is shared with the worker is a file of its own");
    for (const build of ["ort.wasm.", "ort.webgpu."]) {
      assert(names.some((name) => name.startsWith(build)), `${build} is loaded alone`);
      assert(!first.some((name) => name.includes(build)), `${build} is loaded late`);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
