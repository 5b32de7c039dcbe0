/** Models from bytes and to bytes, and invalid models. */
import process from "node:process";
import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { create } from "@bufbuild/protobuf";
import { type ModelProto, ModelProtoSchema, TensorProtoSchema } from "onnx-buf";
import { decodeModel, encodeModel, Graph, tensorValues, valueInfo } from "../../src/onnx/mod.ts";
import { branching, bytesOf, modelOf, node, oddModels, tensors } from "./odd_models.ts";
import { MODELS, modelTest, readModel, SMALL_MODELS } from "./shared_models.ts";
import { few, test } from "../suite.ts";

test("files of other kinds are rejected with their kind", () => {
  const kinds: Readonly<Record<string, string>> = {
    "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a": "git lfs pull",
    "<!DOCTYPE html><html>": "a page of HTML",
    '{ "cutoff": 5 }': "JSON",
    "3\nProperties=species:S:1:pos:R:3\nO 0 0 0": "text",
    "PK\x03\x04\x00\x00\x08\x08":
      "a zip, as PyTorch writes: export the model to ONNX, as hooke-export does",
  };
  for (const [text, kind] of Object.entries(kinds)) {
    const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
    const { message } = assertThrows(() => decodeModel(bytes, { name: "a.onnx" }), SyntaxError);
    assert(message.startsWith("Cannot read a.onnx: it must be an ONNX model"), message);
    assert(message.includes(kind), message);
  }
});

test("every model is encoded to the bytes it was decoded from", () => {
  for (const [name, bytes] of Object.entries(oddModels())) {
    assertEquals(encodeModel(decodeModel(bytes)), bytes, name);
    assertEquals(new Graph(decodeModel(bytes)).encode(), bytes, name);
  }
});

for (const name of few(SMALL_MODELS, MODELS)) {
  modelTest(`${name} is encoded to the bytes it was decoded from`, () => {
    const bytes = readModel(name);
    // Not assertEquals, which takes minutes to show two megabytes that differ.
    const isSame = (other: Uint8Array) =>
      other.length === bytes.length && other.every((byte, i) => byte === bytes[i]);
    assert(isSame(encodeModel(decodeModel(bytes))), "the codec changes it");
    assert(isSame(new Graph(decodeModel(bytes)).encode()), "the graph changes it");
  });
}

/** A field as protobuf has it: a number of bytes below 128, or a number below 128. */
function field(number: number, value: number | number[]): number[] {
  const tag = (wire: number) => {
    const key = number * 8 + wire;
    return key < 128 ? [key] : [key % 128 + 128, Math.floor(key / 128)];
  };
  return typeof value === "number" ? [...tag(0), value] : [...tag(2), value.length, ...value];
}

/** A model of fields written by hand. */
function raw(graph: number[], ...more: number[][]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([
    ...field(1, 8),
    ...field(8, field(2, 18)),
    ...field(7, graph),
    ...more.flat(),
  ]);
}

test("unknown fields are kept at every level", () => {
  const group = [100 * 8 % 128 + 3 + 128, 6, ...field(7, 1), 100 * 8 % 128 + 4 + 128, 6];
  const bytes = raw(
    [...field(2, [65]), ...field(1000, [1, 2, 3])],
    field(999, 5),
    field(998, [200, 201]),
    group,
  );
  const model = decodeModel(bytes);
  const again = encodeModel(model);
  assertEquals([...again].sort(), [...bytes].sort()); // known fields first, then the others
  assertEquals(model.$unknown?.length, 3);
  assertEquals(decodeModel(again).graph?.$unknown?.[0]?.data, Uint8Array.of(3, 1, 2, 3));
});

test("numbers of a list may be packed or not", () => {
  const dims = (
    values: number[],
  ) => [...field(2, 1), ...values, ...field(8, [65]), ...field(9, Array(24).fill(0))];
  const together = decodeModel(raw(field(5, dims(field(1, [2, 3])))));
  const alone = decodeModel(raw(field(5, dims([...field(1, 2), ...field(1, 3)]))));
  for (const model of [together, alone]) assertEquals(model.graph!.initializer[0]!.dims, [2n, 3n]);
});

test("weights share the memory of the file", () => {
  const bytes = bytesOf(tensors());
  const weights = decodeModel(bytes).graph!.initializer.find(({ name }) => name === "raw")!;
  assertStrictEquals(weights.rawData.buffer, bytes.buffer);
});

