// Stores on a web server, by a stand-in for `fetch` that serves a folder.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { Batch } from "../../../src/batch/batch.ts";
import { System } from "../../../src/batch/mod.ts";
import { httpHost } from "../../../src/page/viewer/read/http_files.ts";
import { openZarrFrames } from "../../../src/page/viewer/read/zarr_frames.ts";
import { ZarrSink } from "../../../src/sinks/mod.ts";

const BASE = "http://example.test/run.zarr";

/** Kinds of servers: with ranges, without ranges, and one that sends less than it was asked for. */
type Server = "ranges" | "whole" | "short";

/** Serves a folder in place of the network while work is done. Returns the requested paths and ranges. */
async function served(
  folder: string,
  server: Server,
  work: () => Promise<void>,
): Promise<string[]> {
  const real = globalThis.fetch, asked: string[] = [];
  globalThis.fetch = async (input, init) => {
    const path = String(input).slice(BASE.length), range = new Headers(init?.headers).get("range");
    asked.push(`${path} ${range ?? ""}`.trim());
    const bytes = await Deno.readFile(`${folder}${path}`).catch(() => undefined);
    if (bytes === undefined) return new Response("", { status: 404, statusText: "Not Found" });
    const [, first, last] = /^bytes=(\d*)-(\d+)$/.exec(range ?? "") ?? [];
    if (last === undefined || server === "whole") return new Response(bytes);
    const from = first === "" ? Math.max(0, bytes.length - Number(last)) : Number(first);
    const to = first === "" ? bytes.length : Math.min(bytes.length, Number(last) + 1);
    const sent = bytes.slice(from, server === "short" && first !== "" ? to - 1 : to);
    return new Response(sent, {
      status: 206,
      headers: { "content-range": `bytes ${from}-${to - 1}/${bytes.length}` },
    });
  };
  try {
    await work();
  } finally {
    globalThis.fetch = real;
  }
  return asked;
}

async function withStore(
  compression: "zstd" | "none",
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await using sink = new ZarrSink(`${folder}/run.zarr`, { compression });
    for (let frame = 0; frame < 40; frame++) {
      // The number of atoms changes, so that rows of atoms must be found by pointers.
      const symbols = Array.from({ length: 1 + frame % 3 }, () => "Ar");
      const positions = symbols.map((_, i) => [frame, i, 0.5]);
      const batch = Batch.from([new System({ symbols, positions, cell: [9, 9, 9] })]);
      batch.set("step", 5 * frame, { level: "system", unit: "" });
      await sink.write(batch);
    }
    await sink.close();
    await use(`${folder}/run.zarr`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("frames of a store on a server are those of the store, with and without ranges and compression", async () => {
  for (
    const [compression, server] of [["zstd", "ranges"], ["none", "ranges"], [
      "zstd",
      "whole",
    ]] as const
  ) {
    await withStore(compression, async (folder) => {
      const asked = await served(folder, server, async () => {
        const frames = await openZarrFrames(`${BASE}/`);
        assertEquals(frames.length, 40);
        for (const index of [39, 0, 20]) {
          const { numbers, positions, step, cell, pbc } = await frames.frame(index);
          assertEquals([numbers.length, step], [1 + index % 3, 5 * index]);
          assertEquals([...positions.subarray(-3)], [index, index % 3, 0.5]);
          assertEquals([cell?.[0], pbc], [9, [true, true, true]]);
        }
        await assertRejects(() => frames.frame(40), RangeError, "there are 40 frames");
      });
      const shards = asked.filter((one) => /^\/core\/.*\/c\//.test(one));
      assertEquals(shards.length, new Set(shards).size, "no part is fetched twice");
      assert(shards.every((one) => / bytes=/.test(one)));
    });
  }
});

Deno.test("a large file is fetched in blocks around what is read, and kept", async () => {
  const folder = await Deno.makeTempDir();
  const all = Uint8Array.from({ length: 600_000 }, (_, i) => (i * 7) >> 3);
  await Deno.writeFile(`${folder}/shard`, all);
  const asked = await served(folder, "ranges", async () => {
    const file = await httpHost().fs.open(`${BASE}/shard`, "r");
    assertEquals((await file.stat()).size, 600_000);
    for (
      const [from, length] of [[10, 4], [599_000, 1000], [131_000, 200], [599_990, 100]] as const
    ) {
      const bytes = new Uint8Array(length);
      const { bytesRead } = await file.read(bytes, 0, length, from);
      assertEquals(bytes.subarray(0, bytesRead), all.slice(from, from + length));
    }
  });
  assertEquals(asked, [
    "/shard bytes=-131072",
    "/shard bytes=0-131071",
    "/shard bytes=131072-262143",
  ]);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a missing store, a server that sends too little, and writing are errors in words", async () => {
  await withStore("zstd", async (folder) => {
    await served(`${folder}/none`, "ranges", async () => {
      await assertRejects(
        () => openZarrFrames(BASE),
        SyntaxError,
        "there is no http://example.test/run.zarr/zarr.json",
      );
    });
  });
  const folder = await Deno.makeTempDir();
  await Deno.writeFile(`${folder}/shard`, new Uint8Array(400_000));
  await served(folder, "short", async () => {
    const { fs } = httpHost();
    const file = await fs.open(`${BASE}/shard`, "r");
    await assertRejects(
      () => file.read(new Uint8Array(8), 0, 8, 0),
      Error,
      "sent 131071 bytes instead of 131072",
    );
    await assertRejects(() => file.sync(), TypeError, "on a web server");
    await assertRejects(() => fs.readdir(BASE), TypeError, "list no folders");
  });
  await Deno.remove(folder, { recursive: true });
});
