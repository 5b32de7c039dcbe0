/**
 * Conversion of the tensors of a batch to the input tensors of a session.
 *
 * @module
 */

import type { Session } from "../../onnx/session/session_run.ts";
import {
  type HostFeed,
  TENSOR_ARRAYS,
  type TensorArray,
  type TensorDtype,
  type TensorInfo,
} from "../../onnx/session/session_tensor.ts";
import { didYouMean } from "../../base/did_you_mean.ts";

/** The members of a session that determine its feeds. */
export type FedSession = Pick<Session, "inputs" | "device" | "name">;

/**
 * Returns the tensors of a batch for the inputs of a session, converted to the types of the inputs. Inputs in `own`
 * are left out, because the caller feeds them. Tensors that are not inputs are left out, too.
 *
 * @throws {TypeError} if the batch lacks an input, or if a conversion would change its values
 */
export function feedsOf(
  { inputs, device, name }: FedSession,
  feeds: Readonly<Record<string, HostFeed>>,
  own: ReadonlySet<string>,
): Record<string, HostFeed> {
  const fed: Record<string, HostFeed> = {};
  for (const info of inputs) {
    if (own.has(info.name)) continue;
    const feed = feeds[info.name];
    if (feed === undefined) throw missing({ inputs, name }, info, feeds);
    const data = fitted(feed.data, info, device === "evaluator");
    fed[info.name] = data === feed.data ? feed : { data, dims: feed.dims ?? [data.length] };
  }
  return fed;
}

function missing(
  { inputs, name }: Pick<FedSession, "inputs" | "name">,
  { name: input, shape }: TensorInfo,
  feeds: Readonly<Record<string, HostFeed>>,
): TypeError {
  const names = Object.keys(feeds);
  // A tensor that belongs to another input is not suggested as a misspelling.
  const free = names.filter((name) => !inputs.some((other) => other.name === name));
  return new TypeError(
    `Cannot run ${name}: each batch must have ${JSON.stringify(input)} [${shape.join(", ")}]; got ${
      names.join(", ") || "nothing"
    }${didYouMean(input, free)}`,
  );
}

/** Converts numbers to the type of an input. Returns the same array if it has that type. */
function fitted(data: TensorArray, { name, dtype }: TensorInfo, isEvaluator: boolean): TensorArray {
  const wanted = TENSOR_ARRAYS[dtype] as unknown as { new (length: number): TensorArray };
  if (data instanceof wanted) return data;
  if (isEvaluator && isFloat(data)) return data;
  if (isFloat(data) && dtype !== "float32" && dtype !== "float64") {
    throw wrongType(name, dtype, data);
  }
  return converted(data, new wanted(data.length), { name, dtype });
}

function isFloat(data: TensorArray): boolean {
  return data instanceof Float32Array || data instanceof Float64Array;
}

function converted(
  data: TensorArray,
  to: TensorArray,
  { name, dtype }: Pick<TensorInfo, "name" | "dtype">,
): TensorArray {
  const isBig = to instanceof BigInt64Array || to instanceof BigUint64Array;
  for (let i = 0; i < data.length; i++) {
    if (isBig) to[i] = BigInt(data[i]!);
    else (to as Float32Array)[i] = Number(data[i]!);
    if (Number(to[i]) === Number(data[i]) || isFloat(to)) continue;
    throw new TypeError(
      `Cannot feed ${JSON.stringify(name)}: its numbers must be in the range of ${dtype}; got ${
        data[i]
      } at index ${i}`,
    );
  }
  return to;
}

function wrongType(name: string, dtype: TensorDtype, data: TensorArray): TypeError {
  return new TypeError(
    `Cannot feed ${
      JSON.stringify(name)
    }: its numbers must be ${dtype}; got a ${data.constructor.name}`,
  );
}
