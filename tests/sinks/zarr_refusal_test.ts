import { assert, assertEquals, assertRejects } from "@std/assert";
import { fileURLToPath } from "node:url";
import { ZarrSink } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";
import { slowTest, test } from "../suite.ts";
import { frameAt } from "./zarr_endless.ts";

/**
 * Size limit of files in blocks of 1 kB: enough for the metadata and some hundred frames, compressed (turn 0)
 * and not.
 */
const LIMITS: readonly (readonly [turn: number, limit: number])[] = [[0, 8], [1, 48]];

for (const [turn, limit] of LIMITS) {
  slowTest(
    `flushed frames stay when files reach their size limit, and other sinks continue (${turn})`,
    async () => {
      await withFolder(async (folder) => {
        const path = `${folder}/x.zarr`;
        const child = fileURLToPath(new URL("zarr_limited.ts", import.meta.url));
        const limited =
          `trap '' XFSZ; ulimit -f ${limit}; exec "$0" run -A --no-check "$1" "$2" "$3"`;
        const { stdout, stderr, code } = await new Deno.Command("bash", {
          args: ["-c", limited, Deno.execPath(), child, path, String(turn)],
        }).output();
        assertEquals(code, 0, new TextDecoder().decode(stderr));
        const { flushed, told, other } = JSON.parse(new TextDecoder().decode(stdout));
        assert(flushed > 20, `only ${flushed} frames were flushed`);
        for (const message of told) {
          assert(
            message.startsWith(`Cannot write to ${path}: `),
            message,
          );
        }
        assertEquals(other, flushed + 2);
        assertEquals((await new ZarrSink(`${path}.other`).read()).size, other);
        // Once there is room again, it continues.
        await using sink = new ZarrSink(path);
        await sink.write(frameAt(flushed));
        await sink.flush();
        const steps = Array.from({ length: flushed + 1 }, (_, step) => step);
        const all = await sink.read();
        assertEquals([...all.get("step")], steps);
        assertEquals(all.get("positions"), positionsOf(steps));
      });
    },
  );
}

function positionsOf(steps: readonly number[]): Float64Array {
  return Float64Array.from(steps.flatMap((step) => [...frameAt(step).get("positions")]));
}

test("a refusal by the file system is thrown with its code by the next call", async () => {
  const sink = new ZarrSink("/proc/hooke.zarr"); // no user can create a folder there
  const error = await assertRejects(() => sink.open(), Error, "Cannot open /proc/hooke.zarr");
  assert("code" in error && error.cause instanceof Error);
  sink.write(frameAt(0)); // accepted, and then the write fails
  await assertRejects(() => sink.flush(), Error, "Cannot open /proc/hooke.zarr");
  assertEquals(sink.length, 0);
  await sink.close();
});
