// Many files that are spoiled: read as far as they are whole, or refused with where they are not.
import { FILES } from "./formats.ts";
import { trySpoiled } from "./spoiled.ts";

for (const ending of FILES) {
  Deno.test(`.${ending}: any damage is reported with its place, or the file is read completely`, () =>
    trySpoiled(ending, 1000, 4000));
}
