/**
 * A hook with a resource: opened when the run begins, closed when it ends. It closes with the outcome when all steps
 * are done, when a hook asks to stop, when a step throws, and at Ctrl-C, which reaches the loop by a signal.
 *
 * Run: `deno run -A examples/file_writer.ts [OUT.csv]`
 */
import { type DynamicsContext, DynamicsStage, hostState, Loop, type Outcome } from "@hooke/hooke";

class FileWriter {
  readonly stage = DynamicsStage.AFTER_STEP;
  readonly frequency = 10;
  readonly reads = ["energy"] as const;
  readonly onError = "throw"; // an observer that throws is only counted; a file with gaps is worse than no run
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

const energy = new Float64Array([-1, -3]);
const loop = new Loop({
  kinds: DynamicsStage,
  signal: interrupt.signal,
  state: hostState({ energy: () => energy }),
  hooks: [new FileWriter(path)],
  step(loop) {
    energy.forEach((e, i) => energy[i] = e - 0.125);
    return loop.fire(DynamicsStage.AFTER_STEP);
  },
});
await loop.run(25);
await loop.run(6); // goes on where it was, opens the file again, and appends
console.log(await Deno.readTextFile(path));
