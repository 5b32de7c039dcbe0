// ASE databases: values with and without columns of their own.
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { Batch, type SystemInput } from "../../src/batch/mod.ts";
import { AseDatabaseSink, openSystems, verifySink } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";

const ATOM: SystemInput = { symbols: ["Ar", "Ar"], positions: [0, 0, 0, 0, 0, 3.8] };

/** Writes a system to a database, and passes its row to `check`. */
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

Deno.test("initial charges and computed charges are stored separately", async () => {
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

Deno.test("texts that look like numbers, and names that ASE reserves, are stored in data", async () => {
  const info = { label: "x", five: "5", yes: "True", natoms: 3, "two words": 1, He: 2, _a1: 2 };
  await withRow({ ...ATOM, info }, async (row, path) => {
    const pairs = JSON.parse(String(row["key_value_pairs"]));
    assertEquals(pairs, { systemId: 0, label: "x", _a1: 2 });
    assertEquals((await new AseDatabaseSink(path).read()).infos[0], info);
  });
});

Deno.test("velocities are read back bitwise identical, unless another program has changed the momenta", async () => {
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

Deno.test("an asymmetric stress, an energy of −0 and constraints of other programs are read back", async () => {
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

Deno.test("other programs see systems after the next flush, not before", async () => {
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

Deno.test("info that is not plain data throws an error that names it, and other systems are written", async () => {
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

/** Writes a database of two frames, and returns its bytes. */
async function bytesOfDatabase(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const sink = new AseDatabaseSink(path);
  for (const x of [0, 1]) {
    const positions = Array.from({ length: 900 }, (_, i) => i + x);
    await sink.write(Batch.from([{ symbols: Array(300).fill("Ar"), positions, info: { x } }]));
  }
  await sink.close();
  return await Deno.readFile(path);
}

/** All functions that read a database or change its rows. */
const READERS: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  open: (path) => inDatabase(path, (sink) => sink.open()),
  read: (path) => inDatabase(path, (sink) => sink.read()),
  add: (path) =>
    inDatabase(path, async (sink) => {
      await sink.write(Batch.from([ATOM]));
      await sink.flush();
    }),
  truncate: (path) => inDatabase(path, (sink) => sink.truncate(1)),
  clear: (path) => inDatabase(path, (sink) => sink.clear()),
  openSystems: async (path) => {
    await using systems = await openSystems(path);
    for (let i = 0; i < systems.length; i++) await systems.get(i);
  },
  verifySink,
};

async function inDatabase(
  path: string,
  work: (sink: AseDatabaseSink) => Promise<unknown>,
): Promise<void> {
  const sink = new AseDatabaseSink(path);
  try {
    await work(sink);
  } finally {
    await sink.close();
  }
}

/** Pages whose first byte, which SQLite needs to navigate, is changed. */
function* damagedPages(whole: Uint8Array<ArrayBuffer>): Generator<Uint8Array<ArrayBuffer>> {
  const size = new DataView(whole.buffer).getUint16(16);
  for (let page = 0; page < whole.length / size; page++) {
    const start = page === 0 ? 100 : page * size; // the first one begins with the header of the file
    for (const [at, byte] of [[0, 0], [5, 255]] as const) {
      const damaged = whole.slice();
      damaged[start + at] = byte;
      yield damaged;
    }
    const cut = whole.slice();
    cut.fill(0, start, (page + 1) * size);
    yield cut;
  }
}

for (const [name, read] of Object.entries(READERS)) {
  Deno.test(`a damaged page is reported as a damaged file by ${name}`, () =>
    withFolder(async (folder) => {
      const path = `${folder}/x.db`, whole = await bytesOfDatabase(path);
      let refused = 0;
      for (const bytes of damagedPages(whole)) {
        await Deno.writeFile(path, bytes);
        try {
          await read(path);
        } catch (error) {
          refused++;
          assert(error instanceof SyntaxError, Deno.inspect(error));
          assertMatch(error.message, /^Cannot .*x\.db: .*(damaged|row|has no|have no)/);
          if (error.message.includes("; ")) assert(error.cause instanceof Error);
        }
      }
      assert(refused > 0 || name === "verifySink");
    }));
}

Deno.test("a version that is not a number is refused, for any case of the column's name", () =>
  withFolder(async (folder) => {
    const path = `${folder}/x.db`;
    await bytesOfDatabase(path);
    const change = (sql: string) => {
      using database = new DatabaseSync(path);
      database.exec(sql);
    };
    change("ALTER TABLE information RENAME COLUMN value TO VALUE");
    await inDatabase(path, (sink) => sink.open());
    const expected = {
      "NULL": "it has no version",
      "'ten'": 'it must be an ASE database whose version is a number; got "ten"',
      "''": 'it must be an ASE database whose version is a number; got ""',
      "x'01'": "it must be an ASE database whose version is a number; got [1]",
    };
    for (const [version, message] of Object.entries(expected)) {
      change(`UPDATE information SET VALUE = ${version}`);
      await assertRejects(
        () => inDatabase(path, (sink) => sink.open()),
        SyntaxError,
        message,
      );
    }
  }));
