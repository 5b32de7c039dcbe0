import { atomicSymbol } from "../../../batch/elements.ts";
import type { Session } from "../../../onnx/session/session_run.ts";
import type { Feeds, HostFeed } from "../../../onnx/session/session_tensor.ts";
import type { OnnxBindings } from "../bindings.ts";
import { nameOf, type OnnxConstants } from "../fills.ts";

/** A failed run of a session. */
export interface FailedRun {
  /** The session of the run. */
  readonly session: Session;
  /** The bindings of the model's tensors. */
  readonly bindings: OnnxBindings;
  /** The inputs of the run. */
  readonly feeds: Feeds;
  /** The constants of the batch, with the elements of its atoms. */
  readonly constants: OnnxConstants;
}

/**
 * Element numbers that are tested in addition if all atoms have the same element. Most models support at least one of
 * them, and a run that succeeds shows that the element is the cause.
 */
const OTHERS = [0, 1, 6];

/**
 * Finds the elements that make a graph fail. Runs the graph with all atoms replaced by one element, for each element
 * of the batch. Returns an error that names the first atom of a failing element; `undefined` if the graph fails for
 * every element or for no element.
 */
export async function unknownElementError(
  model: string,
  run: FailedRun,
  cause: Error,
): Promise<RangeError | undefined> {
  const { bindings, constants } = run, { numbers, systemOfNode, nodeOffsets } = constants;
  const name = bindings.inputs.find(({ meaning }) => meaning === "numbers")?.tensor.name;
  if (name === undefined) return undefined;
  const own = new Set(Array.from(numbers));
  const failing = new Set<number>();
  let isKnown = false;
  for (const number of new Set([...own, ...own.size === 1 ? OTHERS : []])) {
    if (await fails(run, name, number)) failing.add(number);
    else isKnown = true;
  }
  const node = Array.from(numbers).findIndex((number) => failing.has(number));
  if (!isKnown || node === -1) return undefined;
  const system = systemOfNode[node]!;
  return new RangeError(
    `Cannot use ${model} on atom ${node - nodeOffsets[system]!} of system ${
      nameOf(constants, system)
    }: it is ${atomicSymbol(constants.atomicNumbers[node]!)}, number ${
      numbers[node]
    } to the model, and the graph ` +
      `fails for atoms of that number (${cause.message}). Leave the system out, or if the model numbers ` +
      "elements in its own way, list them in its manifest in its order, counted from 0, as " +
      '"elements": ["H", "C", "N", "O"]',
    { cause },
  );
}

async function fails(
  { session, feeds, bindings }: FailedRun,
  name: string,
  number: number,
): Promise<boolean> {
  const { data, dims } = feeds[name] as HostFeed;
  const alike = data.slice() as Float64Array;
  // A 64-bit array accepts only BigInt.
  (alike as { fill(value: unknown): unknown }).fill(
    typeof data[0] === "bigint" ? BigInt(number) : number,
  );
  try {
    const one = dims === undefined ? { data: alike } : { data: alike, dims };
    await session.run({ ...feeds, [name]: one }, bindings.outputs.map(({ tensor }) => tensor.name));
    return false;
  } catch (error) {
    if (error instanceof RangeError) return true;
    throw error;
  }
}
