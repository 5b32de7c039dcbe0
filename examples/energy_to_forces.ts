/**
 * Adds forces to a model of energies: reads an .onnx file, differentiates its graph, and writes it with one more
 * output, −dE/dpositions. It needs no manifest, and no runtime.
 *
 * Run: `deno run -P=onnx-files examples/energy_to_forces.ts IN.onnx OUT.onnx [--energy NAME] [--positions NAME] [--forces NAME]
 * [--stress] [--passes NAME,NAME,…]`
 * In a fresh clone `deno task std` goes before it, once.
 */
import { decodeModel } from "@hooke/hooke";
import {
  describeModel,
  FORCE_PASSES,
  loadExternalData,
  showForces,
  withForces,
  type WithForcesOptions,
} from "@hooke/hooke/onnx";
import { parseArgs } from "@std/cli/parse-args";

const HELP = `Gives a model of energies forces.

deno run -P=onnx-files examples/energy_to_forces.ts IN.onnx OUT.onnx

--energy NAME      the output to differentiate (energy)
--positions NAME   the input to differentiate by (positions)
--forces NAME      what the new output is called (forces)
--stress           virials, too: −dE/dε, [B, 3, 3]
--batch, --edges, --edge-batch, --shifts, --cell NAME
                   for --stress: the system of each atom, the pairs, their systems and shifts, the cells
                   (batch_idx, edge_index, shifts and cell where there are inputs of these names;
                   --no-shifts and the like leave one out)
--passes A,B,…     what simplifies the graph (${FORCE_PASSES.join(",")}); --passes= for nothing
--help             this

In a fresh clone run deno task std before it, once.`;

const STRAINED = {
  batch: "batch",
  edges: "edges",
  edgeBatch: "edge-batch",
  shifts: "shifts",
  cell: "cell",
};
const OF_STRAIN = Object.values(STRAINED);
const NAMES = ["energy", "positions", "forces", ...OF_STRAIN];

/** The error of a wrong argument. */
function refuse(reason: string): never {
  console.error(`${reason}; --help says what there is`);
  Deno.exit(2);
}

const flags = parseArgs(Deno.args, {
  string: [...NAMES, "passes"],
  boolean: ["stress", "help"],
  negatable: OF_STRAIN,
  unknown: (name, flag) => flag === undefined || refuse(`There is no ${name}`),
}) as Readonly<Record<string, string | boolean | undefined>> & { readonly _: (string | number)[] };

if (flags["help"]) {
  console.log(HELP);
  Deno.exit(0);
}
const empty = NAMES.find((name) => flags[name] === "");
if (empty !== undefined) refuse(`--${empty} needs a name, and there is none`);
const idle = OF_STRAIN.find((name) => flags[name] !== undefined);
if (idle !== undefined && flags["stress"] !== true) refuse(`--${idle} is for --stress`);
const [from, to, ...rest] = flags._.map(String);
if (from === undefined || to === undefined || rest.length > 0) {
  refuse("It takes two files: IN.onnx OUT.onnx");
}

/** Flags by their names here; `false` for `--no-…`. */
function given(names: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, flag]) =>
      flags[flag] === undefined ? [] : [[name, flags[flag] as string]]
    ),
  );
}

const options: WithForcesOptions = {
  name: from,
  ...given({ energy: "energy", positions: "positions", forces: "forces" }),
  stress: flags["stress"] === true && given(STRAINED),
  ...(typeof flags["passes"] === "string"
    ? { passes: flags["passes"].split(",").filter(Boolean) }
    : {}),
};

/** Replaces a file atomically. */
async function write(path: string, bytes: Uint8Array): Promise<void> {
  const part = `${path}.${crypto.randomUUID().slice(0, 8)}.part`;
  try {
    await Deno.writeFile(part, bytes);
    await Deno.rename(part, path);
  } catch (error) {
    await Deno.remove(part).catch(() => {});
    throw new Error(`Cannot write ${path}: ${(error as Error).message}`, { cause: error });
  }
}

try {
  const file = await Deno.readFile(from).catch((error) => {
    throw new Error(`Cannot read ${from}: ${error.message}`, { cause: error });
  });
  const model = decodeModel(file, { name: from });
  // Weights may be in separate files; the written file contains them.
  const folder = from.replace(/[^/\\]*$/, "");
  await loadExternalData(model, (location) => Deno.readFile(`${folder}${location}`));
  const { bytes, report } = withForces(model, options);
  await write(to, bytes);
  console.log(showForces(report));
  const { outputs } = describeModel(decodeModel(bytes));
  console.log(`${to}: ${bytes.length} bytes, gives ${outputs.map(({ name }) => name).join(", ")}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  Deno.exitCode = 1;
}
