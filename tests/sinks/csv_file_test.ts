// Tables in files: complete rows, exact numbers, one header.
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { fileURLToPath } from "node:url";
import { CsvFile } from "../../src/sinks/mod.ts";

async function inFolder(test: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(`${folder}/log.csv`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function write(path: string | URL, columns: string[], rows: number[][]): Promise<string> {
  const file = new CsvFile(path, columns, { onWarning: () => {} });
  await file.open();
  await file.add(rows);
  await file.close();
  return await Deno.readTextFile(path);
}

Deno.test("a new file gets a header, and a file with the same header gets only rows", () =>
  inFolder(async (path) => {
    assertEquals(await write(path, ["a", "b"], [[1, 2]]), "a,b\n1,2\n");
    assertEquals(await write(path, ["a", "b"], [[3, 4], [5, 6]]), "a,b\n1,2\n3,4\n5,6\n");
    assertEquals(await write(new URL(`file://${path}`), ["a", "b"], []), "a,b\n1,2\n3,4\n5,6\n");
  }));

Deno.test("a file with another header is refused and not changed", () =>
  inFolder(async (path) => {
    for (const text of ["a,c\n1,2\n", "a,b,c\n1,2,3\n", "a\n", "a,b,", "\n"]) {
      await Deno.writeTextFile(path, text);
      await assertRejects(
        () => write(path, ["a", "b"], [[1, 2]]),
        RangeError,
        `must be "a,b"; got ${JSON.stringify(text.split("\n")[0])}`,
      );
      assertEquals(await Deno.readTextFile(path), text);
    }
  }));

Deno.test("numbers are read back unchanged, and NaN is an empty cell", () =>
  inFolder(async (path) => {
    const numbers = [0.1 + 0.2, 1e300, -5e-324, 1 / 3, 2 ** 53, -0, 1e21, Math.fround(0.1)];
    const text = await write(path, ["x"], numbers.map((x) => [x]));
    const cells = text.trimEnd().split("\n").slice(1);
    for (const [i, x] of numbers.entries()) assert(Object.is(Number(cells[i]), x), cells[i]);
    assertEquals(await write(`${path}2`, ["x", "y"], [[NaN, 1], [2, NaN]]), "x,y\n,1\n2,\n");
  }));

Deno.test("names with commas, quotes and line ends are quoted", () =>
  inFolder(async (path) => {
    const columns = ["a,b", 'say "c"', "d\ne"];
    assertEquals(await write(path, columns, [[1, 2, 3]]), '"a,b","say ""c""","d\ne"\n1,2,3\n');
    assertEquals((await write(path, columns, [[4, 5, 6]])).split("\n").at(-2), "4,5,6");
  }));

Deno.test("an incomplete row or header that a killed process left is removed", () =>
  inFolder(async (path) => {
    for (const rest of ["3", "3,4", "a".repeat(200_000)]) {
      await Deno.writeTextFile(path, `a,b\n1,2\n${rest}`);
      assertEquals(await write(path, ["a", "b"], [[5, 6]]), "a,b\n1,2\n5,6\n");
    }
    for (const start of ["", "a", "a,b"]) {
      await Deno.writeTextFile(path, start);
      assertEquals(await write(path, ["a", "b"], [[5, 6]]), "a,b\n5,6\n");
    }
  }));

Deno.test("many rows are written in order, and add() returns a promise if the disk does not keep up", () =>
  inFolder(async (path) => {
    const file = new CsvFile(path, ["i"]);
    await file.open();
    let waited = 0;
    for (let i = 0; i < 300; i++) {
      const waiting = file.add(Array.from({ length: 1000 }, (_, j) => [1000 * i + j]));
      if (waiting !== undefined) waited++;
      await waiting;
    }
    await file.close();
    const lines = (await Deno.readTextFile(path)).trimEnd().split("\n").slice(1);
    assertEquals(lines.length, 300_000);
    assert(lines.every((line, i) => Number(line) === i));
    assert(waited > 0 && waited < 10, `${waited}`);
  }));

Deno.test("opening fails on a full disk and in a folder that does not exist", async () => {
  const error = await assertRejects(
    () => new CsvFile("/dev/full", ["a"]).open(),
    Error,
    "Cannot write to /dev/full: no space left on the disk",
  );
  assert(error.cause instanceof Error);
  const nowhere = new CsvFile("/proc/no/such.csv", ["a"]);
  await assertRejects(
    () => nowhere.open(),
    Error,
    "Cannot make folder /proc/no for /proc/no/such.csv: ",
  );
  assertThrows(() => new CsvFile("x.csv", ["a"]).add([[1]]), Error, "it is not open");
});

Deno.test("rows that the disk accepts only in part are removed, and an error is thrown", () =>
  inFolder(async (path) => {
    const child = fileURLToPath(new URL("limited_writer.ts", import.meta.url));
    const { stdout, code } = await new Deno.Command("bash", {
      args: [
        "-c",
        `trap '' XFSZ; ulimit -f 8; exec "$0" run -A "$1" "$2"`,
        Deno.execPath(),
        child,
        path,
      ],
    }).output();
    assertEquals(code, 0);
    const [, count, message] = /^(\d+) (.*)/.exec(new TextDecoder().decode(stdout))!;
    assert(message!.startsWith(`Cannot write to ${path}: File too large`), message);
    const lines = (await Deno.readTextFile(path)).split("\n");
    assertEquals([lines[0], lines.at(-1)], ["i,x", ""]);
    assertEquals(lines.length - 2, 7 * Number(count)); // complete blocks of rows
    assert(lines.slice(1, -1).every((line, i) => line === `${Math.floor(i / 7)},${i % 7 / 3}`));
  }));

Deno.test("a file is truncated to an earlier size, with rows pending or written, and keeps its header", () =>
  inFolder(async (path) => {
    const file = new CsvFile(path, ["a"]);
    await assertRejects(() => file.truncate(3), Error, "it is not open");
    await file.open();
    file.add([[1], [22]]);
    const { size } = file; // not in the file yet
    assertEquals(size, "a\n1\n22\n".length);
    file.add([[3]]);
    await file.truncate(size);
    file.add([[4]]);
    await file.flush();
    assertEquals(await Deno.readTextFile(path), "a\n1\n22\n4\n");
    assertEquals(file.size, "a\n1\n22\n4\n".length);
    await file.truncate(1000); // the file is not longer
    await file.close();

    const later = new CsvFile(path, ["a"]);
    await later.open();
    await later.truncate(size);
    assertEquals(later.size, size);
    await assertRejects(() => later.truncate(-1), RangeError, "length must be");
    await later.truncate(0);
    await later.close();
    assertEquals(await Deno.readTextFile(path), "a\n");
  }));

Deno.test("a flush that is pending when the file is closed does not fail", async () => {
  const folder = await Deno.makeTempDir();
  try {
    for (let i = 0; i < 20; i++) {
      const file = new CsvFile(`${folder}/${i}.csv`, ["step"]);
      await file.open();
      file.add([[i]]);
      const flushing = file.flush();
      await Promise.resolve(); // the rows are written before the flush
      await Promise.all([flushing, file.close()]);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
