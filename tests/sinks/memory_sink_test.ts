// Systems in memory: they are read as they were written, and batches are stored entirely or not at all.
import { assert, assertEquals, assertThrows } from "@std/assert";
import { Batch, fcc, rattle, System } from "../../src/batch/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { MemorySink, type Sink } from "../../src/sinks/mod.ts";
import { ARGON } from "../dynamics/atoms.ts";

const atom = (x: number, id?: number) =>
  new System({ symbols: ["Ar"], positions: [x, 0, 0], ...(id !== undefined && { id }) });

Deno.test("systems are read in the order of writing, with integers and edges intact", () => {
  const batch = Batch.from([atom(1), rattle(fcc({ element: "Ar", a: 5.26, cells: 1 }), 0.1, 3)]);
  batch.set("tags", [7, 8, 9, 10, 11], { level: "node", dtype: "i32" });
  batch.setEdges([[1, 2], [3, 4]]);
  const sink: Sink = new MemorySink();
  sink.write(batch);
  sink.write(batch, [0, 1]);
  const all = sink.read() as Batch;
  assertEquals(all.size, 3);
  assertEquals([...all.get("tags")], [7, 8, 9, 10, 11, 8, 9, 10, 11]);
  assertEquals([...all.get("edges")], [1, 2, 3, 4, 5, 6, 7, 8]);
  const own = [...batch.get("positions")];
  assertEquals([...all.get("positions")], [...own, ...own.slice(3)]);
  assertEquals([...all.get("systemId")], [0, 1, 2]); // the second time it gets another id
});

Deno.test("a sink keeps copies: later changes of written or read batches do not affect it", () => {
  const batch = Batch.from([atom(1)]);
  const sink = new MemorySink();
  sink.write(batch);
  batch.get("positions")[0] = 2;
  sink.read().get("positions")[0] = 3;
  assertEquals(sink.read().get("positions")[0], 1);
});

Deno.test("a batch that exceeds the capacity is refused as a whole", () => {
  const sink = new MemorySink({ capacity: 3 });
  sink.write(Batch.from([atom(1), atom(2)]));
  assertEquals([sink.length, sink.capacity, sink.isFull], [2, 3, false]);
  assertThrows(
    () => sink.write(Batch.from([atom(3), atom(4)])),
    RangeError,
    "2 more systems exceed its capacity of 3; it has 2",
  );
  assertEquals(sink.length, 2);
  sink.write(Batch.from([atom(3), atom(4)]), [true, false]);
  assert(sink.isFull);
  sink.write(Batch.from([atom(5)]), [0]); // an empty selection always fits
  assertEquals([...sink.drain().get("positions")].filter((_, i) => i % 3 === 0), [1, 2, 3]);
  assertEquals([sink.length, sink.isFull], [0, false]);
  sink.write(Batch.from([atom(6)]));
  sink.clear();
  assertEquals(sink.length, 0);
});

Deno.test("a mask of any type of list selects systems; another length or other values are refused", () => {
  const batch = Batch.from([atom(1), atom(2), atom(3)]);
  for (
    const mask of [[false, true, true], [0, 1, 1], Int32Array.of(0, 1, 1), Uint8Array.of(0, 1, 1)]
  ) {
    const sink = new MemorySink();
    sink.write(batch, mask);
    assertEquals([...sink.read().get("positions")].filter((_, i) => i % 3 === 0), [2, 3]);
  }
  const sink = new MemorySink();
  const wrong: readonly (readonly [unknown, typeof Error, string])[] = [
    [[1, 1], RangeError, "must have 3 flags, one per system; got 2"],
    [[0, 1, 2], RangeError, "got 2 for system 2"],
    [[0, 1, undefined], RangeError, "got undefined for system 2"],
    ["101", TypeError, '"101"'],
    [null, TypeError, "null"],
  ];
  for (const [mask, error, message] of wrong) {
    assertThrows(() => sink.write(batch, mask as number[]), error, message);
  }
  assertEquals(sink.length, 0);
});

Deno.test("systems whose fields differ from those of any earlier system are refused when they are written", () => {
  const sink = new MemorySink();
  const [plain, int, float] = [0, 1, 2].map(() => Batch.from([atom(1)])) as [Batch, Batch, Batch];
  int.set("tag", 1, { level: "system", dtype: "i32", fill: 0 });
  float.set("tag", 0.5, { level: "system", dtype: "f64" });
  sink.write(plain);
  sink.write(int);
  assertThrows(() => sink.write(float), TypeError, '"tag"');
  sink.write(plain); // has the fill value instead
  assertEquals([...sink.read().get("tag")], [0, 1, 0]);
});

Deno.test("reading an empty sink, writing to a closed sink, and a batch under an engine give clear errors", async () => {
  const sink = new MemorySink();
  assertThrows(() => sink.read(), RangeError, "it is empty");
  assertThrows(() => sink.drain(), RangeError, "it is empty");
  assertThrows(() => sink.write(atom(1) as unknown as Batch), TypeError, "a batch");
  let error: unknown;
  const write = hook({
    name: "write",
    on: {
      dynamics: {
        AFTER_STEP: (ctx) => {
          try {
            sink.write(ctx.batch);
          } catch (thrown) {
            error = thrown;
          }
        },
      },
    },
  });
  await using md = new NVE({ model: ARGON, dt: 1, device: "reference", hooks: [write] });
  await md.run(Batch.from([atom(1), atom(5)]), 1);
  assert(error instanceof Error && error.message.includes("snapshot()"), String(error));
  sink.write(Batch.from([atom(1)]));
  sink.close();
  assertThrows(() => sink.write(Batch.from([atom(1)])), Error, "closed");
  assertEquals(sink.read().size, 1);
});

Deno.test("wrong options of a memory sink are named", () => {
  const wrong: readonly (readonly [unknown, typeof Error, string])[] = [
    [{ capacity: 0 }, RangeError, "capacity must be a positive integer"],
    [{ capacity: 1.5 }, RangeError, "1.5"],
    [{ capacity: NaN }, RangeError, "NaN"],
    [{ capacity: "3" }, TypeError, '"3"'],
    [{ capactiy: 3 }, TypeError, '"capactiy"'],
    [3, TypeError, "options must be an object"],
  ];
  for (const [options, error, message] of wrong) {
    assertThrows(() => new MemorySink(options as { capacity: number }), error, message);
  }
});