test("tensorValues() reads values from every field that can hold them", () => {
  const model = decodeModel(bytesOf(tensors()));
  const values = (name: string) =>
    tensorValues(model.graph!.initializer.find((tensor) => tensor.name === name)!);
  assertEquals(values("raw"), Float32Array.of(1, -2.5, 3e38, -0));
  assertEquals(values("longs"), BigInt64Array.of(-1n, 0n, 2n ** 52n));
  assertEquals(values("floats"), Float32Array.of(0.5, -Infinity, 1));
  assertEquals(values("ints"), Int32Array.of(-1, 7));
  assertEquals(values("bytes"), Uint8Array.of(255, 0));
  assertEquals(values("long"), BigInt64Array.of(-(2n ** 60n)));
  assertEquals(values("doubles"), Float64Array.of(Math.PI));
  assertEquals(values("unsigned"), BigUint64Array.of(2n ** 63n));
  assertEquals(values("none"), new Float32Array());
  assertThrows(() => values("texts"), TypeError, "its type must be one of f16, bf16, f32");
  assertThrows(
    () => values("outside"),
    TypeError,
    '"weights/a.bin". Load them by loadExternalData',
  );
});

test("unaligned raw values are read", () => {
  const bytes = bytesOf(tensors());
  for (let shift = 0; shift < 8; shift++) {
    const moved = new Uint8Array(bytes.length + 8).subarray(shift, shift + bytes.length);
    moved.set(bytes);
    const { initializer } = decodeModel(moved).graph!;
    assertEquals(tensorValues(initializer[0]!), Float32Array.of(1, -2.5, 3e38, -0));
    assertEquals(tensorValues(initializer[1]!), BigInt64Array.of(-1n, 0n, 2n ** 52n));
  }
});

function refuses(bytes: Uint8Array, message: string): void {
  assertThrows(() => decodeModel(bytes), SyntaxError, message);
}

test("a model truncated at any byte is rejected", () => {
  for (const [name, bytes] of Object.entries(oddModels())) {
    const known = new Set([bytes.length]);
    for (let length = 0; length < bytes.length; length++) {
      const part = bytes.subarray(0, length);
      try {
        // Between two fields of the outermost message a part may be a model of its own.
        assertEquals(encodeModel(decodeModel(part)), part);
        known.add(length);
      } catch (error) {
        assert(error instanceof SyntaxError, `${name} of ${length} bytes: ${error}`);
      }
    }
    assert(known.size <= 4, `${name} is a model at ${[...known]} bytes`);
  }
});

test("files that are not ONNX models are rejected with the reason", () => {
  const text = (words: string) => new TextEncoder().encode(words);
  refuses(
    new Uint8Array(),
    "Cannot read an ONNX model: it must not be empty; got 0 bytes",
  );
  refuses(text("<!doctype html><html>404</html>"), "Cannot read an ONNX model: ");
  refuses(
    text("version https://git-lfs.github.com/spec/v1\noid sha256:0"),
    "Cannot read an ONNX model: ",
  );
  refuses(new Uint8Array(1000), "field numbers must be from 1 to 536870911; got 0");
  refuses(Uint8Array.from(field(1, 8)), "it must have a graph; got none");
  refuses(
    raw([...field(2, [65])]).subarray(2),
    "its IR version must be at least 1; got 0",
  );
  refuses(raw(field(2, [0xff])), "its name must be UTF-8; got other bytes (at byte ");
  refuses(
    raw(field(1, 5)),
    "its node must have the wire type 2; got 0 (at byte 9, in a GraphProto)",
  );
  refuses(
    raw([1 * 8 + 2, 5, 1]),
    "node must end within its message; got 5 bytes where 1 are left",
  );
  refuses(Uint8Array.of(8, ...Array(10).fill(128), 1), "a number must have at most 10 bytes");
  refuses(raw([7]), "field numbers must be from 1");
  refuses(raw([9 * 8 + 7]), "the wire type of a field must be 0, 1, 2, 3 or 5; got 7");
  refuses(raw([], [100 * 8 % 128 + 3 + 128, 6]), "it must be complete; got the end");
  assertThrows(
    () => decodeModel(new ArrayBuffer(8) as unknown as Uint8Array),
    TypeError,
    "Cannot read an ONNX model: it must be a Uint8Array; got an ArrayBuffer",
  );
  assertThrows(
    () => decodeModel(text("<html>"), { name: "a.onnx" }),
    SyntaxError,
    "Cannot read a.onnx: ",
  );
});

/** A model in which a tensor is changed after it was made. */
function withTensor(fields: Record<string, unknown>): Uint8Array<ArrayBuffer> {
  const tensor = create(TensorProtoSchema, {
    name: "w",
    dataType: 1,
    dims: [2n],
    rawData: new Uint8Array(8),
  });
  return bytesOf(modelOf({ initializer: [Object.assign(tensor, fields)] }));
}

