import { assert } from "@std/assert";
import { killRunFolder } from "./killed_folder.ts";

const KILLS = 25;

Deno.test(`a run that is killed up to ${KILLS} times ends with the same bits, and no frame is lost or duplicated`, async () => {
  const kills = await killRunFolder(KILLS);
  assert(kills > 5, `it was killed ${kills} times`);
});
