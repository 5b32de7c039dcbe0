/** Weights in files beside the model. */
import { assertEquals, assertRejects } from "@std/assert";
import {
  decodeModel,
  encodeModel,
  externalFiles,
  loadExternalData,
  tensorValues,
} from "../../src/onnx/mod.ts";
import { bytesOf, tensors } from "./odd_models.ts";

/** −1, 1.5, 2.5 */
const FILE = new Uint8Array(Float32Array.of(-1, 1.5, 2.5).buffer);

/** The model, with other entries for where its tensor is. */
function outside(entries: Record<string, string> = {}) {
  const model = tensors();
  const tensor = model.graph!.initializer.find(({ name }) => name === "outside")!;
  for (const entry of tensor.externalData) entry.value = entries[entry.key] ?? entry.value;
  tensor.externalData = tensor.externalData.filter(({ value }) => value !== "");
  return { model: decodeModel(bytesOf(model)), tensor };
}

Deno.test("external weights are listed, kept on encoding, and loaded on request", async () => {
  const { model } = outside();
  assertEquals(externalFiles(model), ["weights/a.bin"]);
  assertEquals(encodeModel(model), bytesOf(outside().model)); // kept
  const read: string[] = [];
  const count = await loadExternalData(model, (location) => {
    read.push(location);
    return Promise.resolve(FILE);
  });
  assertEquals([count, read], [1, ["weights/a.bin"]]);
  const loaded = decodeModel(encodeModel(model)).graph!.initializer.find(({ name }) =>
    name === "outside"
  )!;
  assertEquals(tensorValues(loaded), Float32Array.of(1.5, 2.5));
  assertEquals(externalFiles(model), []);
  assertEquals(await loadExternalData(model, () => FILE), 0);
});

Deno.test("a file of external weights is read once, also without offset and length", async () => {
  const { model } = outside({ offset: "", length: "" });
  const first = model.graph!.initializer.at(-1)!;
  model.graph!.initializer.push({ ...first, name: "more" });
  let reads = 0;
  assertEquals(await loadExternalData(model, () => (reads++, FILE)), 2);
  assertEquals(reads, 1);
  assertEquals(tensorValues(model.graph!.initializer.at(-1)!), Float32Array.of(-1, 1.5));
});

Deno.test("files outside the model's folder are never read", async () => {
  const refused = [
    "../a.bin",
    "a/../../b",
    "/etc/passwd",
    "\\\\host\\a",
    "https://example.com/a",
    "C:\\a",
    "file:a",
  ];
  for (const location of refused) {
    const { model } = outside({ location });
    let asked = false;
    await assertRejects(
      () => loadExternalData(model, () => (asked = true, FILE)),
      RangeError,
      `Cannot load the tensor "outside": its location must be inside the model's folder; got ${
        JSON.stringify(location)
      }`,
    );
    assertEquals(asked, false);
  }
});

Deno.test("files of wrong size are rejected, and the model does not change", async () => {
  const cases: [Record<string, string>, Uint8Array, string][] = [
    [{}, FILE.subarray(1), '"weights/a.bin" must have at least 12 bytes; got 11'],
    [{ offset: "5" }, FILE, '"weights/a.bin" must have at least 13 bytes; got 12'],
    [{ length: "4" }, FILE, "its shape [2] must have 8 bytes; got 4"],
    [{ offset: "-4" }, FILE, 'its offset must be a non-negative integer; got "-4"'],
    [{ offset: "1e3" }, FILE, 'got "1e3"'],
    [{ length: "9".repeat(30) }, FILE, "its length must be a non-negative integer"],
  ];
  for (const [entries, file, message] of cases) {
    const { model } = outside(entries);
    const before = encodeModel(model);
    await assertRejects(() => loadExternalData(model, () => file), RangeError, message);
    assertEquals(encodeModel(model), before);
  }
  await assertRejects(
    () => loadExternalData(outside().model, () => "text" as unknown as Uint8Array),
    TypeError,
    'Cannot load "weights/a.bin": `read` must return a Uint8Array; got [object String]',
  );
  const fault = new Error("no such file");
  await assertRejects(
    () => loadExternalData(outside().model, () => Promise.reject(fault)),
    Error,
    "no such file",
  );
});
