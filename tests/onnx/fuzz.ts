/**
 * Models with damage, made from a seed, and what must hold of each.
 *
 * @module
 */

import { clone, fromBinary, toBinary } from "@bufbuild/protobuf";
import { assert } from "@std/assert";
import { ModelProtoSchema, NodeProtoSchema } from "onnx-buf";
import {
  acosToAtan,
  captureSafe,
  constantOfShapeToExpand,
  decodeModel,
  describeModel,
  encodeModel,
  Graph,
  int64ToInt32,
  showModel,
} from "../../src/onnx/mod.ts";
import { GraphFacts } from "../../src/onnx/infer/facts.ts";
import { indexed } from "./indexed_model.ts";
import { oddModels } from "./odd_models.ts";

/** Whole numbers from 0 to below `n`, the same for the same seed. */
export function randomFrom(seed: number): (n: number) => number {
  let state = seed >>> 0;
  return (n) => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9 | 0;
    let x = Math.imul(state ^ (state >>> 13), 0x297a2d39);
    x ^= x >>> 16;
    return (x >>> 0) % n;
  };
}

/** Operators that edits take an interest in. */
const OPS = [
  "Acos",
  "ConstantOfShape",
  "Expand",
  "Gather",
  "GatherND",
  "ScatterND",
  "ScatterElements",
  "Shape",
  "Cast",
  "Constant",
  "Unsqueeze",
  "Identity",
  "If",
  "Add",
  "Where",
  "Slice",
  "Reshape",
  "Concat",
  "Split",
  "Transpose",
  "MatMul",
  "Gemm",
  "Einsum",
  "ReduceSum",
  "Pad",
  "Squeeze",
  "Tile",
  "Range",
  "OneHot",
  "TopK",
  "Conv",
  "MaxPool",
  "LayerNormalization",
];

/** Bytes that mean much: ends of ranges of varints, tags, lengths. */
const LOADED = [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 18, 127, 128, 129, 254, 255];

/** One to four changes of one kind or other. */
function damaged(bytes: Uint8Array, other: Uint8Array, random: (n: number) => number): Uint8Array {
  let now = [...bytes];
  for (let changes = 1 + random(4); changes > 0; changes--) {
    const at = random(now.length + 1), length = 1 + random(16);
    switch (random(7)) {
      case 0:
        now[at] = (now[at] ?? 0) ^ (1 << random(8));
        break;
      case 1:
        now[at] = LOADED[random(LOADED.length)]!;
        break;
      case 2:
        now.splice(at, length);
        break;
      case 3:
        now.splice(at, 0, ...now.slice(at, at + length));
        break;
      case 4:
        now.splice(at, 0, ...Array.from({ length }, () => LOADED[random(LOADED.length)]!));
        break;
      case 5: {
        const from = random(other.length);
        now.splice(at, length, ...other.subarray(from, from + length));
        break;
      }
      default:
        if (random(8) === 0) now = now.slice(0, at);
        else now[at] = random(256);
    }
  }
  return Uint8Array.from(now);
}

