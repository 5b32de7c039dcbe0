/** Restrictions on the URL and the files of a model: limits, hashes, redirects, links, pipes and devices. */
import { assertEquals, assertRejects } from "@std/assert";
import { OnnxModel, type OnnxModelOptions } from "@hooke/hooke/models/onnx";
import { GraphBuilder } from "@hooke/hooke/onnx";
import { download } from "../../src/onnx/session/download.ts";
import { openSession } from "../../src/onnx/mod.ts";
import { farWeight, modelOf, node, value } from "../onnx/tiny_model.ts";

function springs(): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("springs");
  const x = g.input("positions", "f32", ["N", 3]);
  g.output("energy", g.reduceSum(g.mul(x, x), [1]), ["N"]);
  return g.build() as Uint8Array<ArrayBuffer>;
}

async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return `sha256-${new Uint8Array(digest).toBase64()}`;
}

const MODEL = springs(), MANIFEST = new TextEncoder().encode('{"energyUnit":"Hartree"}');
const EVALUATOR = { runtime: "evaluator" } as const;

/** A server with a model and its manifest, and with paths that fail. */
function serving() {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/to") {
      return new Response(null, { status: 302, headers: { location: searchParams.get("at")! } });
    }
    if (pathname === "/endless.onnx") {
      const chunk = new Uint8Array(65_536);
      return new Response(new ReadableStream({ pull: (to) => to.enqueue(chunk) }));
    }
    if (pathname === "/silent.onnx") return new Response(new ReadableStream());
    if (pathname === "/springs.json") return new Response(MANIFEST);
    if (pathname === "/springs.onnx") return new Response(MODEL);
    return new Response("none", { status: 404 });
  });
  return { server, url: `http://127.0.0.1:${server.addr.port}` };
}

Deno.test("downloads have limits of size and time, and redirects must stay with http", async () => {
  const { server, url } = serving();
  const open = async (path: string, download: OnnxModelOptions["download"] = {}) => {
    await using model = await OnnxModel.open(`${url}${path}`, { ...EVALUATOR, download });
    return model.describe();
  };
  try {
    await open("/springs.onnx");
    await open("/to?at=/springs.onnx");
    await assertRejects(
      () => open("/springs.onnx?key=SECRET", { maxBytes: 20 }),
      Error,
      `${url}/springs.onnx): it is larger than download.maxBytes (20)`,
    );
    await assertRejects(() => open("/endless.onnx", { maxBytes: 2 ** 20 }), Error, "larger than");
    await assertRejects(() => open("/silent.onnx", { timeout: 0.2 }), Error, "longer than 0.2 s");
    for (const to of ["file:///etc/hosts", "data:application/octet-stream;base64,CAo="]) {
      const path = `/to?at=${encodeURIComponent(to)}`;
      await assertRejects(() => open(path), Error, "the server redirected from http: to");
    }
    await assertRejects(() => open("/to?at=/to?at=/to"), Error, "Cannot open to (");
  } finally {
    await server.shutdown();
  }
});

/** Fetches from a server that gives this response. */
async function downloaded(answer: Response): Promise<Uint8Array> {
  const { fetch } = globalThis;
  globalThis.fetch = () => Promise.resolve(answer);
  try {
    return await download(new URL("http://localhost/a.onnx"));
  } finally {
    globalThis.fetch = fetch;
  }
}

/** A body of four chunks, which sum to 10 bytes. */
function inChunks(): ReadableStream<Uint8Array<ArrayBuffer>> {
  return ReadableStream.from(
    [[1], [], [2, 3, 4], [5, 6, 7, 8, 9, 10]].map((all) => Uint8Array.from(all)),
  );
}

Deno.test("a file is read into one array, of the length that the server says or one that grows", async () => {
  const bytes = Uint8Array.from({ length: 10 }, (_, i) => i + 1);
  for (const length of [undefined, 10, 4, 1000]) {
    const headers = length === undefined ? {} : { "content-length": `${length}` };
    const found = await downloaded(new Response(inChunks(), { headers }));
    assertEquals([found, found.buffer.byteLength], [bytes, 10], `Content-Length: ${length}`);
  }
  assertEquals(await downloaded(new Response(null)), new Uint8Array());
});

