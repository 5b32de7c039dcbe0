/**
 * Relaxes all structures of a file at once, with a log. At the end, and at Ctrl-C, the other file has the relaxed
 * structures in the order in which they converged: `sourceId` is the index of each in the first file, counted from 0.
 *
 * Run: `deno run -P=files examples/relax_file.ts IN.xyz OUT.xyz [LOG.csv]`; if OUT.xyz exists, it needs `--overwrite`.
 */
import {
  Batch,
  ConvergedSnapshotHook,
  ConvergenceHook,
  FIRE,
  lennardJones,
  LoggingHook,
  MemorySink,
  parseExtxyz,
  writeExtxyz,
} from "@hooke/hooke";

const [from, to, log] = Deno.args.filter((arg) => arg !== "--overwrite");
if (from === undefined || to === undefined) {
  console.error("It takes two files: IN.xyz OUT.xyz [LOG.csv] [--overwrite]");
  Deno.exit(2);
}
const there = await realPath(to);
if (there !== undefined && there === await realPath(from)) {
  console.error(`OUT must be another file than IN: ${to} is ${from}`);
  Deno.exit(2);
}
if (there !== undefined && !Deno.args.includes("--overwrite")) {
  console.error(`${to} exists: add --overwrite to replace it`);
  Deno.exit(2);
}

// Noble gases, mixed by the Lorentz-Berthelot rules: eV and Å. An element that is not listed is an error that names
// the atom.
const model = lennardJones({
  species: {
    Ne: { epsilon: 0.0031, sigma: 2.74 },
    Ar: { epsilon: 0.0104, sigma: 3.4 },
    Kr: { epsilon: 0.014, sigma: 3.65 },
    Xe: { epsilon: 0.02, sigma: 3.98 },
  },
  cutoff: 10,
});

const interrupt = new AbortController();
Deno.addSignalListener("SIGINT", () => interrupt.abort("interrupted"));

const batch = Batch.from(parseExtxyz(await Deno.readTextFile(from)));
const relaxed = new MemorySink();
await using opt = new FIRE({
  model,
  dt: 0.5,
  nSteps: 2000,
  signal: interrupt.signal,
  hooks: [
    ConvergenceHook.fromFmax(0.01),
    new ConvergedSnapshotHook({ sink: relaxed }),
    ...(log === undefined
      ? []
      : [new LoggingHook({ backend: "csv", logPath: log, frequency: 10 })]),
  ],
});
await opt.run(batch);

console.log(`${relaxed.length} of ${batch.size} relaxed in ${opt.stepCount} steps`);
if (relaxed.length < batch.size) Deno.exitCode = 1;
if (relaxed.length > 0) await Deno.writeTextFile(to, writeExtxyz(relaxed.drain()));
if (interrupt.signal.aborted) Deno.exitCode = 130;

/** Returns the path of a file with links followed; `undefined` if there is no such file. */
async function realPath(path: string): Promise<string | undefined> {
  return await Deno.realPath(path).catch(() => undefined);
}
