/**
 * A hook with a resource: opened when the run begins, closed when it ends, however it ends.
 *
 * Run: `deno run -A examples/file_writer.ts OUT.csv`
 */
import { type DynamicsContext, DynamicsStage, hostState, Loop, type Outcome } from "@hooke/hooke";

class FileWriter {
  readonly stage = DynamicsStage.AFTER_STEP;
  readonly frequency = 10;
  readonly reads = ["energy"] as const;
  readonly #path: string;
  #file: Deno.FsFile | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  open(): void {
    this.#file = Deno.openSync(this.#path, { create: true, append: true, write: true });
  }

  call(ctx: DynamicsContext<"energy">): void {
    let mean = 0;
    for (const energy of ctx.read.energy) mean += energy / ctx.read.energy.length;
    this.#file?.writeSync(new TextEncoder().encode(`${ctx.stepCount},${mean}\n`));
  }

  close(outcome: Outcome): void {
    this.#file?.close();
    this.#file = undefined;
    console.log(`closed ${this.#path}: ${outcome.status}`);
  }
}

const path = Deno.args[0];
if (path === undefined) {
  console.error("usage: deno run -A examples/file_writer.ts OUT.csv");
  Deno.exit(2);
}

const energy = new Float64Array([-1, -3]);
await using loop = new Loop({
  kinds: DynamicsStage,
  state: hostState({ energy: () => energy }),
  hooks: [new FileWriter(path)],
  step(loop) {
    energy.forEach((e, i) => energy[i] = e - 0.125);
    return loop.fire(DynamicsStage.AFTER_STEP);
  },
});
await loop.run(25);
await loop.run(5); // goes on where it was, and appends
