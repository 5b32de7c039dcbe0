/**
 * Computes radial distributions, diffusion, autocorrelations and pressures of argon during a run: a crystal and a
 * melt in one batch, each at its own temperature. Given a path, it draws g(r) there.
 *
 * Run: `deno run -P=files examples/argon_observables.ts [g.svg]`
 */
import { Batch, fcc, initVelocities, lennardJones, NVE, NVTLangevin, plot } from "@hooke/hooke";
import {
  AverageStressHook,
  DiffusionHook,
  RadialDistributionHook,
  VelocityAutocorrelationHook,
} from "@hooke/hooke/observe";

const GPA = 160.21766; // of 1 eV/Å³
const NAMES = ["crystal", "melt"];
const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });

const batch = Batch.from([5.3, 5.75].map((a) => fcc({ element: "Ar", a, cells: 3 })));
initVelocities(batch, 60, { seed: 1 });

// A bath brings one system to 40 K and the other to 140 K, where it melts …
await using bath = new NVTLangevin({
  model,
  dt: 4,
  temperature: [40, 140],
  friction: 0.01,
  seed: 2,
});
await bath.run(batch, 1500);

// … and then both run at constant energy, and are observed.
const rdf = new RadialDistributionHook({ cutoff: 8, bins: 80 });
const diffusion = new DiffusionHook({ lags: 60 });
const vacf = new VelocityAutocorrelationHook({ frequency: 5, lags: 80 });
const stress = new AverageStressHook();
await using md = new NVE({ model, dt: 4, hooks: [rdf, diffusion, vacf, stress] });
await md.run(batch, 1500);

for (const [i, name] of NAMES.entries()) {
  const { r, g, coordination } = rdf.results()[i]!, highest = g.indexOf(Math.max(...g));
  const moved = diffusion.results()[i]!, back = vacf.results()[i]!, mean = stress.results()[i]!;
  const cm2PerSecond = (squares: number) => (squares * 0.1).toExponential(1); // of Å²/fs
  console.log(
    `${name}: g(r) highest at ${r[highest]!.toFixed(2)} Å, ${
      coordination[45]!.toFixed(1)
    } atoms within 4.6 Å`,
  );
  console.log(
    `  D = ${cm2PerSecond(moved.diffusion)} cm²/s by displacements, ${
      cm2PerSecond(back.diffusion.at(-1)!)
    } by velocities`,
  );
  console.log(
    `  p = ${(mean.pressure * GPA).toFixed(4)} ± ${(mean.pressureError * GPA).toFixed(4)} GPa`,
  );
}

const [path] = Deno.args;
if (path !== undefined) {
  const series = (name: string) => {
    const { r, g } = rdf.results()[NAMES.indexOf(name)]!;
    return { steps: [...r], values: [...g] };
  };
  const history = { names: () => NAMES, series };
  await Deno.writeTextFile(path, plot({ history }, { title: "g(r) of argon, r in Å" }));
}
