import { assert, assertEquals, assertRejects } from "@std/assert";
import { decodeLink, encodeLink, isLink, type LinkedRun } from "../../../src/page/tab/link.ts";

const RUN: LinkedRun = {
  task: "md",
  files: [
    { name: "argon.xyz", bytes: new TextEncoder().encode("1\n\nAr 0 0 0\n") },
    { name: "frames.traj", bytes: Uint8Array.of(0, 255, 128, 7) },
  ],
  settings: { temperature: 40, seed: 7, device: "wasm" },
  moves: [{ step: 3, system: 0, atom: 0, position: [0.1, 0.2, -0.3] }],
  model: { name: "net.onnx", sha256: "ab" },
  result: { hash: "cd", device: "wasm" },
};

Deno.test("a link holds files, options, moves, and the hashes of model and result", async () => {
  const link = await encodeLink(RUN);
  assert(/^tab=1\.[\w-]+$/.test(link), link);
  assert(isLink(`#${link}`) && !isLink("#tab") && !isLink("#run=tab"));
  assertEquals(await decodeLink(`#${link}`), RUN);
});

Deno.test("a link that would be too long is refused with its length", async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  const all = [bytes, bytes.map((x) => x ^ 1)].map((bytes, i) => ({ name: `${i}.traj`, bytes }));
  await assertRejects(
    () => encodeLink({ task: "relax", files: all, settings: {} }),
    RangeError,
    "characters, and browsers cut addresses above 100000",
  );
});

/** Returns a link with any content. */
async function linkOf(content: unknown): Promise<string> {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  return `#tab=1.${bytes.toBase64({ alphabet: "base64url", omitPadding: true })}`;
}

Deno.test("a malformed link is an error in words", async () => {
  const good = await encodeLink(RUN), file = { name: "a.xyz", text: "" };
  const cases: readonly (readonly [string, string])[] = [
    [good.slice(0, -20), "incomplete or damaged"],
    [`${good.slice(0, 40)}AAAA${good.slice(44)}`, "incomplete or damaged"],
    ["#tab=1.", "incomplete or damaged"],
    ["#tab=???", "incomplete or damaged"],
    [good.replace("tab=1", "tab=2"), "its version is 2, and this page knows version 1"],
    [await linkOf("not JSON"), "incomplete or damaged"],
    [await linkOf([]), "must hold an object"],
    [await linkOf({ task: "fly", files: [file], settings: {} }), "its task must be one of md"],
    [await linkOf({ task: "md", files: [], settings: {} }), "it has no files"],
    [await linkOf({ task: "md", files: [{ name: "a" }], settings: {} }), "a name and a content"],
    [await linkOf({ task: "md", files: [file] }), "its settings must be an object"],
    [await linkOf({ task: "md", files: [file], settings: {}, moves: [{}] }), "its moves must be"],
    [await linkOf({ task: "md", files: [file], settings: {}, model: {} }), "its model must have"],
    [await linkOf({ task: "md", files: [file], settings: {}, result: 1 }), "its result must have"],
  ];
  for (const [link, message] of cases) {
    const { message: text } = await assertRejects(() => decodeLink(link), SyntaxError);
    assert(text.startsWith("Cannot read the link: ") && text.includes(message), text);
  }
});

Deno.test("a small link with a huge content is refused before it fills the memory", async () => {
  const link = await linkOf(" ".repeat(33 << 20));
  assert(link.length < 100_000);
  await assertRejects(() => decodeLink(link), RangeError, "its content is too large");
});
