import { assertEquals } from "@std/assert";
import { apiChanges, publicApi, readSnapshot } from "../tools/architecture/public_api.ts";

Deno.test("each entry point exports the committed names (deno task api:update rewrites them)", async () => {
  assertEquals(apiChanges(await readSnapshot(), await publicApi()), []);
});
