import { BackendUnavailableError } from "../../backend/backend_unavailable_error.ts";
import { lossOf } from "../../backend/webgpu/device.ts";
import type { ModelOutline } from "../describe/model_outline.ts";

/** What is known when the runtime refuses. */
export interface Refused {
  /** What the model is called. */
  readonly name: string;
  /** Where it runs. */
  readonly device: "wasm" | "webgpu";
  /** The device, if it runs on one. */
  readonly gpuDevice?: GPUDevice | undefined;
  /** In the middle of what. */
  readonly during: "load" | "create" | "run" | "read" | "release";
  /** What the model needs. */
  readonly outline?: ModelOutline | undefined;
}

/** A pattern in what the runtime says → what it means, and what to do. */
type Reading = readonly [pattern: RegExp, say: (found: string[], refused: Refused) => string];

/** Newer ones work, and are partly done on the CPU. */
const BEST_OPSETS = "18 to 21";

/** Of a file that cannot be opened. They say what it must be, what it is, and the way there. */
const OF_FILES: readonly Reading[] = [
  [
    /No Op registered for (\S+) with domain_version of (\d+)/,
    ([op, version], { outline }) =>
      `its operators must be ones of opset ${version}: ${op}${
        at(outline, op!)
      } is not; export it to opset ` +
      `${BEST_OPSETS}, or to operators that are`,
  ],
  [
    /No opset import for domain '(.*?)'/,
    ([domain]) =>
      `its operators must be ONNX's own: those of ${domain} are another runtime's; export it without them`,
  ],
  [
    /is not a registered function\/op/,
    (_, { outline }) =>
      `its operators must be known here: one of ${
        operatorsOf(outline)
      } is not; export it without it`,
  ],
  [
    /Opset (\d+) is under development.*till opset (\d+)/s,
    ([opset, newest]) =>
      `its opset must be at most ${newest}: it is ${opset}; export it to opset ${BEST_OPSETS}`,
  ],
  [
    /Unsupported model IR version: (\d+), max supported IR version: (\d+)/,
    ([ir, newest]) =>
      `its IR version must be at most ${newest}: it is ${ir}; save it with an older onnx, or set its ir_version`,
  ],
  [
    /Could not find an implementation for (\w+)\((\d+)\) node with name '(.*?)'/,
    ([op, since, node], { device }) =>
      `each operator must have an implementation on ${device}: ${op} of opset ${since} (node ${node}) has none ` +
      `for the types it is given; export it to opset ${BEST_OPSETS}, in float32 and int32 or int64`,
  ],
  [
    /Node input '(.*?)' is not a graph input/,
    ([input]) =>
      `every input of a node must come from somewhere: ${input} is of no input, weight or earlier node; ` +
      "its nodes must be in order",
  ],
  [/Type Error: (.*)/, ([reason]) => `its types must fit: ${reason}`],
  [
    /assigned to the default CPU EP, but fallback/,
    (_, { outline }) =>
      `all its operators must run on the GPU without cpuFallback: some of ${
        operatorsOf(outline)
      } do not; ` +
      "give all dimensions, and use int32 instead of int64 for indices",
  ],
  [
    /cannot use the graph capture feature/,
    (_, { outline }) =>
      `all its operators must run on the GPU to be captured: some of ${
        operatorsOf(outline)
      } do not; ` +
      "give all dimensions, or open it without capture",
  ],
  [
    /external data file "*(.*?)"*, error: (.*)/,
    ([file, reason]) => `its weights in ${file} must be whole: ${reason}`,
  ],
  [
    /Integer overflow|TensorShape|too large/,
    () => "its weights must have the sizes it says: one says more than there can be",
  ],
  [/protobuf parsing failed|No graph was found/, () => "it must be an ONNX model: it is none"],
];

/** Of a run. */
const OF_RUNS: readonly Reading[] = [
  [
    /while running (\S+) node\.\s*Name:'(.*?)'\s*Status Message:\s*(.*)/s,
    ([op, node, reason]) => `${op} (node ${node}) must be able to: ${reason}`,
  ],
  [
    /is too large|Integer overflow/,
    () =>
      "its tensors must fit into memory: one is too large; its inputs say so, or its batch is too large",
  ],
];

/** The runtime has no memory left for this, or the device has not. */
const NO_MEMORY =
  /bad_alloc|out of memory|OutOfMemory|failed to allocate|Failed to allocate|allocation failed/i;

