// Files for TensorBoard: records, checksums, messages; damaged and incomplete files.
import { assert, assertAlmostEquals, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { parseTensorBoard, readTensorBoard, TensorBoardFile } from "../../src/sinks/mod.ts";
import { frameRecord } from "../../src/sinks/tensorboard/tensorboard_records.ts";

async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Bytes of a file with three events, and the end of each record. */
async function threeEvents(folder: string): Promise<{ bytes: Uint8Array; ends: number[] }> {
  const board = new TensorBoardFile(folder), ends: number[] = [];
  await board.open();
  ends.push(Deno.statSync(board.path!).size);
  for (const step of [0, 1]) {
    board.add(step, { "loss/total": 1 / (step + 1), lr: 0.25 });
    await board.flush();
    ends.push(Deno.statSync(board.path!).size);
  }
  board.addHistogram(1, "forces", [-2, -1, -1, 2], { ranges: 2 });
  await board.close();
  ends.push(Deno.statSync(board.path!).size);
  return { bytes: await Deno.readFile(board.path!), ends };
}

Deno.test("a record has the same bytes as that of TensorBoard's own writer", () => {
  // tensorboard.summary.writer.record_writer.RecordWriter of 2.20.0, for b"hello"
  const known = "0500000000000000eab2043e68656c6c6fbb1f1c19";
  assertEquals(frameRecord(new TextEncoder().encode("hello")).toHex(), known);
});

Deno.test("steps, times, tags, numbers as float32 and histograms are read back", () =>
  inFolder(async (folder) => {
    const board = new TensorBoardFile(`${folder}/deep/er`);
    await board.open();
    board.add(0, { "loss/total": 0.1, "ø": -0, nan: NaN, far: -Infinity }, { wallTime: 12.5 });
    board.add(2 ** 40, { ["__proto__"]: 1, ["x".repeat(300)]: 2 }, { wallTime: 13 });
    board.addHistogram(7, "h", Float32Array.of(0, 1, 1, 2, 4), { ranges: 4, wallTime: 14 });
    board.addHistogram(8, "same", [3, 3], { wallTime: 15 });
    await board.close();
    const [first, second, third, fourth] = await readTensorBoard(`${folder}/deep/er`);
    assertEquals(first, {
      step: 0,
      wallTime: 12.5,
      histograms: {},
      scalars: { "loss/total": Math.fround(0.1), "ø": -0, nan: NaN, far: -Infinity },
    });
    assertEquals([second?.step, Object.keys(second!.scalars).length], [2 ** 40, 2]);
    assertEquals(third?.histograms["h"], {
      min: 0,
      max: 4,
      count: 5,
      sum: 8,
      sumOfSquares: 22,
      limits: [1, 2, 3, 4],
      counts: [1, 2, 1, 1],
    });
    const { counts, min, max } = fourth!.histograms["same"]!;
    assertEquals([min, max, counts[0], counts.length], [3, 3, 2, 30]);
  }));

Deno.test("each run has its own file, which sorts after those of earlier runs", () =>
  inFolder(async (folder) => {
    for (const step of [0, 1, 2]) {
      await using board = new TensorBoardFile(new URL(`file://${folder}`));
      await board.open();
      board.add(step, { x: step });
    }
    assertEquals([...Deno.readDirSync(folder)].length, 3);
    assertEquals((await readTensorBoard(folder)).map(({ step }) => step), [0, 1, 2]);
  }));

Deno.test("a file that is cut off anywhere has all complete records before, and nothing else", () =>
  inFolder(async (folder) => {
    const { bytes, ends } = await threeEvents(folder);
    const whole = parseTensorBoard(bytes);
    assertEquals(whole.length, 3);
    for (let length = 0; length <= bytes.length; length++) {
      const records = ends.filter((end) => end <= length).length;
      const events = parseTensorBoard(bytes.subarray(0, length));
      assertEquals(events, whole.slice(0, Math.max(0, records - 1)), `cut to ${length}`);
    }
  }));

Deno.test("a wrong byte is found, and its record is named", () =>
  inFolder(async (folder) => {
    const { bytes, ends } = await threeEvents(folder);
    for (let i = 0; i < bytes.length; i++) {
      const damaged = bytes.slice();
      damaged[i]! ^= 1 << i % 8;
      const record = ends.findIndex((end) => i < end);
      assertThrows(
        () => parseTensorBoard(damaged, "F"),
        SyntaxError,
        `of record ${record} must be`,
      );
    }
  }));

Deno.test("messages of random bytes with right checksums are read, or refused with their number", () =>
  inFolder(async (folder) => {
    const { bytes, ends } = await threeEvents(folder);
    const first = bytes.subarray(0, ends[0]);
    const message = bytes.slice(ends[0]! + 12, ends[1]! - 4);
    let refused = 0;
    const read = (any: Uint8Array) => {
      const record = frameRecord(any), file = new Uint8Array(first.length + record.length);
      file.set(first);
      file.set(record, first.length);
      try {
        for (const { scalars } of parseTensorBoard(file)) {
          assert(Object.values(scalars).every((value) => typeof value === "number"));
        }
      } catch (error) {
        assert(error instanceof SyntaxError && error.message.includes("record 1"), String(error));
        refused++;
      }
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), read), { numRuns: 300, seed: 1 });
    const changed = fc.tuple(fc.nat(message.length - 1), fc.nat(255), fc.nat(message.length));
    fc.assert(
      fc.property(
        changed,
        ([at, byte, length]) => read(message.with(at, byte).subarray(0, length)),
      ),
      { numRuns: 300, seed: 2 },
    );
    assert(refused > 100, `${refused} were refused`);
  }));

