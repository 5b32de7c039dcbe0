/**
 * Shows a hook with a resource, which is opened when the run begins and closed when it ends. It closes with the
 * outcome when all steps are done, when a hook stops the run, when a step throws, and at Ctrl-C, which reaches the
 * loop through a signal.
 *
 * Run: `deno run -P=files examples/file_writer.ts [OUT.csv]`
 */
import {
  Batch,
  type DynamicsContext,
  DynamicsStage,
  fcc,
  initVelocities,
  lennardJones,
  NVE,
  type Outcome,
} from "@hooke/hooke";

class FileWriter {
  readonly stage = DynamicsStage.AFTER_STEP;
  readonly frequency = 10;
  readonly reads = ["energy"] as const;
  readonly onError = "throw"; // errors of observers are only counted by default, and a file with gaps is worse than no run
  readonly #path: string;
  #file: Deno.FsFile | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  open(): void {
    this.#file = Deno.openSync(this.#path, { create: true, append: true });
    if (this.#file.statSync().size === 0) this.#write("step,energy");
  }

  call(ctx: DynamicsContext<"energy">): void {
    let mean = 0;
    for (const energy of ctx.read.energy) mean += energy / ctx.read.energy.length;
    this.#write(`${ctx.stepCount},${mean}`);
  }

  close(outcome: Outcome): void {
    this.#file?.close();
    this.#file = undefined;
    console.log(`closed ${this.#path}: ${outcome.status}`);
  }

  #write(line: string): void {
    this.#file!.writeSync(new TextEncoder().encode(`${line}\n`));
  }
}

const path = Deno.args[0] ?? Deno.makeTempFileSync({ prefix: "energy_", suffix: ".csv" });
const interrupt = new AbortController();
Deno.addSignalListener("SIGINT", () => interrupt.abort("interrupted"));

const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
const batch = Batch.from([crystal, crystal]);
initVelocities(batch, [20, 40], { seed: 1 }); // one of 20 K, one of 40 K
const md = new NVE({
  model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
  dt: 2,
  signal: interrupt.signal,
  hooks: [new FileWriter(path)],
});
await md.run(batch, 25);
await md.run(batch, 6); // resumes, opens the file again, and appends
await md.close();
console.log(await Deno.readTextFile(path));
if (interrupt.signal.aborted) Deno.exitCode = 130;
