// Databases of ASE's: what has a column of its own, and what has none.
import { assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { Batch, type SystemInput } from "../../src/batch/mod.ts";
import { AseDatabaseSink } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";

const ATOM: SystemInput = { symbols: ["Ar", "Ar"], positions: [0, 0, 0, 0, 0, 3.8] };

/** A database with this in it, and what SQL says of it. */
async function withRow(
  input: SystemInput,
  check: (row: Record<string, unknown>, path: string) => Promise<void> | void,
): Promise<void> {
  await withFolder(async (folder) => {
    const path = `${folder}/x.db`;
    const sink = new AseDatabaseSink(path);
    await sink.write(Batch.from([input]));
    await sink.close();
    const database = new DatabaseSync(path);
    const row = database.prepare("SELECT * FROM systems").get() as Record<string, unknown>;
    database.close();
    await check(row, path);
  });
}

const perAtom = (values: number[]) => ({ level: "node", dtype: "f64", values }) as const;

Deno.test("charges to begin with and those of a result stay apart", async () => {
  const charges = [0.5, -0.5];
  const initial = { fields: { initial_charges: perAtom([1, 2]) } };
  const cases: readonly (readonly [SystemInput, boolean, boolean])[] = [
    [{ ...ATOM, charges }, false, true],
    [{ ...ATOM, charges, energy: 1 }, true, true],
    [{ ...ATOM, ...initial }, false, true],
    [{ ...ATOM, charges, ...initial }, true, true],
    [{ ...ATOM, charges, fields: { initial_charges: perAtom(charges) } }, true, true],
  ];
  for (const [input, hasResult, hasInitial] of cases) {
    await withRow(input, async (row, path) => {
      assertEquals(
        [row["charges"] !== null, row["initial_charges"] !== null],
        [hasResult, hasInitial],
      );
      const back = (await new AseDatabaseSink(path).read()).system(0);
      const has = (name: string) => back.has(name) ? [...back.get(name)] : undefined;
      assertEquals(has("charges"), input.charges as number[] | undefined);
      assertEquals(
        has("initial_charges"),
        input.fields?.["initial_charges"]?.values as number[] | undefined,
      );
    });
  }
});

Deno.test("a text that looks like a number, and a name that ASE has for something else, are data", async () => {
  const info = { label: "x", five: "5", yes: "True", natoms: 3, "two words": 1, He: 2, _a1: 2 };
  await withRow({ ...ATOM, info }, async (row, path) => {
    const pairs = JSON.parse(String(row["key_value_pairs"]));
    assertEquals(pairs, { systemId: 0, label: "x", _a1: 2 });
    assertEquals((await new AseDatabaseSink(path).read()).infos[0], info);
  });
});

Deno.test("velocities come back to the bit, unless another program has changed the momenta", async () => {
  const velocities = [0.1, 0.2, 0.3, 0, -0, 1 / 3];
  await withRow({ ...ATOM, velocities }, async (_, path) => {
    const sink = new AseDatabaseSink(path);
    assertEquals([...(await sink.read()).get("velocities")], velocities);
    const database = new DatabaseSync(path);
    database.prepare("UPDATE systems SET momenta = ?").run(new Uint8Array(48));
    database.close();
    assertEquals([...(await sink.read()).get("velocities")], [0, 0, 0, 0, 0, 0]);
  });
});

Deno.test("a stress that is not symmetric, an energy of −0, and constraints of others come back", async () => {
  const stress = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const constraints = [{ name: "FixBondLengths", kwargs: { pairs: [[0, 1]] } }];
  const info = { constraints, calculator: "emt" };
  await withRow({ ...ATOM, stress, energy: -0, info }, async (row, path) => {
    assertEquals(JSON.parse(String(row["constraints"])), constraints);
    assertEquals(row["calculator"], "emt");
    const back = await new AseDatabaseSink(path).read();
    assertEquals([...back.get("stress")], stress);
    assertEquals(Object.is(back.get("energy")[0], -0), true);
    assertEquals(back.infos[0], info);
  });
});

Deno.test("others see systems from the next flush on, not before", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/x.db`;
    await using sink = new AseDatabaseSink(path);
    const database = () => new DatabaseSync(path);
    const count = () => {
      using connection = database();
      return connection.prepare("SELECT COUNT(*) AS n FROM systems").get()!["n"];
    };
    await sink.open();
    for (const flushed of [0, 3, 6]) {
      assertEquals(count(), flushed);
      for (let i = 0; i < 3; i++) await sink.write(Batch.from([ATOM]));
      assertEquals(count(), flushed);
      await sink.flush();
    }
    assertEquals(count(), 9);
  });
});

Deno.test("info that is no plain data is an error that names it, and the rest is written", async () => {
  await withFolder(async (folder) => {
    await using sink = new AseDatabaseSink(`${folder}/x.db`);
    for (const value of [() => {}, { __ndarray__: 1 }, new Map()]) {
      const infos = [{}, { odd: value }];
      for (const info of infos) await sink.write(Batch.from([{ ...ATOM, info }]));
      await assertRejects(() => sink.flush(), TypeError, "info.odd must be plain data");
    }
    assertEquals((await sink.read()).size, 3);
    assertEquals(sink.length, 3);
  });
});
