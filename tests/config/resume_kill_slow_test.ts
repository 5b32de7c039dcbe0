import { assert } from "@std/assert";
import { killRunFolder } from "./killed_folder.ts";

const KILLS = 25;

Deno.test(`killed up to ${KILLS} times a run ends with the same bits, and no frame of it is lost or there twice`, async () => {
  const kills = await killRunFolder(KILLS);
  assert(kills > 5, `it was killed ${kills} times`);
});
