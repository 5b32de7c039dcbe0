/**
 * Relaxes all structures of a file at once, and writes them to every named file, each in the format of its extension:
 * .xyz, .jsonl, .csv, .db (of ASE), .zarr. If one file cannot be written, the others are.
 *
 * Run: `deno run -P=files examples/relax_to_files.ts IN.xyz OUT.zarr OUT.xyz OUT.db …`; with `--add` the structures are
 * added to files that exist.
 */
import {
  Batch,
  ConvergenceHook,
  FIRE,
  lennardJones,
  openSink,
  openSystems,
  parseExtxyz,
  ProgressHook,
} from "@hooke/hooke";

const [from, ...to] = Deno.args.filter((arg) => arg !== "--add");
if (from === undefined || to.length === 0) {
  console.error("It takes a file and more: IN.xyz OUT.zarr OUT.xyz OUT.db … [--add]");
  Deno.exit(2);
}
for (const path of to) {
  const there = await realPath(path);
  if (there !== undefined && there === await realPath(from)) {
    console.error(`OUT must be another file than IN: ${path} is ${from}`);
    Deno.exit(2);
  }
  if (there !== undefined && !Deno.args.includes("--add")) {
    console.error(`${path} exists: use --add to add to it`);
    Deno.exit(2);
  }
}

// Noble gases, mixed by the Lorentz-Berthelot rules: eV and Å.
const model = lennardJones({
  species: {
    Ne: { epsilon: 0.0031, sigma: 2.74 },
    Ar: { epsilon: 0.0104, sigma: 3.4 },
    Kr: { epsilon: 0.014, sigma: 3.65 },
    Xe: { epsilon: 0.02, sigma: 3.98 },
  },
  cutoff: 10,
});

const batch = await readAll(from);
const write = (text: string) => void Deno.stderr.writeSync(new TextEncoder().encode(text));
await using opt = new FIRE({
  model,
  dt: 0.5,
  nSteps: 2000,
  hooks: [ConvergenceHook.fromFmax(0.01)],
});
opt.hooks.add(new ProgressHook({ write, isTerminal: Deno.stderr.isTerminal(), nSteps: 2000 }));
await opt.run(batch);
const relaxed = batch.get("status").filter((status) => status >= 1).length;
console.log(`${relaxed} of ${batch.size} relaxed in ${opt.stepCount} steps`);
if (relaxed < batch.size) Deno.exitCode = 1;

for (const path of to) {
  try {
    console.log(`${path}: ${batch.size} added, ${await add(path)} there`);
  } catch (error) {
    console.error(`${path}: ${(error as Error).message}`);
    Deno.exitCode = 1;
  }
}

/** Adds the structures to a file; returns the number of its structures. */
async function add(path: string): Promise<number> {
  const sink = await openSink(path);
  try {
    await sink.write(batch);
    await sink.flush();
    return sink.length;
  } finally {
    await sink.close();
  }
}

/** Extended XYZ of any program is read directly, other formats through their sinks. */
async function readAll(path: string): Promise<Batch> {
  if (/\.(ext)?xyz$/i.test(path)) return Batch.from(parseExtxyz(await Deno.readTextFile(path)));
  await using source = await openSystems(path); // which creates and changes nothing
  const systems = [];
  for (let place = 0; place < source.length; place++) systems.push(await source.get(place));
  return Batch.from(systems);
}

/** Returns the path of a file with links followed; `undefined` if there is no such file. */
async function realPath(path: string): Promise<string | undefined> {
  return await Deno.realPath(path).catch(() => undefined);
}