Deno.test("a file is read where buffers cannot be transferred and streams cannot be iterated, as in Safari", async () => {
  const { prototype } = ArrayBuffer, { transfer } = prototype;
  const body = inChunks();
  Object.defineProperty(body, Symbol.asyncIterator, { value: undefined });
  const answer = Object.defineProperty(new Response(), "body", { value: body });
  prototype.transfer = undefined as never;
  try {
    assertEquals(await downloaded(answer), Uint8Array.from({ length: 10 }, (_, i) => i + 1));
  } finally {
    prototype.transfer = transfer;
  }
});

Deno.test("a model, its manifest and files on disk are compared with their hashes", async () => {
  const { server, url } = serving();
  const [model, manifest] = [await hashOf(MODEL), await hashOf(MANIFEST)];
  const other = await hashOf(new Uint8Array(3));
  const open = async (
    integrity: string | Record<string, string>,
    source = `${url}/springs.onnx`,
  ) => {
    await using opened = await OnnxModel.open(source, { ...EVALUATOR, download: { integrity } });
    return opened.name;
  };
  const folder = await Deno.makeTempDir();
  try {
    assertEquals(await open(model), "springs.onnx");
    assertEquals(await open({ "springs.onnx": model, "springs.json": manifest }), "springs.onnx");
    await assertRejects(() => open(other), Error, `its hash is ${model}; expected ${other}`);
    await assertRejects(
      () => open({ "springs.onnx": model, "springs.json": other }),
      Error,
      "/springs.json): its hash is",
    );
    await assertRejects(
      () => open({ "springs.onnx": model }),
      Error,
      "download.integrity does not list it",
    );
    await assertRejects(() => open("sha256-abc"), TypeError, "download.integrity must be");
    await Deno.writeFile(`${folder}/a.onnx`, MODEL);
    assertEquals(await open(model, `${folder}/a.onnx`), "a.onnx");
    await assertRejects(() => open(other, `${folder}/a.onnx`), Error, "its hash is");
  } finally {
    await server.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("weights beside a model are regular files of its folder: no links out of it, pipes or devices", async () => {
  const bytes = new Uint8Array(Float32Array.of(10, 20, 30).buffer);
  const folder = await Deno.makeTempDir();
  const open = async (location: string) => {
    await Deno.writeFile(
      `${folder}/models/m.onnx`,
      modelOf({
        nodes: [node("Add", ["x", "w"], ["y"])],
        inputs: [value("x", "float32", ["N", 3])],
        outputs: [value("y", "float32", ["N", 3])],
        weights: [farWeight("w", [1, 3], { location })],
      }),
    );
    await using session = await openSession(`${folder}/models/m.onnx`);
    return session.name;
  };
  try {
    await Deno.mkdir(`${folder}/models/in`, { recursive: true });
    await Deno.writeFile(`${folder}/far.bin`, bytes);
    await Deno.writeFile(`${folder}/models/in/near.bin`, bytes);
    await Deno.symlink(`${folder}/far.bin`, `${folder}/models/far.bin`);
    await Deno.symlink(folder, `${folder}/models/up`);
    await Deno.symlink("/dev/zero", `${folder}/models/zero`);
    await Deno.symlink(`${folder}/models/in/near.bin`, `${folder}/models/near.bin`);
    await new Deno.Command("mkfifo", { args: [`${folder}/models/pipe`] }).output();
    for (const location of ["far.bin", "up/far.bin", "zero"]) {
      await assertRejects(
        () => open(location),
        RangeError,
        "is a link that leads out of the folder of the model",
      );
    }
    for (const location of ["pipe", "in"]) {
      await assertRejects(() => open(location), RangeError, "is not a regular file");
    }
    await assertRejects(
      () => open("none.bin"),
      RangeError,
      "Cannot open m.onnx: its weights none.bin cannot be read: ",
    );
    await assertRejects(() => open("../far.bin"), RangeError, "must be in its own folder");
    assertEquals(await open("near.bin"), "m.onnx");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
