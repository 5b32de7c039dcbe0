// Text files that are cut off at every position, as a killed process leaves them.
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import {
  CsvSink,
  ExtxyzSink,
  JsonlSink,
  openSink,
  openSystems,
  type StoredSink,
  verifySink,
} from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";
import { flipsOf, isAsItWas } from "./flipped_bits.ts";
import { TEXTS } from "./formats.ts";

function frame(step: number): Batch {
  const batch = Batch.from([
    {
      symbols: ["Ar", "He"],
      positions: [step, 0, 0, 0.5, 1 / 3, 0],
      cell: [9, 9, 9],
      energy: -step,
    },
  ]);
  batch.set("step", step, { level: "system", dtype: "i32", fill: -1 });
  return batch;
}

async function stepsOf(sink: StoredSink): Promise<number[]> {
  if (sink instanceof CsvSink) return [...(await sink.table()).get("step") ?? []];
  return sink.length === 0 ? [] : [...(await sink.read()).get("step")];
}

for (const ending of TEXTS) {
  // A row of numbers without its newline may lack digits, too; the checksums of other records show that they
  // are complete.
  const missing = ending === "csv" ? 0 : 1;

  Deno.test(`.${ending}: a file cut off anywhere keeps its complete records, the rest is removed with a warning, and more is added`, () =>
    withFolder(async (folder) => {
      const path = `${folder}/x.${ending}`;
      const ends = [0];
      const sink = await openSink(path);
      for (const step of [0, 1, 2]) {
        await sink.write(frame(step));
        await sink.flush();
        ends.push((await Deno.stat(path)).size);
      }
      await sink.close();
      const all = await Deno.readFile(path), header = ending === "csv" ? all.indexOf(10) + 1 : 0;
      for (let size = 0; size <= all.length; size += size < ends[1]! ? 1 : 7) {
        const part = `${folder}/part.${ending}`;
        await Deno.writeFile(part, all.subarray(0, size));
        const whole = ends.filter((end) => end > 0 && end - missing <= size).length;
        const warnings: string[] = [];
        const again = await openSink(part, { onWarning: (message) => void warnings.push(message) });
        assertEquals(again.length, whole, `${size} bytes`);
        const isCut = ![header, ...ends].includes(size) && !ends.includes(size + missing);
        assertEquals(warnings.length, isCut ? 1 : 0, `${size} bytes`);
        await again.write(frame(9));
        await again.flush();
        const steps = await stepsOf(again);
        await again.close();
        assertEquals(steps, [...[0, 1, 2].slice(0, whole), 9], `${size} bytes`);
      }
    }));

  Deno.test(`.${ending}: a reader of a file that is being written sees its complete records and changes nothing`, () =>
    withFolder(async (folder) => {
      const path = `${folder}/x.${ending}`;
      const sink = await openSink(path);
      for (const step of [0, 1]) await sink.write(frame(step));
      await sink.close();
      const all = await Deno.readFile(path);
      const part = `${folder}/part.${ending}`;
      await Deno.writeFile(part, all.subarray(0, all.length - 1));
      const reader = ending === "csv"
        ? new CsvSink(part, undefined, { onWarning: () => {} })
        : ending === "xyz"
        ? new ExtxyzSink(part)
        : new JsonlSink(part);
      if (reader instanceof CsvSink) assertEquals([...(await reader.table()).get("step")!], [0]);
      else assertEquals((await reader.read()).size, 2); // shown by its checksum
      assertEquals((await Deno.stat(part)).size, all.length - 1);
      await Deno.writeFile(part, all);
      assertEquals((await stepsOf(reader)).length, 2); // it sees systems written since
    }));

  if (ending === "csv") continue;
  Deno.test(`.${ending}: a flipped bit of a newline or blank in the last record is reported, and nothing is removed`, async () => {
    const isBlank = (byte: number, place: number, all: Uint8Array) =>
      place > all.length * 0.66 && (byte === 10 || byte === 32 && all[place + 1] === 104); // before "hooke_"
    assertEquals(await flipsOf(ending, isBlank), isAsItWas);
  });

  Deno.test(`.${ending}: a last record that lacks only its newline is read; a part of one gives a warning`, () =>
    withFolder(async (folder) => {
      const path = `${folder}/x.${ending}`, warnings: string[] = [];
      const onWarning = (message: string) => void warnings.push(message);
      const sink = await openSink(path);
      for (const step of [0, 1, 2]) await sink.write(frame(step));
      await sink.close();
      const { size } = await Deno.stat(path);
      await Deno.truncate(path, size - 1);
      const whole = await openSystems(path, { onWarning });
      assertEquals([whole.length, (await whole.get(2)).get("step")[0]], [3, 2]);
      await whole.close();
      const { systems, damage, unsummed } = await verifySink(path);
      assertEquals([systems, damage, unsummed, warnings], [3, [], 0, []]);

      await Deno.truncate(path, size - 30);
      const part = await openSystems(path, { onWarning });
      await part.get(0);
      await part.get(1);
      assertEquals([part.length, warnings.length], [2, 1]);
      await part.close();
      assertMatch(
        warnings[0]!,
        /ends with an incomplete record, from line \d+ on \(\d+ bytes\), which/,
      );
      assertEquals((await verifySink(path)).damage.length, 1);
      assertEquals((await Deno.stat(path)).size, size - 30);
    }));
}

