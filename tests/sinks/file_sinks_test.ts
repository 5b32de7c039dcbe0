// Sinks in text files: their content, waiting, and refused values.
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Batch, type System } from "../../src/batch/mod.ts";
import { CsvSink, ExtxyzSink, JsonlSink, openSink } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";

const atom = (x: number, info: Record<string, unknown> = {}) =>
  Batch.from([{ symbols: ["Ar"], positions: [x, 0, 0], info }]);

async function lines(path: string): Promise<string[]> {
  return (await Deno.readTextFile(path)).trimEnd().split("\n");
}

Deno.test("a line of JSON has a key for each field, and only JSON in it", () =>
  withFolder(async (folder) => {
    const path = `${folder}/x.jsonl`;
    const batch = Batch.from([{
      symbols: ["O", "H"],
      positions: [0, -0, 0.1, 1, 2, 3],
      cell: [4, 5, 6],
      forces: [NaN, Infinity, -Infinity, 0, 0, 0],
      info: {
        x: NaN,
        zero: -0,
        $price: 1,
        "$$": { $number: "5" },
        list: Float32Array.of(0.5, NaN),
      },
    }]);
    batch.set("step", 7, { level: "system", dtype: "i32", fill: -1 });
    batch.set("info", [1, 2], { level: "node", dtype: "u8", fill: 0, unit: "é" });
    batch.set("__proto__", [5, 6, 7], { level: "system", dtype: "f64" });
    const sink = new JsonlSink(path);
    await sink.write(batch);
    await sink.close();
    const [line] = await lines(path);
    const { hooke, numbers, positions, cell, pbc, forces, ...rest } = JSON.parse(line!);
    assertEquals([hooke, numbers, pbc], [1, [8, 1], [1, 1, 1]]);
    assertEquals(positions, [[0, -0, 0.1], [1, 2, 3]]);
    assertEquals(cell, [4, 0, 0, 0, 5, 0, 0, 0, 6]);
    assertEquals(forces, [["NaN", "Infinity", "-Infinity"], [0, 0, 0]]);
    assertEquals(rest["$info"], [1, 2]);
    assertEquals(Object.hasOwn(rest, "__proto__"), true);
    assertEquals(rest["fields"]["step"], { level: "system", dtype: "i32", width: 1, fill: -1 });
    assert(line!.startsWith('{"hooke":1,"systemId":0,"step":7,"numbers"'), line);
    const back = await sink.read();
    assertEquals(back.infos, batch.infos);
    assertEquals([...back.get("info"), ...back.get("__proto__")], [1, 2, 5, 6, 7]);
    assertEquals(Object.is(back.get("positions")[1], -0), true);
    assertEquals([...back.get("forces")].slice(0, 3), [NaN, Infinity, -Infinity]);
  }));

Deno.test("a table has the numbers per system, systemId first, or the given columns", () =>
  withFolder(async (folder) => {
    const path = `${folder}/x.csv`;
    const batch = Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0], energy: -0.5 }]);
    batch.set("time", 1e-7, { level: "system", unit: "fs" });
    batch.set("pair", [Infinity, -0], { level: "system", width: 2 });
    const sink = new CsvSink(path);
    await sink.write(batch);
    await sink.flush();
    const cell = Array.from({ length: 9 }, (_, i) => `cell[${i}]`).join(",");
    assertEquals(await lines(path), [
      `systemId,time,energy,${cell},pbc[0],pbc[1],pbc[2],pair[0],pair[1]`,
      "0,1e-7,-0.5,0,0,0,0,0,0,0,0,0,0,0,0,Infinity,-0",
    ]);
    batch.set("late", 1, { level: "system" });
    await sink.write(batch);
    await assertRejects(() => sink.flush(), TypeError, '; got "late". Pass columns to choose');
    await sink.close();
    assertEquals(sink.length, 1);

    const some = new CsvSink(`${folder}/y.csv`, ["pair[1]", "late", "none"]);
    await some.write(batch);
    await some.close();
    assertEquals(await lines(some.path), ["pair[1],late,none", "-0,1,"]);
    const again = new CsvSink(some.path); // uses the columns of the file
    await again.write(batch);
    await again.close();
    assertEquals([...(await again.table()).get("none")!], [NaN, NaN]);
    assertEquals(again.columns, ["pair[1]", "late", "none"]);
  }));

Deno.test("columns that are not valid are refused when the sink is created or a field does not match", () =>
  withFolder(async (folder) => {
    const make = (columns: unknown) => () => new CsvSink("x.csv", columns as string[]);
    assertThrows(make("energy"), TypeError, '"energy"');
    for (const columns of [[], ["a", "a"], ["a,b"], ["a[b]"], [3]]) {
      assertThrows(make(columns), RangeError, "different names");
    }
    for (const column of ["cell", "cell[9]", "energy[0]", "positions"]) {
      const sink = new CsvSink(`${folder}/x.csv`, [column]);
      await sink.write(Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0], energy: 1 }]));
      await assertRejects(() => sink.flush(), TypeError, `"${column}"`);
      await sink.close();
      await Deno.remove(`${folder}/x.csv`);
    }
  }));

