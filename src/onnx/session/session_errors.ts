import { BackendUnavailableError } from "../../backend/backend_unavailable_error.ts";
import { lossOf } from "../../backend/webgpu/device.ts";
import type { ModelOutline } from "../describe/model_outline.ts";
import { startAdvice } from "./runtime_file.ts";
import type { SessionDevice } from "./session_runtime.ts";

/** Circumstances of a failure of the runtime. */
export interface Refused {
  /** Name of the model. */
  readonly name: string;
  /** Device of the session. */
  readonly device: SessionDevice;
  /** GPU device of the session; `undefined` if it does not run on a GPU. */
  readonly gpuDevice?: GPUDevice | undefined;
  /** Operation that failed. */
  readonly during: "load" | "create" | "run" | "read" | "release";
  /** Operators and types of the model. */
  readonly outline?: ModelOutline | undefined;
  /** Size of the memory that the threads share, in bytes; `undefined` if it can grow. */
  readonly threadMemory?: number | undefined;
}

/** A pattern of messages of the runtime, and a function that returns the cause and a remedy for a match. */
type Reading = readonly [pattern: RegExp, say: (found: string[], refused: Refused) => string];

/** Recommended opsets. Newer ones work, but some of their operators run on the CPU. */
const BEST_OPSETS = "18 to 21";

/**
 * Patterns of messages about files that cannot be opened. The texts contain the requirement, the value that violates
 * it, and a remedy.
 */
const OF_FILES: readonly Reading[] = [
  [
    /No Op registered for (\S+) with domain_version of (\d+)/,
    ([op, version], { outline }) =>
      `opset ${version} has no operator ${op}${
        at(outline, op!)
      }. Export it to opset ${BEST_OPSETS}, or ` +
      "replace the operator",
  ],
  [
    /No opset import for domain '(.*?)'/,
    ([domain], { device }) =>
      `it uses operators of ${domain}, which ${
        packageOf(device)
      } does not have. Export it with operators of ONNX only`,
  ],
  [
    /is not a registered function\/op/,
    (_, { device, outline }) =>
      `${packageOf(device)} does not have one of its operators (${
        operatorsOf(outline)
      }). Export it without that operator`,
  ],
  [
    /Opset (\d+) is under development.*till opset (\d+)/s,
    ([opset, newest]) =>
      `its opset must be at most ${newest}; got ${opset}. Export it to opset ${BEST_OPSETS}`,
  ],
  [
    /Unsupported model IR version: (\d+), max supported IR version: (\d+)/,
    ([ir, newest]) =>
      `its IR version must be at most ${newest}; got ${ir}. Save it with an older version of onnx, or set its ir_version`,
  ],
  [
    /Could not find an implementation for (\w+)\((\d+)\) node with name '(.*?)'/,
    ([op, since, node], { device }) =>
      `${op} of opset ${since} (node ${node}) has no implementation on ${device} for its types. Export it to opset ` +
      `${BEST_OPSETS}, in float32 and int32 or int64`,
  ],
  [
    /Node input '(.*?)' is not a graph input/,
    ([input]) =>
      `a node uses ${input}, which is not an input, a weight or a result of an earlier node. Sort its nodes`,
  ],
  [/Type Error: (.*)/, ([reason]) => `its types do not match: ${reason}`],
  [
    /assigned to the default CPU EP, but fallback/,
    (_, { outline }) =>
      `without cpuFallback all operators must run on the GPU; some of ${
        operatorsOf(outline)
      } do not. ` +
      "Pass the sizes of all free dimensions (dimensions), and use int32 instead of int64 for indices",
  ],
  [
    /cannot use the graph capture feature/,
    (_, { outline }) =>
      `with capture all operators must run on the GPU; some of ${operatorsOf(outline)} do not. ` +
      "Pass the sizes of all free dimensions (dimensions), or open it without capture",
  ],
  [
    /external data file "*(.*?)"*, error: (.*)/,
    ([file, reason]) => `the weights in ${file} cannot be read: ${reason}`,
  ],
  [
    /Integer overflow|TensorShape|too large/,
    () => "a weight declares a size beyond the limits of memory",
  ],
  [/protobuf parsing failed|No graph was found/, () => "it is not an ONNX model"],
];

/** Patterns of messages about failed runs. The texts contain the cause, and a remedy if there is one. */
const OF_RUNS: readonly Reading[] = [
  // The runtime reports a broken shader late, and names a node that runs after the one with the shader.
  [
    /ShaderModule with '(\w+)' label is invalid|Invalid ShaderModule "(\w+)"/,
    ([label, quoted], { outline }) => {
      const op = label ?? quoted!;
      const count = outline?.operators.get(op)?.count ?? 1;
      const more = count > 1 ? `, the first of ${count}` : "";
      return `the shader of ${op}${at(outline, op)}${more} does not compile on this device`;
    },
  ],
  [
    /while running (\S+) node\.\s*Name:'(.*?)'\s*Status Message:\s*(.*)/s,
    ([op, node, reason]) => `${op} (node ${node}) failed: ${reason}`,
  ],
  [
    /is too large|Integer overflow/,
    () => "a tensor is too large for memory. Check the inputs, or use a smaller batch",
  ],
];

/** Pattern of messages about exhausted memory, in the runtime or on the device. */
const NO_MEMORY =
  /bad_alloc|out of memory|OutOfMemory|failed to allocate|could not allocate|allocation failed/i;

