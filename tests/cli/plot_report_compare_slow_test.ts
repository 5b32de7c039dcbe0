/** The commands `plot`, `report` and `compare` on a run that is killed. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fcc, rattle } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { lennardJonesModel } from "../../src/onnx/mod.ts";
import { hookeProcess } from "./child.ts";
import { hooke, tempFolder } from "./session.ts";

/** Plots a run as soon as its log has rows. */
async function plotted(run: string): Promise<string> {
  for (const deadline = Date.now() + 60_000;;) {
    const { out } = await hooke(["plot", run, "-c", "total"]);
    if (out.includes("(last") || Date.now() > deadline) return out;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

Deno.test(
  "a run is plotted while it runs, reported after a kill, and compared with others",
  async () => {
    await using folder = await tempFolder();
    const cwd = folder.path, run = `${cwd}/run`, again = `${cwd}/again`;
    const crystal = rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.05, 1);
    await Deno.writeTextFile(`${cwd}/a.xyz`, writeExtxyz([crystal]));
    const common = ["--temperature", "40", "--dt", "2", "--log-every", "10", "--traj-every", "10"];
    const args = ["md", "a.xyz", ...common, "--checkpoint-every", "20"];
    // The run goes on until it is killed, after more steps than the run with which it is compared.
    let drawn: Promise<string> | undefined;
    const ended = await hookeProcess([...args, "--steps", "100000000", "-o", "run"], {
      cwd,
      signals: [{ name: "SIGKILL", after: " 800 " }],
      onText: (out) => {
        if (out.includes(" 200 ")) drawn ??= plotted(run);
      },
    });
    assert(ended.code !== 0);
    assertMatch(await drawn!, /the run has not ended[^]*total energy, eV \(last /);
    await Deno.remove(`${run}/report.html`).catch(() => {});

    // With the permission to read alone, a picture is refused with the flag that is missing.
    const flags = ["--allow-read"];
    const plot = await hookeProcess(["plot", "run", "-c", "energy"], { cwd, flags });
    assertEquals([plot.code, plot.err], [0, ""]);
    assertStringIncludes(plot.out, "potential energy, eV (last ");
    const refused = await hookeProcess(["report", "run"], { cwd, flags });
    assertEquals(refused.code, 1);
    assertMatch(refused.err, /^Cannot write run\/report\.html: .*--allow-write/);
    const made = await hookeProcess(["report", "run"], {
      cwd,
      flags: [...flags, "--allow-write=."],
    });
    assertEquals([made.code, made.out.trim()], [0, "Wrote run/report.html: not ended"]);
    const killed = await Deno.readTextFile(`${run}/report.html`);
    for (
      const part of ["First structure, 0 ps", "Last structure, ", "time, ps", "Temperature, K"]
    ) {
      assertStringIncludes(killed, part);
    }

    // A run in one go has the same values at the steps that both have. It is shorter than the killed one in any case.
    assertEquals(
      (await hooke([
        ...args.map((one) => one === "a.xyz" ? `${cwd}/a.xyz` : one),
        "--steps",
        "400",
        "-o",
        again,
        "-q",
      ])).code,
      0,
    );
    const compared = await hookeProcess([
      "compare",
      "run",
      "again",
      "--common",
      "-t",
      "0",
      "-c",
      "total,temp",
    ], { cwd, flags });
    assertEquals([compared.code, compared.err], [
      0,
      "Note: Final structures are not compared: there is no run/final.xyz\n",
    ]);
    assertMatch(compared.out, /energy\/total +eV +\d\d +0 +0 +0 +0\n/);
    const steps = await hookeProcess(["compare", "run", "again"], { cwd, flags });
    assertEquals(steps.code, 2);
    assertStringIncludes(steps.err, "their steps differ");

    // Two models in ONNX files, with the values that kernels compute.
    for (const [name, sigma] of [["a", 3.4], ["b", 3.41]] as const) {
      await Deno.writeFile(
        `${cwd}/${name}.onnx`,
        lennardJonesModel({ epsilon: 0.0104, sigma, cutoff: 8.5 }),
      );
    }
    const models = await hookeProcess([
      "compare",
      "a.onnx",
      "b.onnx",
      "-s",
      "again/trajectory.xyz@::10",
      "--json",
      "-t",
      "1e-9",
    ], { cwd });
    assertEquals(models.code, 3);
    const [energy, forces] = models.out.trim().split("\n").map((line) => JSON.parse(line));
    assertEquals([energy.n, forces.n, energy.exceeded], [5, 5 * 32 * 3, true]);
    const kernels = await hooke([
      "compare",
      "lj:argon",
      `${cwd}/a.onnx`,
      "-s",
      `${again}/trajectory.xyz@::10`,
      "-t",
      "energy=1e-5,forces=1e-4",
      "-q",
    ]);
    assertEquals(kernels.code, 0, kernels.err);
  },
);