Deno.test("reading systems from a table throws an error and keeps its rows", () =>
  withFolder(async (folder) => {
    await using sink = new CsvSink(`${folder}/x.csv`);
    await sink.write(atom(1));
    for (const read of [() => sink.read(), () => sink.drain(), () => sink.slice({})]) {
      await assertRejects(read, TypeError, "Read the numbers with table()");
    }
    assertEquals((await sink.table()).get("systemId")!.length, 1);
  }));

Deno.test("write() returns a promise if the disk does not keep up, and all systems are written", () =>
  withFolder(async (folder) => {
    for (const make of [ExtxyzSink, JsonlSink]) {
      const sink = new make(`${folder}/${make.name}`, { mostBytes: 2000 });
      let waited = 0;
      for (let i = 0; i < 200; i++) {
        const waiting = sink.write(atom(i));
        if (waiting === undefined) continue;
        waited++;
        await waiting;
      }
      await sink.close();
      assert(waited > 5 && waited < 100, `${waited}`);
      assertEquals([...(await sink.read()).get("positions")].filter((_, i) => i % 3 === 0), [
        ...Array(200).keys(),
      ]);
    }
  }));

Deno.test("a failed write is reported once, by the next call, and loses only its own batch", () =>
  withFolder(async (folder) => {
    for (const make of [ExtxyzSink, JsonlSink]) {
      const sink = new make(`${folder}/${make.name}`);
      await sink.write(atom(1));
      await sink.write(atom(2, { f: () => 1 }));
      await sink.write(atom(3));
      await assertRejects(() => sink.flush(), TypeError, "info.f must be plain data");
      await sink.flush();
      assertEquals(sink.length, 2);
      assertEquals([...(await sink.read()).get("positions")], [1, 0, 0, 3, 0, 0]);
      await sink.close();
    }
  }));

Deno.test("info that is nested too deep is refused by name when it is read or written", () =>
  withFolder(async (folder) => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const sink = new JsonlSink(`${folder}/deep.jsonl`);
    await sink.write(atom(1, { f: JSON.parse(deep) }));
    await assertRejects(() => sink.flush(), TypeError, "info.f must be plain data");
    await sink.write(atom(1, { f: "here" }));
    await sink.close();
    const text = await Deno.readTextFile(`${folder}/deep.jsonl`);
    await Deno.writeTextFile(`${folder}/deep.jsonl`, text.replace('"here"', deep));
    const damaged = new JsonlSink(`${folder}/deep.jsonl`);
    await assertRejects(() => damaged.read(), SyntaxError, "must be nested at most 1000 deep");
    await damaged.close();
  }));

Deno.test("frames are read one by one: those before a damaged frame are complete, and those after it are not read", () =>
  withFolder(async (folder) => {
    for (const make of [ExtxyzSink, JsonlSink]) {
      const path = `${folder}/${make.name}`;
      const sink = new make(path);
      for (let i = 0; i < 5; i++) await sink.write(atom(i + 0.25));
      await sink.close();
      const text = await Deno.readTextFile(path);
      await Deno.writeTextFile(path, text.replace("3.25", "3.x"));
      const line = text.slice(0, text.indexOf("3.25")).split("\n").length;
      const seen: number[] = [];
      await assertRejects(
        async () => {
          for await (const system of new make(path).frames()) seen.push(system.positions[0]!);
        },
        SyntaxError,
        `line ${line}`,
      );
      assertEquals(seen, [0.25, 1.25, 2.25]);
      assertEquals((await new make(path).slice({ from: 4 })).get("positions")[0], 4.25);
    }
  }));

Deno.test("custom fields in extxyz: units with special characters, and a frame that was edited by hand", () =>
  withFolder(async (folder) => {
    const path = `${folder}/x.xyz`;
    const batch = atom(1);
    batch.set("tag", [9], { level: "node", dtype: "u32", unit: "1 : 100 % é", fill: 4 });
    await using sink = new ExtxyzSink(path);
    await sink.write(batch);
    await sink.flush();
    const [info] = (await sink.read()).fields().filter(({ name }) => name === "tag");
    assertEquals(info, batch.fields().find(({ name }) => name === "tag"));
    const text = await Deno.readTextFile(path);
    for (
      const [old, other] of [[" 9\n", " -9\n"], ["tag:node:u32", "tag:node:u33"], ["node", "nod"]]
    ) {
      await Deno.writeTextFile(path, text.replace(old!, other!));
      await assertRejects(
        () => new ExtxyzSink(path).read(),
        SyntaxError,
        "the fields in line 2 do not match their declaration",
      );
    }
  }));

Deno.test("frames of other programs with and without integer arrays are batched", () =>
  withFolder(async (folder) => {
    const path = `${folder}/x.xyz`;
    const head = "Properties=species:S:1:pos:R:3";
    await Deno.writeTextFile(
      path,
      `1\n${head}:tags:I:1:move_mask:L:1 step=3\nAr 0 0 0 5 F\n1\n${head} step=4\nAr 1 0 0\n`,
    );
    const sink = new ExtxyzSink(path);
    const both = await sink.read();
    assertEquals([...both.get("tags"), ...both.get("move_mask")], [5, 0, 0, 1]);
    assertEquals((await sink.slice({ steps: [4, 4] })).infos, [{ step: 4 }]);
  }));