/** Pattern of messages about WebAssembly traps. After a trap the memory of the runtime is in an unknown state. */
const TRAPS =
  /unreachable|memory access out of bounds|Aborted\(|table index|null function|stack size exceeded/i;

/**
 * Returns whether an error says that the WebGPU build is still creating another session. A failed creation leaves the
 * build in this state.
 */
export function isStuck(error: unknown): boolean {
  return error instanceof Error && /another WebGPU EP inference session/.test(error.message);
}

/**
 * Returns whether a C++ exception aborted a run on WebGPU. This leaves the session locked, so its next run would
 * wait forever. Errors that operators report are not exceptions. Only exceptions name a position in a source file.
 */
export function isAborted(error: unknown): boolean {
  const said = error instanceof Error ? error.message : String(error);
  return /ERROR_MESSAGE: \S+\.(cc|h):\d+ /.test(said);
}

/** Returns the error for calls of a session that an aborted run has locked. */
export function abortedRun(name: string): BackendUnavailableError {
  return new BackendUnavailableError(
    `Cannot run ${name}: an earlier run was aborted by an exception. Dispose of the session and open another`,
    { backend: "webgpu", reason: "broken", during: "run" },
  );
}

/**
 * Returns an error that names the cause and a remedy for an error of the runtime, which becomes its `cause`. A
 * SyntaxError is about the file, a RangeError about inputs, and a `BackendUnavailableError` about the device.
 */
export function explain(error: unknown, refused: Refused): Error {
  const said = error instanceof Error ? error.message : String(error);
  return asUnavailable(said, error, refused) ?? asMistake(said, error, refused);
}

function asUnavailable(said: string, cause: unknown, refused: Refused): Error | undefined {
  const { name, device, gpuDevice, during, threadMemory } = refused;
  const loss = gpuDevice && lossOf(gpuDevice);
  const backend = device === "webgpu" ? "webgpu" : "wasm";
  const of = { backend, during, cause } as const;
  if (loss !== undefined) return deviceLost(name, during, loss, cause);
  if (NO_MEMORY.test(said)) {
    return new BackendUnavailableError(
      `Cannot ${during} ${name}: not enough memory on ${device} (${clean(said)}). ${
        threadMemory === undefined ? "Use a smaller batch" : threadsAdvice(during, threadMemory)
      }`,
      { ...of, reason: "memory" },
    );
  }
  if (during === "load") {
    return new BackendUnavailableError(
      `Cannot open ${name}: onnxruntime-web did not start (${clean(said)}). ${startAdvice(device)}`,
      { ...of, reason: "broken" },
    );
  }
  if (isStuck(cause) || TRAPS.test(said)) {
    return new BackendUnavailableError(
      `Cannot ${during} ${name}: ${packageOf(device)} is broken (${clean(said)}). ` +
        "Restart the process, or open sessions in a worker, which can be restarted",
      { ...of, reason: "broken" },
    );
  }
  return undefined;
}

/**
 * Returns advice for memory that cannot grow: the reservation was too large at the start, or is too small later.
 */
function threadsAdvice(during: string, threadMemory: number): string {
  const change = during === "load" ? "smaller" : "larger";
  return `Pass a ${change} threadMemory (now ${threadMemory} bytes), a smaller batch, or threads: 1`;
}

/** Returns the error for calls of a session whose GPU device was lost. */
export function deviceLost(
  name: string,
  during: string,
  loss: GPUDeviceLostInfo,
  cause?: unknown,
): BackendUnavailableError {
  return new BackendUnavailableError(
    `Cannot ${during} ${name}: its GPU device was lost (${loss.reason}: ${loss.message}). ` +
      "Open another device and another session, or use wasm",
    { backend: "webgpu", reason: "lost", during, cause },
  );
}

function asMistake(said: string, cause: unknown, refused: Refused): Error {
  const isRun = refused.during === "run";
  const text = say(said, isRun ? OF_RUNS : OF_FILES, refused) ??
    `${packageOf(refused.device)} refused ${isRun ? "the inputs" : "the model"}: ${clean(said)}`;
  const message = `Cannot ${isRun ? "run" : "open"} ${refused.name}: ${text}`;
  return isRun ? new RangeError(message, { cause }) : new SyntaxError(message, { cause });
}

function say(said: string, readings: readonly Reading[], refused: Refused): string | undefined {
  for (const [pattern, text] of readings) {
    const [found, ...groups] = pattern.exec(said) ?? [];
    if (found !== undefined) return clean(text(groups, refused));
  }
  return undefined;
}

/** Returns a message of the runtime without source paths and function signatures. */
function clean(said: string): string {
  return said.replace(/^.*?ERROR_MESSAGE: /s, "")
    .replace(/\S+\.(cc|h):\d+ .*?\)(?: const)? (?=\S)/gs, "")
    .replace(/\s+/g, " ").trim();
}

/** Returns the name of the package that runs sessions of a device. */
function packageOf(device: SessionDevice): string {
  return device === "native" ? "onnxruntime-node" : "onnxruntime-web";
}

function at(outline: ModelOutline | undefined, op: string): string {
  const use = outline?.operators.get(op);
  return use === undefined || use.first === "" ? "" : ` (node ${use.first})`;
}

function operatorsOf(outline: ModelOutline | undefined): string {
  return [...outline?.operators.keys() ?? []].join(", ") || "its operators";
}
