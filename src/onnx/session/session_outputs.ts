import type { RuntimeTensor } from "./session_runtime.ts";
import {
  type Fetches,
  type HostFetch,
  type HostTensor,
  TENSOR_ARRAYS,
  type TensorArray,
  type TensorDtype,
  type TensorInfo,
} from "./session_tensor.ts";

/** Settings for the conversion of outputs. */
export interface OutputRules {
  /** Name of the model in error messages. */
  readonly name: string;
  /** True if outputs must be finite. */
  readonly checkFinite: boolean;
}

/**
 * Returns an output as a tensor in host memory. If the caller passed an array for the output, the elements are copied
 * to it.
 */
export function toHostTensor(
  rules: OutputRules,
  { name, dtype }: TensorInfo,
  result: RuntimeTensor,
  fetches: Fetches | undefined,
): HostTensor {
  let data = result.data as TensorArray;
  if (rules.checkFinite) checkFinite(rules.name, name, data);
  const target = fetches === undefined || Array.isArray(fetches)
    ? undefined
    : (fetches as Readonly<Record<string, HostFetch | null>>)[name]?.data;
  if (target !== undefined) data = takeInto(rules.name, { name, dtype, data, target });
  return { location: "host", dtype, dims: result.dims, data } as HostTensor;
}

function takeInto(
  model: string,
  { name, dtype, data, target }: {
    readonly name: string;
    readonly dtype: TensorDtype;
    readonly data: TensorArray;
    readonly target: TensorArray;
  },
): TensorArray {
  if (!(target instanceof (TENSOR_ARRAYS[dtype] as unknown as { new (): unknown }))) {
    throw new TypeError(
      `Cannot run ${model}: the array for ${name} must hold ${dtype}; got a ${target.constructor.name}`,
    );
  }
  if (target.length !== data.length) {
    throw new RangeError(
      `Cannot run ${model}: the array for ${name} must have ${data.length} values; got ${target.length}`,
    );
  }
  (target as Float32Array).set(data as Float32Array);
  return target;
}

/** Throws a RangeError that names the first non-finite value of an output. */
function checkFinite(model: string, name: string, data: TensorArray): void {
  if (!(data instanceof Float32Array || data instanceof Float64Array)) return;
  for (let i = 0; i < data.length; i++) {
    if (Number.isFinite(data[i])) continue;
    throw new RangeError(
      `Cannot run ${model}: output ${name}[${i}] must be finite; got ${
        data[i]
      }. Look for atoms that ` +
        "coincide, empty systems, and inputs unlike those that the model was trained on",
    );
  }
}
