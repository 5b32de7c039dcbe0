// What a kill may leave of a file of text: every beginning of it.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { Batch } from "../../src/batch/mod.ts";
import { CsvSink, ExtxyzSink, JsonlSink, openSink, type StoredSink } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";
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
  Deno.test(`.${ending}: of every beginning the whole records are there, the rest is taken off, and more is added`, () =>
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
      const all = await Deno.readFile(path);
      for (let size = 0; size <= all.length; size += size < ends[1]! ? 1 : 7) {
        const part = `${folder}/part.${ending}`;
        await Deno.writeFile(part, all.subarray(0, size));
        const whole = ends.filter((end) => end > 0 && end <= size).length;
        const again = await openSink(part);
        assertEquals(again.length, whole, `${size} bytes`);
        await again.write(frame(9));
        await again.flush();
        const steps = await stepsOf(again);
        await again.close();
        assertEquals(steps, [...[0, 1, 2].slice(0, whole), 9], `${size} bytes`);
      }
    }));

  Deno.test(`.${ending}: who only reads a file that is being written sees its whole records, and changes nothing`, () =>
    withFolder(async (folder) => {
      const path = `${folder}/x.${ending}`;
      const sink = await openSink(path);
      for (const step of [0, 1]) await sink.write(frame(step));
      await sink.close();
      const all = await Deno.readFile(path);
      const part = `${folder}/part.${ending}`;
      await Deno.writeFile(part, all.subarray(0, all.length - 1));
      const reader = ending === "csv"
        ? new CsvSink(part)
        : ending === "xyz"
        ? new ExtxyzSink(part)
        : new JsonlSink(part);
      if (reader instanceof CsvSink) assertEquals([...(await reader.table()).get("step")!], [0]);
      else assertEquals((await reader.read()).size, 1);
      assertEquals((await Deno.stat(part)).size, all.length - 1);
      await Deno.writeFile(part, all);
      assertEquals((await stepsOf(reader)).length, 2); // it sees what has come since
    }));
}

Deno.test("a last frame of others that is not whole is refused, and stays as it is", () =>
  withFolder(async (folder) => {
    const path = `${folder}/x.xyz`;
    const others = [
      "1\nProperties=species:S:1:pos:R:3\nAr 0 0 0", // only lacks the end of its line
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

Deno.test("a last row of others that only lacks the end of its line is not taken off; one of ours is", () =>
  withFolder(async (folder) => {
    const path = `${folder}/x.csv`;
    const opened = async (text: string, columns?: string[]) => {
      await Deno.writeTextFile(path, text);
      const sink = new CsvSink(path, columns);
      await sink.open();
      await sink.close();
      return await Deno.readTextFile(path);
    };
    for (const theirs of ["energy,step\n1,2\n3,4", "energy\n1\n2"]) {
      await assertRejects(() => opened(theirs), SyntaxError, "must end with a whole record");
      assertEquals(await Deno.readTextFile(path), theirs);
    }
    assertEquals(await opened("energy,step\n1,2\n3,"), "energy,step\n1,2\n");
    assertEquals(await opened("energy,step\n1,2\n3,4", ["energy", "step"]), "energy,step\n1,2\n");
    assertEquals(await opened("systemId,energy\n1,2\n3,4"), "systemId,energy\n1,2\n");
  }));
