// Names, messages and labels come from files. The scripts of the page must not make markup or styles of them.
import { assert, assertEquals } from "@std/assert";
import { sourceFiles } from "../../tools/architecture/source_files.ts";
import { ROOT } from "../../tools/check/entry_points.ts";

/** Ways to make markup, scripts or inline styles of text. */
const FORBIDDEN =
  /\b(innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|DOMParser|setHTMLUnsafe|srcdoc|eval)\b|\bdocument\.write|new Function\b|setAttribute\(\s*["'`](?:style|on\w+)|\bstyle:\s*["'`]|\bcssText\b/g;

function faultsIn(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/[^\n]*/g, " ");
  return [...code.matchAll(FORBIDDEN)].map(([found]) => found);
}

Deno.test("no script of the page makes markup, scripts or styles of text", async () => {
  const files = (await sourceFiles(ROOT))
    .filter((file) => /^src\/page\/(app|viewer|tab)\/.*\.ts$/.test(file));
  assert(files.length > 20, `only ${files.length} files`);
  for (const file of files) {
    assertEquals(faultsIn(await Deno.readTextFile(new URL(file, ROOT))), [], file);
  }
});

Deno.test("the rule finds each way, and nothing in harmless code", () => {
  for (
    const code of [
      "root.innerHTML = name",
      'root.insertAdjacentHTML("beforeend", name)',
      "document.write(name)",
      'root.setAttribute("style", name)',
      'root.setAttribute("onclick", name)',
      'h("p", { style: "color: red" })',
      "bar.style.cssText = name",
      "new Function(name)",
    ]
  ) assertEquals(faultsIn(code).length, 1, code);
  assertEquals(faultsIn('root.textContent = name; bar.style.width = "3px"; evaluate(1)'), []);
});

Deno.test("the HTML of the page has no script, style or address of its own that the policy forbids", async () => {
  const html = await Deno.readTextFile(new URL("src/page/app/page.html", ROOT));
  assertEquals(
    html.match(/<script(?![^>]*\bsrc=)|\sstyle=|\son\w+=|(src|href)="(https?:)?\/\//g),
    null,
  );
});
