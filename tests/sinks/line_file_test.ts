// Files of lines and tables without their last newline.
import { assertEquals, assertRejects } from "@std/assert";
import { CsvFile, LineFile, openSink } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";

const WHOLE = '{"step":0}\n';

for (
  const [rest, kept] of [
    ['{"step":1}', '{"step":1}\n'],
    ["[1,2]", "[1,2]\n"],
    ['{"step":1', ""],
    ["12", ""], // may be a part of 123
    ["half a li", ""],
    ["", ""],
  ] as const
) {
  Deno.test(`a file of lines that ends with ${JSON.stringify(rest)} keeps ${kept === "" ? "its complete lines" : "all of its text"}`, () =>
    withFolder(async (folder) => {
      const path = `${folder}/lines`, warnings: string[] = [];
      await Deno.writeTextFile(path, WHOLE + rest);
      const file = new LineFile(path, { onWarning: (message) => void warnings.push(message) });
      await file.open();
      file.add("next");
      await file.close();
      assertEquals(await Deno.readTextFile(path), `${WHOLE}${kept}next\n`);
      assertEquals(
        warnings,
        rest === "" || kept !== "" ? [] : [
          `${path} ended with an incomplete line (${rest.length} bytes), as a killed process leaves it. ` +
          "The line was removed; all lines before it are complete",
        ],
      );
    }));
}

Deno.test("a table warns about a part of a row that it removes", () =>
  withFolder(async (folder) => {
    const path = `${folder}/x.csv`, warnings: string[] = [];
    await Deno.writeTextFile(path, "a\n1\n2");
    const onWarning = (message: string) => void warnings.push(message);
    const file = new CsvFile(path, ["a"], { onWarning });
    await file.open();
    await file.close();
    assertEquals(await Deno.readTextFile(path), "a\n1\n");
    assertEquals(warnings.length, 1);
  }));

for (const ending of ["xyz", "jsonl", "csv", "db", "zarr"]) {
  Deno.test(`a .${ending} that is a link in a loop, or has too long a name, gives an error with that cause`, () =>
    withFolder(async (folder) => {
      const loop = `${folder}/loop.${ending}`, long = `${folder}/${"n".repeat(300)}.${ending}`;
      await Deno.symlink(loop, loop);
      for (
        const [path, cause] of [[loop, "too many symbolic links"], [long, "the name is too long"]]
      ) {
        const error = await assertRejects(() => openSink(path!), Error);
        assertEquals(error.message, `Cannot open ${path}: ${cause}`);
      }
    }));
}
