import { assertEquals } from "@std/assert";
import { versions } from "../../src/config/runs/mod.ts";

Deno.test("versions() returns this package's version as published and cited, and those of Deno, V8, TypeScript and the platform", async () => {
  const { version } = JSON.parse(
    await Deno.readTextFile(new URL("../../deno.json", import.meta.url)),
  );
  assertEquals(versions(), { hooke: version, ...Deno.version, platform: Deno.build.target });
  const citation = await Deno.readTextFile(new URL("../../CITATION.cff", import.meta.url));
  assertEquals(/^version: (.+)$/m.exec(citation)?.[1], version);
});

Deno.test("versions() returns the user agent without Deno, as in a browser", async () => {
  const module = new URL("../../src/config/versions.ts", import.meta.url);
  const script =
    `const { userAgent, platform } = navigator; delete globalThis.process; delete globalThis.Deno;
    const { versions } = await import(${JSON.stringify(module)});
    const { hooke: _, ...others } = versions();
    console.log(JSON.stringify([others, { userAgent, platform }]));`;
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["eval", script] }).output();
  const [reported, expected] = JSON.parse(new TextDecoder().decode(stdout));
  assertEquals(reported, expected);
});