/** Traps: what the runtime's memory holds afterwards nobody knows. */
const TRAPS =
  /unreachable|memory access out of bounds|Aborted\(|table index|null function|stack size exceeded/i;

/** Whether the WebGPU build believes that a session is being created, as it does when one could not be. */
export function isStuck(error: unknown): boolean {
  return error instanceof Error && /another WebGPU EP inference session/.test(error.message);
}

/**
 * Whether a run on WebGPU was broken off by an exception of C++, which leaves its session locked: the next run of it
 * would wait for ever. What an operator refuses is none. It is told by the place in the source that it names.
 */
export function isBrokenOff(error: unknown): boolean {
  const said = error instanceof Error ? error.message : String(error);
  return /ERROR_MESSAGE: \S+\.(cc|h):\d+ /.test(said);
}

/** What is said of a session that was broken off. */
export function brokenOff(name: string): BackendUnavailableError {
  return new BackendUnavailableError(
    `Cannot run ${name} as its session must be whole: an earlier run was broken off; dispose of it and open another`,
    { backend: "webgpu", reason: "broken", during: "run" },
  );
}

/**
 * What the runtime threw, as an error that says what it is about and what to do. The original is its `cause`.
 *
 * A SyntaxError is about the file, a RangeError about what was fed; a `BackendUnavailableError` about where it runs.
 */
export function explain(error: unknown, refused: Refused): Error {
  const said = error instanceof Error ? error.message : String(error);
  return asUnavailable(said, error, refused) ?? asMistake(said, error, refused);
}

function asUnavailable(said: string, cause: unknown, refused: Refused): Error | undefined {
  const { name, device, gpuDevice, during } = refused;
  const loss = gpuDevice && lossOf(gpuDevice);
  const of = { backend: device, during, cause };
  if (loss !== undefined) return deviceLost(name, during, loss, cause);
  if (NO_MEMORY.test(said)) {
    return new BackendUnavailableError(
      `Cannot ${during} ${name} as there must be memory for it on ${device}: ${
        clean(said)
      }; use a smaller batch`,
      { ...of, reason: "memory" },
    );
  }
  if (during === "load") {
    return new BackendUnavailableError(
      `Cannot open ${name} as onnxruntime-web must start: ${
        clean(said)
      }; let it read or fetch its own .wasm, or ` +
        "give that as `runtime`, in another process or a worker: in this one it starts no more",
      { ...of, reason: "broken" },
    );
  }
  if (isStuck(cause) || TRAPS.test(said)) {
    return new BackendUnavailableError(
      `Cannot ${during} ${name} as onnxruntime-web must be in order: ${clean(said)}; ` +
        "start the process again, or open sessions in a worker, which can be restarted",
      { ...of, reason: "broken" },
    );
  }
  return undefined;
}

/** What is said of a device that is gone. */
export function deviceLost(
  name: string,
  during: string,
  loss: GPUDeviceLostInfo,
  cause?: unknown,
): BackendUnavailableError {
  return new BackendUnavailableError(
    `Cannot ${during} ${name} as its GPU device must be there: it was lost (${loss.reason}: ${loss.message}); ` +
      "open another device and another session, or go on with wasm",
    { backend: "webgpu", reason: "lost", during, cause },
  );
}

function asMistake(said: string, cause: unknown, refused: Refused): Error {
  const isRun = refused.during === "run";
  const text = say(said, isRun ? OF_RUNS : OF_FILES, refused) ??
    `onnxruntime-web must accept ${isRun ? "what it is fed" : "it"}: ${clean(said)}`;
  const message = `Cannot ${isRun ? "run" : "open"} ${refused.name} as ${text}`;
  return isRun ? new RangeError(message, { cause }) : new SyntaxError(message, { cause });
}

function say(said: string, readings: readonly Reading[], refused: Refused): string | undefined {
  for (const [pattern, text] of readings) {
    const [found, ...groups] = pattern.exec(said) ?? [];
    if (found !== undefined) return clean(text(groups, refused));
  }
  return undefined;
}

/** Without the path of the file it was compiled from, and the function's signature. */
function clean(said: string): string {
  return said.replace(/^.*?ERROR_MESSAGE: /s, "")
    .replace(/\S+\.(cc|h):\d+ .*?\)(?: const)? (?=\S)/gs, "")
    .replace(/\s+/g, " ").trim();
}

function at(outline: ModelOutline | undefined, op: string): string {
  const use = outline?.operators.get(op);
  return use === undefined || use.first === "" ? "" : ` (node ${use.first})`;
}

function operatorsOf(outline: ModelOutline | undefined): string {
  return [...outline?.operators.keys() ?? []].join(", ") || "its operators";
}
