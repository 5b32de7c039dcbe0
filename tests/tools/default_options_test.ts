import { assertEquals, assertStringIncludes } from "@std/assert";
import { checkWithDefaults } from "../../tools/check/default_options.ts";

/** Right with `exactOptionalPropertyTypes`, and only then. */
const EXACT = `
const one: boolean = Math.random() < 0.5;
const attributes = one ? {} : { axis: 1 };
export const taken: Readonly<Record<string, number>> = attributes;`;

Deno.test("what is right only with the package's own compiler options fails the check without them", async () => {
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(file, EXACT);
    const { success, output } = await checkWithDefaults([file]);
    assertEquals(success, false);
    assertStringIncludes(output, "TS2322");
  } finally {
    await Deno.remove(file);
  }
});