/** One to three changes of what is in a model, that leave it a message. */
function confused(bytes: Uint8Array, random: (n: number) => number): Uint8Array {
  const model = fromBinary(ModelProtoSchema, bytes);
  const graph = model.graph!;
  const pick = <T>(list: readonly T[]): T | undefined => list[random(list.length)];
  const names = [
    ...graph.node.flatMap(({ input, output }) => [...input, ...output]),
    "",
    "nothing",
  ];
  for (let changes = 1 + random(3); changes > 0; changes--) {
    const node = pick(graph.node);
    const tensor = pick(graph.initializer);
    switch (random(14)) {
      case 0:
        if (node) node.input[random(node.input.length + 1)] = pick(names)!;
        break;
      case 1:
        if (node) node.output[random(node.output.length + 1)] = pick(names)!;
        break;
      case 2:
        node?.input.splice(random(3), 1);
        break;
      case 3:
        if (node) node.opType = pick(OPS) ?? pick(graph.node)!.opType;
        break;
      case 4:
        graph.node.splice(random(graph.node.length), 1);
        break;
      case 5:
        if (node) graph.node.splice(random(graph.node.length), 0, clone(NodeProtoSchema, node));
        break;
      case 6:
        graph.node.reverse();
        break;
      case 7:
        node?.attribute.splice(0, 1);
        break;
      case 8:
        if (tensor) tensor.dims[random(tensor.dims.length + 1)] = BigInt(random(5)) - 1n;
        break;
      case 9:
        if (tensor) tensor.dataType = random(30);
        break;
      case 10:
        graph.valueInfo.splice(random(graph.valueInfo.length), 1);
        break;
      case 11:
        if (tensor) tensor.name = pick(names)!;
        break;
      case 12: {
        const info = pick([...graph.valueInfo, ...graph.input, ...graph.output]);
        if (info?.type?.value.case === "tensorType") info.type.value.value.elemType = random(12);
        break;
      }
      default:
        if (random(4) === 0) model.opsetImport[0]!.version = BigInt(random(25));
        else graph.output.splice(random(graph.output.length), 1);
    }
  }
  return toBinary(ModelProtoSchema, model);
}

/** Number of damaged models by result. */
export interface FuzzResult {
  /** Refused by the codec. */
  refused: number;
  /** Models, but no graphs that make sense. */
  senseless: number;
  /** Graphs. */
  graphs: number;
  /** The longest that one took, ms. */
  slowest: number;
}

/** Damages models so often; throws at the first that is neither refused in words nor a valid graph. */
export function fuzz(count: number, seed: number): FuzzResult {
  const models = Object.values({ ...oddModels(), indexed: indexed() });
  const random = randomFrom(seed);
  const result: FuzzResult = { refused: 0, senseless: 0, graphs: 0, slowest: 0 };
  for (let i = 0; i < count; i++) {
    const model = models[random(models.length)]!;
    const bytes = i % 2 === 0
      ? damaged(model, models[random(models.length)]!, random)
      : confused(model, random);
    const before = performance.now();
    try {
      result[outcome(bytes)]++;
    } catch (error) {
      throw new Error(`of seed ${seed}, model ${i}: ${bytes.toBase64()}`, { cause: error });
    }
    result.slowest = Math.max(result.slowest, performance.now() - before);
  }
  return result;
}

function outcome(bytes: Uint8Array): "refused" | "senseless" | "graphs" {
  const model = orRefusal(() => decodeModel(bytes), [SyntaxError]);
  if (model === undefined) return "refused";
  const written = encodeModel(model);
  const again = encodeModel(decodeModel(written));
  assert(
    again.length === written.length && again.every((byte, i) => byte === written[i]),
    "it changes",
  );
  showModel(describeModel(model));
  const isGraph = orRefusal(() => new Graph(model), [SyntaxError, RangeError]) !== undefined;
  if (!isGraph) return "senseless";
  orRefusal(() => inferAll(new Graph(decodeModel(written))), [SyntaxError]);
  for (const edit of [int64ToInt32, captureSafe, constantOfShapeToExpand, acosToAtan]) {
    const graph = new Graph(decodeModel(written));
    if (orRefusal(() => edit(graph), [Error]) === undefined) continue;
    new Graph(decodeModel(graph.encode()));
  }
  return "graphs";
}

function inferAll(graph: Graph): void {
  const facts = new GraphFacts(graph);
  for (const { output } of graph.nodes) output.forEach((name) => facts.of(name));
}

/** Returns the result of a task, or `undefined` if it throws one of the intended errors. */
function orRefusal<T>(task: () => T, kinds: readonly (new () => Error)[]): T | undefined {
  try {
    return task();
  } catch (error) {
    const isKnown = kinds.some((kind) => error instanceof kind);
    assert(
      isKnown && /^Cannot [^:]+: ./s.test((error as Error).message),
      `${(error as Error).stack}`,
    );
    return undefined;
  }
}
