/** Streams crystals from where its folder is to the end. Started by tests. */
import { fcc, rattle } from "../../src/batch/mod.ts";
import { ConvergenceHook, FIRE, SizeAwareSampler } from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { lennardJones } from "../../src/models/mod.ts";
import { CheckpointHook } from "../../src/observe/mod.ts";
import { openSink } from "../../src/sinks/mod.ts";

/** Line that reports that all systems are relaxed. */
export const DONE = "done";

if (import.meta.main) {
  const [folder, ending, count] = Deno.args as [string, string, string];
  const say = (text: string) => void Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
  const crystals = Array.from(
    { length: Number(count) },
    (_, i) =>
      rattle(
        fcc({ element: "Ar", a: 5.26, cells: 1 + i % 2 }),
        0.02 + 0.0025 * ((37 * i) % 101),
        i,
      ),
  );
  const sink = await openSink(`${folder}/relaxed.${ending}`);
  await using opt = new FIRE({
    model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
    dt: 0.2,
    device: "wasm",
    hooks: [
      ConvergenceHook.fromFmax(0.005),
      new CheckpointHook({ folder, everySteps: 25, everySeconds: 0.004, keepLast: 2 }),
      hook({
        name: "progress",
        frequency: 10,
        on: { dynamics: { AFTER_STEP: ({ stepCount }) => say(`step ${stepCount}`) } },
      }),
    ],
    onWarning: ({ hook, error }) => say(`warning ${hook}: ${error}`),
  });
  say("open");
  await opt.loadLatest(folder);
  await opt.stream(new SizeAwareSampler(crystals, { maxAtoms: 100 }), { sinks: [sink] });
  await sink.close();
  say(DONE);
}
