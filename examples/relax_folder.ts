/**
 * Relaxes all structures in the files of a folder, however many: a batch is kept full of them, and each is written to
 * the other file as soon as it has converged. After Ctrl-C or a kill, the same command resumes. `sourceIndex` is the
 * index of each in the folder, counted from 0 through the files in order.
 *
 * Run: `deno run -P=files examples/relax_folder.ts FOLDER OUT.xyz|OUT.zarr [steps]`
 */
import {
  CheckpointHook,
  ConvergenceHook,
  FIRE,
  lennardJones,
  openSink,
  openSystems,
  SizeAwareSampler,
  type System,
} from "@hooke/hooke";
import type { SampleList } from "@hooke/hooke/dynamics";

const [folder, to, most = "Infinity"] = Deno.args;
if (folder === undefined || to === undefined) {
  console.error("It takes a folder and a file: FOLDER OUT.xyz [steps]");
  Deno.exit(2);
}

/** The structures in all files of a folder, read on demand. */
async function structuresIn(folder: string): Promise<SampleList> {
  const names = Array.from(Deno.readDirSync(folder), ({ name }) => name);
  const files = await Promise.all(
    names.filter((name) => /\.(xyz|jsonl|db|zarr)$/.test(name)).sort()
      .map((name) => openSystems(`${folder}/${name}`)),
  );
  const places = files.flatMap((file) =>
    Array.from({ length: file.length }, (_, at) => ({ file, at }))
  );
  const get = (index: number): Promise<System> => {
    const { file, at } = places[index]!;
    return file.get(at);
  };
  return { length: places.length, get };
}

// Noble gases, mixed by the Lorentz-Berthelot rules: eV and Å.
const model = lennardJones({
  species: {
    Ne: { epsilon: 0.0031, sigma: 2.74 },
    Ar: { epsilon: 0.0104, sigma: 3.4 },
    Kr: { epsilon: 0.014, sigma: 3.65 },
  },
  cutoff: 9,
});

const interrupt = new AbortController();
Deno.addSignalListener("SIGINT", () => interrupt.abort("interrupted"));

const checkpoints = `${to}.checkpoints`;
await using opt = new FIRE({
  model,
  dt: 0.5,
  signal: interrupt.signal,
  hooks: [
    ConvergenceHook.fromFmax(0.01),
    new CheckpointHook({ folder: checkpoints, everySeconds: 60 }),
  ],
});
await opt.loadLatest(checkpoints);
const there = await Deno.realPath(to).catch(() => undefined);
if (there !== undefined && opt.stepCount === 0) {
  console.error(
    `${to} exists, and there are no checkpoints to go on from: remove it, or name another`,
  );
  Deno.exit(2);
}
if (`${there ?? to}`.startsWith(`${await Deno.realPath(folder)}/`)) {
  console.error(`${to} must not be in ${folder}, where it would be read as one of the structures`);
  Deno.exit(2);
}

const structures = await structuresIn(folder);
if (structures.length === 0) {
  console.error(`There is no structure in ${folder}: no .xyz, .jsonl, .db or .zarr file with one`);
  Deno.exit(2);
}
// At most 2,000 atoms at once; small structures fill the space that large ones leave.
const sampler = await SizeAwareSampler.open(structures, {
  maxAtoms: 2000,
  maxSystems: 64,
});
const sink = await openSink(to);
const summary = await opt.stream(sampler, { sinks: [sink], maxSteps: 2000, nSteps: Number(most) });
await sink.close();

const { graduated, converged, steps, isDone } = summary;
console.log(
  `${converged} of ${graduated} relaxed in ${steps} steps${isDone ? "" : ", more to come"}`,
);
if (interrupt.signal.aborted) Deno.exitCode = 130;
