/**
 * Writes rows to a file until its size limit is reached, prints the error, and closes the file. Started by a
 * test.
 */
import { CsvFile } from "../../src/sinks/mod.ts";

if (import.meta.main) {
  const file = new CsvFile(Deno.args[0]!, ["i", "x"]);
  await file.open();
  let i = 0;
  try {
    for (; i < 10_000; i++) {
      file.add(Array.from({ length: 7 }, (_, j) => [i, j / 3]));
      await file.flush();
    }
  } catch (error) {
    console.log(i, (error as Error).message);
  }
  await file.close();
}
