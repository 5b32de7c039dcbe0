/**
 * Options that the file of a model does not state and that the user must give.
 *
 * @module
 */

import { UsageError } from "../frame/usage_error.ts";
import { exists } from "./formats.ts";

type Options = Readonly<Record<string, unknown>>;

/** An option that can be missing. */
interface Question {
  /** Returns whether an error asks for the option. */
  readonly asks: RegExp;
  readonly member: string;
  /** Value in the example of a manifest, and its form after `--set`. */
  readonly example: unknown;
  readonly set: string;
  /** Explanation of the value. `tensor` is the name of a tensor in the error. */
  explain(tensor: string): string;
}

const QUESTIONS: readonly Question[] = [
  {
    asks: /the numbers of its elements must be known/,
    member: "elements",
    example: ["H", "C", "N", "O"],
    set: "H,C,N,O",
    explain: (tensor) =>
      `the elements of the model in its order, counted from 0; if ${tensor} has atomic numbers, ` +
      `"inputs": { "numbers": "${tensor}" } instead (--set modelOptions.inputs.numbers=${tensor})`,
  },
  {
    asks: /the order of its triplets must be known/,
    member: "triplets",
    example: "unordered",
    set: "unordered",
    explain: (tensor) =>
      `"unordered" if ${tensor} has each pair of edges once, "ordered" for both orders`,
  },
  {
    asks: /cutoff is required for its edges/,
    member: "cutoff",
    example: 5,
    set: "5",
    explain: () => "largest length of an edge, Å",
  },
  {
    asks: /reach is required for its triplets/,
    member: "reach",
    example: 3.5,
    set: "3.5",
    explain: () => "largest length of both edges of a triplet, Å; at most the cutoff",
  },
];

/**
 * Runs `open`, which opens a model. If the model does not state options that are required, throws a UsageError that
 * names all of them, with a manifest to complete.
 */
export async function withOptionsNamed<T>(
  source: string,
  options: Options,
  open: () => Promise<T>,
): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (questionOf(error) === undefined) throw error;
    const message = await missingText(source, options, error);
    throw Object.assign(new UsageError(message), { cause: error });
  }
}

function questionOf(error: unknown): Question | undefined {
  return error instanceof Error
    ? QUESTIONS.find(({ asks }) => asks.test(error.message))
    : undefined;
}

/** Opens the model with examples of the missing options, one after another, until nothing is missing. */
async function missingText(source: string, options: Options, first: unknown): Promise<string> {
  const { OnnxModel } = await import("../../models/onnx/onnx_model.ts");
  const found = new Map<Question, string>();
  let error: unknown = first;
  for (let one = questionOf(error); one !== undefined && !found.has(one); one = questionOf(error)) {
    found.set(one, tensorIn(error));
    const examples = Object.fromEntries(
      [...found.keys()].map((each) => [each.member, each.example]),
    );
    const onWarning = () => {};
    try { // the evaluator needs no session of a runtime
      const model = await OnnxModel.open(source, {
        ...options,
        ...examples,
        runtime: "evaluator",
        onWarning,
      });
      await model.dispose();
      break;
    } catch (next) {
      error = next;
    }
  }
  return textOf(source, found);
}

/** Returns the name of the tensor that an error describes as "NAME (type [shape])". */
function tensorIn(error: unknown): string {
  return /(\S+) \(\w+ \[[^\]]*\]\)/.exec((error as Error).message)?.[1] ?? "the input";
}

function textOf(source: string, found: ReadonlyMap<Question, string>): string {
  const names = [...found.keys()].map(({ member }) => member);
  const manifest = Object.fromEntries([...found.keys()].map((each) => [each.member, each.example]));
  const lines = Object.entries(manifest).map(([name, value]) =>
    `  ${JSON.stringify(name)}: ${JSON.stringify(value).replaceAll(",", ", ")}`
  );
  const path = source.replace(/\.onnx$/i, ".json"), isFile = !/^https?:/i.test(source);
  return [
    `Cannot open ${source}: the file does not state ${names.join(", ")}. ` +
    (isFile
      ? `${
        exists(path) ? "Add to" : "Write"
      } ${path}, with the values of your model in place of these:`
      : "State it in a manifest, with the values of your model in place of these:"),
    "{",
    lines.join(",\n"),
    "}",
    ...[...found].map(([{ member, explain }, tensor]) => `${member}: ${explain(tensor)}`),
    `Or pass ${
      [...found.keys()].map(({ member, set }) => `--set modelOptions.${member}=${set}`).join(" ")
    }`,
    "docs/models.md describes all members of manifests.",
  ].join("\n");
}