test("tensors whose values do not match their shape are rejected", () => {
  decodeModel(withTensor({}));
  const cases: [Record<string, unknown>, string][] = [
    [{ dims: [3n] }, 'the tensor "w" of shape [3] must have 12 bytes; got 8'],
    [{ dims: [-2n] }, 'the lengths of "w" must not be negative; got -2'],
    [{ dims: [2n ** 62n, 2n ** 62n] }, '"w" must fit into 4294967296 bytes of memory'],
    [{ dims: Array(2000).fill(2n ** 60n) }, '"w" must fit into 4294967296 bytes of memory'],
    [{ dims: [2n ** 40n, 0n], rawData: new Uint8Array() }, ""],
    [{ floatData: [1, 2] }, "got 2, besides 8 raw bytes"],
    [{ floatData: [1], rawData: new Uint8Array() }, "must have 2 values; got 1"],
    [{ dataType: 0 }, 'the type of the tensor "w" must be known; got 0'],
    [{ dataType: 77 }, 'the type of the tensor "w" must be known; got 77'],
    [{ dataLocation: 1 }, 'the external tensor "w" must have a location; got none'],
    [{ name: "" }, "its initializers must have names"],
  ];
  for (const [fields, message] of cases) {
    if (message === "") decodeModel(withTensor(fields));
    else refuses(withTensor(fields), message);
  }
});

test("shapes larger than memory are rejected before memory is allocated", () => {
  const declared = (...shape: (number | string)[]) =>
    bytesOf(modelOf({
      input: [valueInfo("x", "f32", shape)],
      node: [node("Identity", ["x"], ["y"])],
      output: [valueInfo("y", "f32", ["N"])],
    }));
  decodeModel(declared(2 ** 30));
  refuses(
    declared(2 ** 30 + 1),
    '"x" must fit into 4294967296 bytes of memory; got a shape of [1073741825]',
  );
  refuses(declared(2 ** 50, "N", 2 ** 50), '"x" must fit into');
  refuses(declared("N", -1), 'the lengths of "x" must not be negative; got -1');
});

test("a file with too many messages for memory is rejected at once", () => {
  // 16 MB that say: node, node, node, … each of 256 bytes and more as an object.
  const graph = new Uint8Array(2 ** 24 + 16);
  for (let i = 0; i < 2 ** 24; i += 2) graph[16 + i] = 10;
  const length = 2 ** 24;
  graph.set([
    8,
    8,
    66,
    2,
    16,
    18,
    58,
    length % 128 + 128,
    (length >> 7) % 128 + 128,
    (length >> 14) % 128 + 128,
    length >> 21,
  ]);
  const bytes = new Uint8Array([...graph.subarray(0, 11), ...graph.subarray(16)]);
  const before = process.cpuUsage();
  refuses(bytes, "its decoded form must fit into 2147483648 bytes of memory");
  // Microseconds of the processor's: on a busy machine the clock on the wall runs on.
  assert(process.cpuUsage(before).user < 2e6);
});

test("the nesting of subgraphs is limited", () => {
  // node → attribute → graph → node …
  let inner = new Uint8Array();
  const wrap = (number: number, content: Uint8Array) => {
    const size = content.length;
    const head = size < 128 ? [size] : [size % 128 + 128, Math.floor(size / 128)];
    return Uint8Array.of(number * 8 + 2, ...head, ...content);
  };
  for (let depth = 0; depth < 60; depth++) inner = wrap(1, wrap(5, wrap(6, inner)));
  refuses(
    Uint8Array.of(8, 8, 66, 2, 16, 18, ...wrap(7, inner)),
    "it must be nested at most 100 deep; got deeper",
  );
});

test("nodes without operator, outputs or attribute names are rejected", () => {
  const change = (edit: (model: ModelProto) => void) => {
    const model = branching();
    edit(model);
    return bytesOf(model);
  };
  refuses(
    change((model) => model.graph!.node[0]!.opType = ""),
    'its nodes must have an operator; got the node "If:y"',
  );
  refuses(
    change((model) => model.graph!.node[0]!.output = [""]),
    'its nodes must have an output; got the If "If:y"',
  );
  refuses(
    change((model) => model.graph!.node[0]!.attribute[0]!.name = ""),
    "attributes must have names",
  );
  refuses(
    change((model) => model.graph!.node[0]!.attribute[0]!.g!.node[0]!.opType = ""),
    "its nodes must have an operator",
  );
  refuses(
    change((model) => model.opsetImport = []),
    "it must import an opset of ai.onnx; got none",
  );
  refuses(
    change((model) => model.opsetImport[0]!.version = -1n),
    "the opset of ai.onnx must be at least 1; got -1",
  );
  refuses(change((model) => model.graph!.input[0]!.name = ""), "its inputs must have names");
  refuses(change((model) => model.graph = undefined as never), "it must have a graph");
});

test("a model that cannot be encoded reports why", () => {
  const model = branching();
  model.irVersion = "eight" as unknown as bigint;
  assertThrows(
    () => encodeModel(model),
    TypeError,
    "Cannot write an ONNX model: a field has a value of the wrong kind: ",
  );
  const heavy = create(ModelProtoSchema, modelOf({}));
  const weights = create(TensorProtoSchema, { name: "w", dataType: 2, dims: [] });
  Object.defineProperty(weights, "rawData", { value: { length: 2 ** 31 } });
  heavy.graph!.initializer.push(weights);
  assertThrows(
    () => encodeModel(heavy),
    RangeError,
    "its weights must have less than 2147483648 bytes; got 2147483648",
  );
});
