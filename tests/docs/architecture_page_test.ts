// ARCHITECTURE.md names files and functions: they must exist.
import { assert, assertEquals } from "@std/assert";
import { DynamicsStage } from "../../src/dynamics/stages.ts";
import { ROOT } from "../../tools/check/entry_points.ts";

const page = await Deno.readTextFile(new URL("ARCHITECTURE.md", ROOT));
const texts = new Map<string, string>();
for (const [path] of page.matchAll(/\b(?:src|tools|tests|wasm|bench)\/[\w./]+\.(?:ts|rs)\b/g)) {
  const text = await Deno.readTextFile(new URL(path, ROOT)).catch(() => undefined);
  assert(text !== undefined, `ARCHITECTURE.md names ${path}, which does not exist`);
  texts.set(path, text);
}

async function sourcesIn(folder: URL): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  const texts = await Promise.all(entries.map(async ({ name, isDirectory }) => {
    if (isDirectory) return await sourcesIn(new URL(`${name}/`, folder));
    return name.endsWith(".ts") ? [await Deno.readTextFile(new URL(name, folder))] : [];
  }));
  return texts.flat();
}

Deno.test("every function that ARCHITECTURE.md lists for a file is in that file", () => {
  const rows = page.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  let count = 0;
  for (const [, file = "", functions = ""] of rows) {
    const text = texts.get(file.replaceAll("`", ""));
    if (text === undefined) continue;
    for (const [, name] of functions.matchAll(/`([^`]+)`/g)) {
      count++;
      const found = new RegExp(`(?<![\\w#])${name!.split(".").at(-1)!}\\b`).test(text);
      assert(found, `ARCHITECTURE.md lists ${name} in ${file}, which has none`);
    }
  }
  assert(count > 0, "ARCHITECTURE.md lists no function");
});

Deno.test("every member of a class that ARCHITECTURE.md names is declared in the file of that class", async () => {
  const sources = await sourcesIn(new URL("src/", ROOT));
  const names = [...page.matchAll(/`([A-Z]\w+)\.(\w+)`/g)];
  assert(names.length >= 10);
  for (const [, type, member] of names) {
    const text = sources.find((one) => new RegExp(`(class|interface) ${type}\\b`).test(one));
    assert(text !== undefined, `${type} is not declared`);
    const isMember = new RegExp(`^ {2}(async |get |readonly )*${member}\\b`, "m").test(text);
    assert(isMember, `${type}.${member}`);
  }
});

Deno.test("ARCHITECTURE.md lists the stages of a step in their order", () => {
  const rows = [...page.matchAll(/^ {3}\| `([A-Z_]+)` /gm)].map(([, name]) => name);
  const stages = (Object.keys(DynamicsStage) as string[]).filter((name) => /^[A-Z_]+$/.test(name));
  assertEquals(rows, stages.filter((name) => !name.startsWith("ON_")));
});
