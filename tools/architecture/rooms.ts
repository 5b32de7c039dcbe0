/**
 * Imports that each room may have. This table is the only source of the lint rule `house/imports` and the
 * architecture test.
 *
 * Data flows one way through the package. A room is a folder of `src` (or a single file beside the folders). The
 * table lists other rooms that it may import, or single files if importing a whole room would be too much.
 *
 * @module
 */

/** Room → what it may import besides itself, `base` and `platform`. An entry with a slash is one file of a room. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "base": [],
  // The only room that knows Deno, Node's process and files, and pages: see MAY_TOUCH_PLATFORM.
  "platform": [],
  "dispatch": [],
  "kernels": [],
  "checkpoint": [],
  "hooks": ["dispatch"],
  // Binds the core to the kinds known by name, of which it needs nothing but the stages.
  "hook.ts": ["dispatch", "hooks", ...engineFiles("stages")],
  "backend": ["kernels"],
  "batch": ["backend", "kernels"],
  "onnx": ["backend", "dispatch"],
  "models": ["batch", "onnx", "backend", "kernels"],
  "dynamics": ["hooks", "batch", "models", "backend", "kernels", "onnx", "checkpoint"],
  "training": [
    "hooks",
    "batch",
    "models",
    "backend",
    "kernels",
    "onnx",
    "checkpoint",
  ],
  "formats": ["batch", "kernels/constants.ts"],
  "sinks": ["batch", "formats", "kernels/constants.ts"],
  // Ready-made hooks know what engines say, not how they run.
  "observe": [
    "hooks",
    "batch",
    "sinks",
    "backend",
    "kernels", // modifiers name the kernels that do their work
    ...engineFiles("stages"),
    ...engineFiles("context"),
    "dynamics/convergence/can_converge.ts", // progress shows converged systems only if something decides it
    "training/not_finite_error.ts", // a trainer throws it, and so does the guard
    "checkpoint/mod.ts",
    "checkpoint/folder.ts", // when there is one, and how many, is a hook's
  ],
  "config": [
    "dispatch",
    "kernels",
    "hooks",
    "hook.ts",
    "backend",
    "batch",
    "onnx",
    "models",
    "dynamics",
    "training",
    "sinks",
    "formats",
    "observe",
    "checkpoint",
  ],
  // Runs recipes over many structures, on one machine or many.
  "campaign": [
    "config",
    "hooks",
    "backend",
    "batch",
    "onnx",
    "models",
    "dynamics",
    "sinks",
    "formats",
    "checkpoint",
  ],
  "testing": ["*"],
  "page": ["*"],
  "cli": ["*"],
  "mod.ts": ["*"],
};

/** Package → the only places in the published code that may import it. Nothing else may be imported there. */
export const MAY_USE_PACKAGE: Readonly<Record<string, readonly string[]>> = {
  "@std/cli": ["src/cli/"],
  "@std/assert": ["src/testing/"],
  "h5wasm": ["src/formats/h5md/library.ts"],
  // Parsers of configuration files.
  "smol-toml": ["src/cli/frame/config_text.ts"],
  "yaml": ["src/cli/frame/config_text.ts"],
  // The runtime has one lock around it; a second importer would go around that lock.
  "onnxruntime-web": ["src/onnx/session/open_session.ts"],
  "onnxruntime-node": ["src/onnx/session/native/native_runtime.ts"],
  // The client of queues is optional, so that nothing but a queue may load it.
  "@nats-io/transport-node": ["src/campaign/queue/client.ts"],
  "@nats-io/jetstream": ["src/campaign/queue/client.ts"],
  "@nats-io/obj": ["src/campaign/queue/client.ts"],
  // Files are read and written in one place.
  "@bufbuild/protobuf": ["src/onnx/"],
  "onnx-buf": ["src/onnx/"],
  // Charts of the page.
  "uplot": ["src/page/app/"],
  // Built-in modules that browsers lack stay out of what a page loads.
  "node:": ["src/platform/"],
};

/** The compiled kernels have one owner, which knows how to load them. */
const WASM_PACKAGE = "wasm/pkg/";
const WASM_OWNER = "src/backend/wasm/";

function engineFiles(name: "stages" | "context"): string[] {
  return ["dynamics", "training"].map((engine) => `${engine}/${name}.ts`);
}

/** The room of a file, or `undefined` for a file outside the published code. Paths are relative to the root. */
export function roomOf(path: string): string | undefined {
  if (path === "mod.ts") return path;
  const [top, room] = path.split("/");
  return top === "src" ? room : undefined;
}

/**
 * Returns the reason why `from` may not import the file `to`, or `undefined` if it may. Both paths are relative to
 * the root.
 */
export function refuseImport(from: string, to: string): string | undefined {
  if (to.startsWith(WASM_PACKAGE)) {
    return from.startsWith(WASM_OWNER) || !isPublished(from)
      ? undefined
      : `only ${WASM_OWNER} imports ${WASM_PACKAGE}`;
  }
  const [here, there] = [roomOf(from), roomOf(to)];
  if (here === undefined) return undefined;
  if (there === undefined) {
    return `published code imports nothing outside src, and ${to} is outside`;
  }
  if (here === there || there === "base" || there === "platform") return undefined;
  const allowed = MAY_IMPORT[here];
  if (allowed === undefined) return `the room "${here}" is not in tools/architecture/rooms.ts`;
  if (there === "mod.ts") return "nothing imports the package's own entry point";
  const file = to.slice("src/".length);
  if (allowed.includes("*") || allowed.includes(there) || allowed.includes(file)) return undefined;
  return `${here} may import ${allowed.length === 0 ? "nothing" : allowed.join(", ")}, not ${file}`;
}

/** Returns the reason why `from` may not import a package (or `node:` module), or `undefined` if it may. */
export function refusePackage(from: string, specifier: string): string | undefined {
  if (!isPublished(from)) return undefined;
  const name = packageOf(specifier);
  const places = MAY_USE_PACKAGE[name];
  if (places === undefined) return `published code does not depend on ${name}`;
  return places.some((place) => from.startsWith(place))
    ? undefined
    : `only ${places.join(", ")} may import ${name}`;
}

/** `@std/cli/parse-args`, `jsr:@std/cli@^1/parse-args` → `@std/cli`; every built-in module → `node:`. */
export function packageOf(specifier: string): string {
  if (specifier.startsWith("node:")) return "node:";
  const bare = specifier.replace(/^(npm|jsr):\/?/, "");
  return /^(@[^/]+\/)?[^/@]+/.exec(bare)?.[0] ?? bare;
}

function isPublished(path: string): boolean {
  return roomOf(path) !== undefined;
}