Deno.test("other files, and files of another version, are refused", () =>
  inFolder(async (folder) => {
    const text = new TextEncoder().encode("step,energy\n0,1\n1,2\n");
    assertThrows(
      () => parseTensorBoard(text, "log.csv"),
      SyntaxError,
      "Cannot read log.csv: the checksum",
    );
    const other = frameRecord(Uint8Array.of(26, 3, 97, 58, 51)); // file_version "a:3"
    assertThrows(() => parseTensorBoard(other), RangeError, "brain.Event:2; got a:3");
    const none = frameRecord(new Uint8Array());
    assertThrows(
      () => parseTensorBoard(none),
      SyntaxError,
      "its first record must contain its version",
    );
    await assertRejects(
      () => readTensorBoard(folder),
      RangeError,
      "contains no files of TensorBoard",
    );
  }));

Deno.test("failed writes are reported, and wrong arguments are refused", () =>
  inFolder(async (folder) => {
    const board = new TensorBoardFile(folder);
    assertThrows(() => board.add(0, {}), Error, ": the file is not open");
    await board.open();
    assertThrows(() => board.add(0.5, {}), RangeError, "got 0.5");
    assertThrows(() => board.addHistogram(0, "h", []), RangeError, "the list of numbers is empty");
    assertThrows(() => board.addHistogram(0, "h", [1, NaN]), RangeError, "got NaN at 1");
    await board.close();
    await Deno.writeTextFile(`${folder}/file`, "");
    const error = await assertRejects(
      () => new TensorBoardFile(`${folder}/file`).open(),
      Error,
      `Cannot write to ${folder}/file: a file or a broken link of that name exists`,
    );
    assertEquals((error as { code?: unknown }).code, "EEXIST");
  }));

Deno.test("on a full disk a record is written entirely or not at all, earlier records stay, and writing continues once there is room", () =>
  inFolder(async (folder) => {
    const script = `
      import { TensorBoardFile } from ${
      JSON.stringify(import.meta.resolve("../../src/sinks/mod.ts"))
    };
      const board = new TensorBoardFile(${JSON.stringify(folder)});
      await board.open();
      let told = 0, last = -1, after = 0;
      for (let step = 0; step < 200; step++) {
        board.add(step, { ["tag".repeat(step % 2 === 0 ? 20 : 1000)]: step });
        try { await board.flush(); last = step; if (told > 0) after++; } catch { told++; }
      }
      await board.close();
      console.log(told, last, after);`;
    const { stdout, success } = await new Deno.Command("bash", {
      args: [
        "-c",
        `trap '' XFSZ; ulimit -f 8; exec ${Deno.execPath()} eval --no-lock "$0"`,
        script,
      ],
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
    }).output();
    assert(success);
    const [told, last, after] = new TextDecoder().decode(stdout).split(" ").map(Number);
    const events = await readTensorBoard(folder);
    assert(told! > 50 && after! > 0, `${told} ${after}`); // a small record fits where a large one did not
    assertEquals(events.length, 200 - told!);
    assertAlmostEquals(Object.values(events.at(-1)!.scalars)[0]!, last!, 1e-9);
  }));
