// A database that another program keeps open.
import { assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { Batch } from "../../src/batch/mod.ts";
import { openSink } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";

const at = (x: number) => Batch.from([{ symbols: ["Ar"], positions: [x, 0, 0] }]);

Deno.test("a flush while another program reads throws and loses no system", () =>
  withFolder(async (folder) => {
    const path = `${folder}/x.db`;
    const sink = await openSink(path);
    await sink.write(at(0));
    await sink.flush();
    const reader = new DatabaseSync(path);
    reader.exec("BEGIN");
    reader.prepare("SELECT * FROM systems").all();
    await sink.write(at(1));
    await assertRejects(() => sink.flush(), Error, `Cannot write to ${path}`);
    await sink.write(at(2));
    reader.close();
    await sink.close();
    const again = await openSink(path);
    assertEquals([...(await again.read()).get("positions")], [0, 0, 0, 1, 0, 0, 2, 0, 0]);
    await again.close();
  }));