Deno.test("a file that another program has extended is read to its end", () =>
  withFolder(async (folder) => {
    const path = `${folder}/x.xyz`;
    const [writer, reader] = [new ExtxyzSink(path), new ExtxyzSink(path)];
    await assertRejects(() => reader.read(), RangeError, "it is empty");
    for (let i = 1; i <= 3; i++) {
      await writer.write(atom(i));
      await writer.flush();
      assertEquals((await reader.read()).size, i);
      assertEquals(reader.length, i);
    }
    await writer.clear();
    await writer.write(atom(9));
    await writer.flush();
    const [only, ...none] = (await reader.read()).systems() as [System];
    assertEquals([only.positions[0], none.length], [9, 0]);
    await writer.clear();
    for (const x of [100.5, 7, 8]) await writer.write(atom(x));
    await writer.flush();
    assertEquals([...(await reader.read()).get("positions")], [100.5, 0, 0, 7, 0, 0, 8, 0, 0]);
    await writer.close();
  }));

Deno.test("several readers of a file at once get each system once", () =>
  withFolder(async (folder) => {
    const at = (x: number) => Batch.from([{ symbols: ["Ar"], positions: [x, 0, 0], energy: x }]);
    for (const ending of ["jsonl", "xyz", "db"]) {
      const sink = await openSink(`${folder}/x.${ending}`) as JsonlSink;
      for (let x = 0; x < 4; x++) await sink.write(at(x));
      const read = async () =>
        (await Array.fromAsync(sink.frames())).map(({ positions }) => positions[0]);
      const all = await Promise.all([read(), read(), sink.slice({}), read()]);
      const places = all.map((one) => Array.isArray(one) ? one : [...one.get("energy")]);
      assertEquals(places, Array(4).fill([0, 1, 2, 3]), ending);
      await sink.close();
    }
    await Deno.writeTextFile(`${folder}/x.csv`, "energy\n0\n1\n2\n");
    const table = new CsvSink(`${folder}/x.csv`);
    const both = await Promise.all([table.table(), table.table()]);
    for (const one of both) assertEquals([...one.get("energy")!], [0, 1, 2]);
  }));

for (
  const [ending, isTyped] of [["zarr", true], ["jsonl", true], ["xyz", false], [
    "db",
    false,
  ]] as const
) {
  Deno.test(`.${ending}: typed arrays in info are read back as ${isTyped ? "typed arrays" : "lists"}, lists as lists`, async () => {
    const folder = await Deno.makeTempDir(), numbers = Float64Array.of(1, 2.5);
    const info = { numbers, list: [1, 2], text: "x" };
    const sink = await openSink(`${folder}/one.${ending}`);
    await sink.write(Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0], info }]));
    const [back] = (await sink.read()).infos;
    assertEquals(back, { ...info, numbers: isTyped ? numbers : [1, 2.5] });
    await sink.close();
    await Deno.remove(folder, { recursive: true });
  });
}

Deno.test("reading systems from a table leaves the error of a failed write to flush()", () =>
  withFolder(async (folder) => {
    const sink = new CsvSink(`${folder}/x.csv`);
    const batch = Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0] }]);
    await sink.write(batch);
    await sink.flush();
    const calls = [
      () => sink.read(),
      () => sink.slice({}),
      () => sink.drain(),
      () => Array.fromAsync(sink.frames()),
    ];
    for (const read of calls) {
      const late = batch.clone();
      late.set("late", 1, { level: "system" });
      await sink.write(late);
      await assertRejects(read, TypeError, "Read the numbers with table()");
      await assertRejects(() => sink.flush(), TypeError, '"late"');
    }
    await sink.close();
  }));

Deno.test("systems of a joined file that lack an integer array are read, with a warning that names array and system", () =>
  withFolder(async (folder) => {
    const texts: string[] = [], warnings: string[] = [];
    for (const [name, fields] of [["a", { kinds: [4] }], ["b", {}]] as const) {
      const path = `${folder}/${name}.jsonl`, sink = new JsonlSink(path), batch = atom(0);
      for (const [field, values] of Object.entries(fields)) {
        batch.set(field, values, { level: "node", dtype: "i32" });
      }
      await sink.write(batch);
      await sink.close();
      texts.push(await Deno.readTextFile(path));
    }
    await Deno.writeTextFile(`${folder}/both.jsonl`, texts.join(""));
    const onWarning = (warning: string) => warnings.push(warning);
    const sink = await openSink(`${folder}/both.jsonl`, { onWarning });
    assertEquals([...(await sink.read()).get("kinds")], [4, 0]);
    await sink.close();
    assertEquals(warnings, [
      'The array "kinds" was filled with 0 in frame 1, because the file has that array only in other frames',
    ]);
  }));
