// Content of a file after writes to a disk that was temporarily full.
import { assertEquals, assertRejects } from "@std/assert";
import { FileEnd } from "../../src/sinks/files/file_end.ts";

/** A fake file with limited room, which may refuse to be truncated. */
function fakeFile() {
  const bytes: number[] = [];
  const file = {
    bytes,
    room: Infinity,
    isStuck: false,
    write(more: Uint8Array, offset: number): Promise<{ bytesWritten: number }> {
      const free = Math.min(2, more.length - offset, this.room - bytes.length); // a few at a time
      if (free <= 0) return Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }));
      bytes.push(...more.subarray(offset, offset + free));
      return Promise.resolve({ bytesWritten: free });
    },
    truncate(size: number): Promise<void> {
      if (file.isStuck) return Promise.reject(new Error("stuck"));
      bytes.length = size;
      return Promise.resolve();
    },
  };
  return file;
}

Deno.test("the part of a write that a full disk accepted is removed at once", async () => {
  const file = fakeFile(), end = new FileEnd(file, "x", 0);
  await end.add(Uint8Array.of(1, 2, 3));
  file.room = 5;
  const error = await assertRejects(
    () => end.add(Uint8Array.of(4, 5, 6)),
    Error,
    "Cannot write to x",
  );
  assertEquals((error as { code?: unknown }).code, "ENOSPC");
  assertEquals([file.bytes, end.size], [[1, 2, 3], 3]);
});

Deno.test("a part that could not be removed at once is removed before the next write", async () => {
  const file = fakeFile(), end = new FileEnd(file, "x", 0);
  await end.add(Uint8Array.of(1, 2, 3));
  [file.room, file.isStuck] = [5, true];
  await assertRejects(() => end.add(Uint8Array.of(4, 5, 6)), Error, "no space left");
  assertEquals(file.bytes, [1, 2, 3, 4, 5]);
  await assertRejects(() => end.add(Uint8Array.of(7)), Error, "stuck"); // nothing is written behind an incomplete write
  assertEquals(file.bytes, [1, 2, 3, 4, 5]);
  [file.room, file.isStuck] = [Infinity, false];
  await end.add(Uint8Array.of(7, 8));
  assertEquals([file.bytes, end.size], [[1, 2, 3, 7, 8], 5]);
});
