// Many damaged files: each is read up to the damage, or refused with an error that names its place.
import { FILES } from "./formats.ts";
import { trySpoiled } from "./spoiled.ts";

for (const ending of FILES) {
  Deno.test(`.${ending}: any damage is reported with its place, or the file is read completely`, () =>
    trySpoiled(ending, 1000, 4000));
}