Deno.test("the warning of a removed part gives its place and size", () =>
  withFolder(async (folder) => {
    const path = `${folder}/x.xyz`, warnings: string[] = [];
    const sink = new ExtxyzSink(path);
    for (const step of [0, 1]) await sink.write(frame(step));
    await sink.close();
    const size = (await Deno.stat(path)).size - 9;
    await Deno.truncate(path, size);
    const again = new ExtxyzSink(path, { onWarning: (message) => void warnings.push(message) });
    await again.open();
    await again.close();
    assertEquals(warnings, [
      `${path} ended with an incomplete record, from line 5 on (${
        size - (await Deno.stat(path)).size
      } bytes), as a killed process ` +
      "leaves it. The record was removed; all records before it are complete",
    ]);
  }));

Deno.test("complete frames behind a damaged number of atoms are not removed", () =>
  withFolder(async (folder) => {
    const path = `${folder}/x.xyz`;
    const sink = new ExtxyzSink(path);
    for (const step of [0, 1, 2]) await sink.write(frame(step));
    await sink.close();
    const text = await Deno.readTextFile(path);
    for (const [line, count] of [[1, "2000"], [5, "2000"], [9, "2000"], [9, "3"]] as const) {
      const lines = text.split("\n");
      lines[line - 1] = count;
      const damaged = lines.join("\n");
      await Deno.writeTextFile(path, damaged);
      await assertRejects(
        () => new ExtxyzSink(path).open(),
        SyntaxError,
        `begins in line ${line} declares`,
      );
      await assertRejects(
        () => new ExtxyzSink(path).read(),
        SyntaxError,
        `begins in line ${line} declares`,
      );
      assertEquals(await Deno.readTextFile(path), damaged);
    }
    const lines = `${path}.jsonl`;
    const other = new JsonlSink(lines);
    for (const step of [0, 1]) await other.write(frame(step));
    await other.close();
    const merged = (await Deno.readTextFile(lines)).replaceAll("\n", " ");
    await Deno.writeTextFile(lines, merged);
    await assertRejects(
      () => new JsonlSink(lines).open(),
      SyntaxError,
      "line 1 is not a valid system",
    );
    assertEquals(await Deno.readTextFile(lines), merged);
  }));

Deno.test("an incomplete last frame of another program is refused and not changed", () =>
  withFolder(async (folder) => {
    const path = `${folder}/x.xyz`;
    const others = [
      "1\nProperties=species:S:1:pos:R:3\nAr 0 0 0", // lacks only its newline
      "2\nan old comment\nAr 0 0 0\n",
      "1\nfirst\nAr 0 0 0\n\n2\nsecond\nAr 0 0 0\nAr 1 1",
      "3 ",
    ];
    for (const text of others) {
      await Deno.writeTextFile(path, text);
      await assertRejects(() => openSink(path), SyntaxError, "line ");
      assertEquals(await Deno.readTextFile(path), text);
      await assertRejects(() => new ExtxyzSink(path).read(), SyntaxError, "line ");
    }
    await Deno.writeTextFile(path, "1\nplain\nAr 0 0 0\n\n");
    const sink = await openSink(path);
    await sink.write(Batch.from([{ symbols: ["He"], positions: [1, 1, 1] }]));
    await sink.flush();
    assertEquals([...(await sink.read()).get("numbers")], [18, 2]);
    await sink.close();
    assert((await Deno.readTextFile(path)).startsWith("1\nplain\nAr 0 0 0\n\n1\n"));
  }));

Deno.test("a last row of another program that only lacks its newline is not removed; one of Hooke is", () =>
  withFolder(async (folder) => {
    const path = `${folder}/x.csv`;
    const opened = async (text: string, columns?: string[]) => {
      await Deno.writeTextFile(path, text);
      const sink = new CsvSink(path, columns, { onWarning: () => {} });
      await sink.open();
      await sink.close();
      return await Deno.readTextFile(path);
    };
    for (const theirs of ["energy,step\n1,2\n3,4", "energy\n1\n2"]) {
      await assertRejects(
        () => opened(theirs),
        SyntaxError,
        "begins a record that is damaged or incomplete",
      );
      assertEquals(await Deno.readTextFile(path), theirs);
    }
    assertEquals(await opened("energy,step\n1,2\n3,"), "energy,step\n1,2\n");
    assertEquals(await opened("energy,step\n1,2\n3,4", ["energy", "step"]), "energy,step\n1,2\n");
    assertEquals(await opened("systemId,energy\n1,2\n3,4"), "systemId,energy\n1,2\n");
  }));
