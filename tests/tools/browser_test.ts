import { assertEquals, assertStringIncludes } from "@std/assert";
import { checkForBrowser } from "../../tools/check/browser.ts";

/** Checks a module of this text as a page would see it. */
async function check(text: string): Promise<{ success: boolean; output: string }> {
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(file, text);
    return await checkForBrowser([file]);
  } finally {
    await Deno.remove(file);
  }
}

Deno.test("a module that uses Deno fails the check for browsers", async () => {
  const { success, output } = await check("export const pid: number = Deno.pid;");
  assertEquals(success, false);
  assertStringIncludes(output, "Cannot find name 'Deno'");
});

Deno.test("a module that uses the page passes the check for browsers", async () => {
  const text = "export const boxes: Element[] = [...document.querySelectorAll('p')];";
  const { success, output } = await check(text);
  assertEquals(success, true, output);
});

Deno.test("the check for browsers is as strict as the one for Deno", async () => {
  const { success, output } = await check("export const first: string = ['a'][0];");
  assertEquals(success, false);
  assertStringIncludes(output, "undefined");
});
