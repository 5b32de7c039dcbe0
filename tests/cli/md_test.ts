import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { fcc, rattle } from "../../src/batch/mod.ts";
import { parseExtxyz, writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { hookeProcess } from "./child.ts";
import { hooke, tempFolder } from "./session.ts";

async function argon(folder: string, name: string = "argon.xyz", a: number = 5.3): Promise<string> {
  const path = `${folder}/${name}`;
  const crystal = rattle(fcc({ element: "Ar", a, cells: 2 }), 0.05, 1);
  await Deno.writeTextFile(path, writeExtxyz([crystal]));
  return path;
}

/** The objects that `--json` prints, one a line. */
// deno-lint-ignore no-explicit-any -- objects of several types
function objectsIn(out: string): any[] {
  return out.split("\n").map((line) => JSON.parse(line));
}

async function rowsOf(path: string): Promise<number[][]> {
  const [head, ...rows] = (await Deno.readTextFile(path)).trimEnd().split("\n");
  assertEquals(
    head,
    "step,time,systemId,temperature,potential,kinetic,total,pressure,volume",
  );
  return rows.map((row) => row.split(",").map(Number));
}

Deno.test("md writes a run folder with a log, a trajectory that begins with the initial frame, and a report", async () => {
  await using folder = await tempFolder();
  const from = await argon(folder.path), to = `${folder.path}/run`;
  const options = ["--ensemble", "nve", "--temp", "40", "--timestep", "2", "--time", "0.4"];
  const every = ["--log-every", "50", "--traj-every", "100"];
  const { code, out, err } = await hooke(["md", from, "-o", to, ...options, ...every]);
  assertEquals([code, err], [0, ""]);
  assertMatch(out, /argon\.xyz: 32 atoms, potential lj, NVE, 200 steps of 2 fs \(0\.4 ps\)/);
  assertMatch(out, /^ +Step +Time\/ps +Temp\/K +PotEng\/eV +KinEng\/eV +TotEng\/eV +Press\/GPa/m);
  assertMatch(out, /^ +0 +0\.0000 +40\.00 +-2\.585293 /m);
  assertMatch(out, /^ +200 +0\.4000 /m);
  const rows = await rowsOf(`${to}/log.csv`);
  assertEquals(
    rows.map(([step, time]) => [step, time]),
    [0, 50, 100, 150, 200].map((n) => [n, 2 * n]),
  );
  for (const [, , , kelvin, potential, kinetic, total, , volume] of rows) {
    assertAlmostEquals(total!, rows[0]![6]!, 1e-3); // the energy is conserved
    assertAlmostEquals(potential! + kinetic!, total!, 1e-12);
    assertAlmostEquals(kinetic! / 93 * 2 / 8.617333262e-5, kelvin!, 1e-3);
    assertAlmostEquals(volume!, 8 * 5.3 ** 3, 1e-2);
  }
  const frames = parseExtxyz(await Deno.readTextFile(`${to}/trajectory.xyz`));
  assertEquals(frames.map(({ info }) => [info.step, info.time]), [
    [0, 0],
    [100, 200],
    [200, 400],
  ]);
  const [start] = parseExtxyz(await Deno.readTextFile(from));
  assertAlmostEquals(frames[0]!.positions[4]!, start!.positions[4]!, 1e-5);
  assertAlmostEquals(frames[0]!.energy!, rows[0]![4]!, 1e-12);
  const [last] = parseExtxyz(await Deno.readTextFile(`${to}/final.xyz`));
  assertEquals(last!.positions, frames[2]!.positions);
  const report = await Deno.readTextFile(`${to}/report.html`);
  for (
    const text of ["energy/total", "energy/kinetic", "Pressure, GPa", "Volume, Å³", "time, ps"]
      .concat(
        "First structure, 0 ps",
        "Last structure, 0.4 ps",
      )
  ) {
    assertStringIncludes(report, text);
  }
  assertEquals((await Array.fromAsync(Deno.readDir(`${to}/checkpoints`))).length, 1);
  const { config } = JSON.parse(await Deno.readTextFile(`${to}/config.json`));
  const { ensemble, temperature, dt, steps, friction, seed, model, facts } = config;
  assertEquals([ensemble, temperature, dt, steps, friction, seed], ["nve", 40, 2, 200, 0.01, 0]);
  assertEquals([model, facts.potential, facts.elements], [undefined, "lj", ["Ar"]]);
});

Deno.test("the ensembles keep temperature, pressure or energy", async () => {
  await using folder = await tempFolder();
  const from = await argon(folder.path);
  const run = async (...args: string[]) => {
    const to = `${folder.path}/${args.join("")}`;
    const shared = ["--temperature", "40", "--dt", "4", "--steps", "1500", "-q", "-o", to];
    const { code, err } = await hooke(["md", from, ...shared, ...args]);
    assertEquals([code, err], [0, ""], args.join(" "));
    const rows = (await rowsOf(`${to}/log.csv`)).slice(5);
    return (column: number) => rows.reduce((sum, row) => sum + row[column]!, 0) / rows.length;
  };
  for (const thermostat of ["langevin", "bussi", "nose-hoover"]) {
    const mean = await run("--thermostat", thermostat, "--seed", "3");
    assertAlmostEquals(mean(3), 40, 8, thermostat);
  }
  const free = await run("--ensemble", "npt", "--barostat-time", "500");
  const pressed = await run("--ensemble", "npt", "--barostat-time", "500", "--pressure", "0.5");
  assert(pressed(8) < 0.95 * free(8), `${pressed(8)} and ${free(8)} Å³`);
  assertAlmostEquals(pressed(7), 0.5, 0.1);
});

Deno.test("several structures run in one batch, and velocities of files are kept", async () => {
  await using folder = await tempFolder();
  const a = await argon(folder.path), b = await argon(folder.path, "b.xyz", 5.4);
  const first = `${folder.path}/first`, second = `${folder.path}/second`;
  const args = ["--temperature", "40", "--steps", "100", "--json"];
  const { code, out } = await hooke(["md", a, b, ...args, "-o", first]);
  assertEquals(code, 0);
  const lines = objectsIn(out).filter(({ type }) => type !== "progress");
  assertEquals(lines.map(({ type, step, systemId }) => [type, step, systemId]), [
    ["thermo", 0, 0],
    ["thermo", 0, 1],
    ["thermo", 100, 0],
    ["thermo", 100, 1],
    ["end", 100, undefined],
  ]);
  const again = await hooke([
    "md",
    `${first}/final.xyz`,
    ...args,
    "-o",
    second,
    "--ensemble",
    "nve",
  ]);
  assertEquals(again.code, 0);
  const rows = objectsIn(again.out).filter(({ type }) => type === "thermo");
  const ends = objectsIn(again.out).filter(({ type }) => type === "progress");
  assertEquals(ends.map(({ step, of }) => [step, of]), [[0, 100], [100, 100]]);
  assertAlmostEquals(rows[0].kinetic, lines[2].kinetic, 1e-9);
  assertAlmostEquals(rows[1].potential, lines[3].potential, 1e-6);
  const hot = ["--temperature", "200", "--steps", "1", "-o", `${folder.path}/third`];
  assertMatch(
    (await hooke(["md", `${first}/final.xyz`, ...hot])).out,
    /^Velocities: from the files, \d+\.\d K; --draw-velocities draws them at 200 K$/m,
  );
});

Deno.test("a wrong option of md ends in 2 and says what to pass", async () => {
  await using folder = await tempFolder();
  const from = await argon(folder.path);
  const taken = `${folder.path}/taken`;
  await Deno.mkdir(taken);
  await Deno.writeTextFile(`${taken}/notes.txt`, "");
  const wrong: [string[], string][] = [
    [["--steps", "5", "--time", "1"], "Cannot use --time with --steps: pass one of them"],
    [["--pressure", "1"], "Cannot use --pressure: it needs --ensemble npt or nph"],
    [["--ensemble", "nve", "--friction", "1"], "Cannot use --friction: it needs --ensemble nvt"],
    [["--thermostat-time", "9"], "it needs --ensemble npt, or --thermostat bussi or nose-hoover"],
    [["--ensemble", "nvp"], "must be one of nve, nvt, npt, nph; got nvp; did you mean nve?"],
    [["--dt", "0"], "Cannot use --dt: it must be a number above 0; got 0"],
    [["--temperature", "40K"], "got 40K. Pass the number without a unit: Temperature of the"],
    [["--config", `${folder.path}/none.yaml`], "none.yaml: there is no such file or folder"],
    [["--traj", "a.pdf"], "its name must end with one of .xyz"],
    [["--signal", "usr9"], "must be one of hup, int, term, usr1, usr2; got usr9"],
    [["-o", taken], "it has other files, such as notes.txt. Pass another folder by --out"],
  ];
  for (const [args, message] of wrong) {
    const out = args.includes("-o") ? [] : ["-o", `${folder.path}/run`];
    const { code, err } = await hooke(["md", from, ...args, ...out]);
    assertEquals(code, 2, err);
    assertStringIncludes(err, message);
  }
  const names = (await Array.fromAsync(Deno.readDir(folder.path), ({ name }) => name)).sort();
  assertEquals(names, ["argon.xyz", "taken"], "a refused run leaves no folder");
});

Deno.test("an existing run is not replaced without --overwrite, and --dry-run writes nothing", async () => {
  await using folder = await tempFolder();
  const from = await argon(folder.path), to = `${folder.path}/run`;
  const args = ["md", from, "--steps", "5", "-q", "-o", to];
  const dry = await hooke([...args, "--dry-run", "--time", "1", "--steps", "7"]);
  assertEquals(dry.code, 2);
  const plan = await hooke([...args, "--dry-run"]);
  assertMatch(plan.err, /Would run 5 steps of 1 fs for 1 structure of 32 atoms in all/);
  assertEquals((await Array.fromAsync(Deno.readDir(folder.path))).length, 1);
  assertEquals((await hooke(args)).code, 0);
  const again = await hooke(args);
  assertEquals(again.code, 2);
  assertStringIncludes(
    again.err,
    `it has a run. Pass --overwrite to replace it, or continue it by`,
  );
  assertEquals((await hooke([...args, "--overwrite"])).code, 0);
});

Deno.test("a run that SIGTERM has stopped resumes with the same bits as one without interruption", async () => {
  await using folder = await tempFolder();
  const cwd = folder.path;
  await argon(cwd);
  const args = ["md", "argon.xyz", "--temperature", "40", "--dt", "4", "--log-every", "50"];
  const stopped = await hookeProcess([...args, "--steps", "9000000", "-o", "part"], {
    cwd,
    signals: [{ name: "SIGTERM", after: "\n      100 " }],
  });
  assertEquals(stopped.code, 143, stopped.err);
  const [, step] = /Interrupted at step (\d+) of 9000000; a checkpoint is saved/.exec(stopped.err)!;
  assertMatch(stopped.err, /To continue, run: .* resume \/.*\/part$/m);
  const names = await Array.fromAsync(Deno.readDir(`${cwd}/part/checkpoints`), ({ name }) => name);
  assert(names.includes(`step-${step!.padStart(9, "0")}.hooke`), String(names));
  const steps = String(Number(step) + 160);
  // With --quiet or without, there is no warning about hooks that are missing.
  const half = String(Number(step) + 80);
  const quiet = await hookeProcess(["resume", "part", "--steps", half, "-q"], { cwd });
  assertEquals([quiet.code, quiet.out, quiet.err], [0, "", ""]);
  const resumed = await hookeProcess(["resume", "part", "--steps", steps], { cwd });
  assertEquals([resumed.code, resumed.err.replaceAll(/^step .*\n/gm, "")], [0, ""]);
  assertStringIncludes(resumed.out, `Resuming at step ${half}`);
  const whole = await hookeProcess([...args, "--steps", steps, "-o", "whole", "-q"], { cwd });
  assertEquals([whole.code, whole.out, whole.err], [0, "", ""]);
  for (const file of ["trajectory.xyz", "log.csv", "final.xyz"]) {
    const [one, other] = await Promise.all(
      ["part", "whole"].map((run) => Deno.readTextFile(`${cwd}/${run}/${file}`)),
    );
    assertEquals(one, other, file);
  }
});

Deno.test("Ctrl-C saves a checkpoint within 200 ms and ends in 130, and --signal names another signal", async () => {
  await using folder = await tempFolder();
  const cwd = folder.path;
  await argon(cwd);
  const args = ["md", "argon.xyz", "--temperature", "40", "--steps", "9000000"];
  const run = async (to: string, signal: Deno.Signal, ...more: string[]) => {
    const signals = [{ name: signal, after: "\n      100 " }];
    const ended = await hookeProcess([...args, "-o", to, ...more], { cwd, signals });
    assertStringIncludes(ended.err, "a checkpoint is saved");
    const [, step] = /Interrupted at step (\d+) of/.exec(ended.err)!;
    const path = `${cwd}/${to}/checkpoints/step-${step!.padStart(9, "0")}.hooke`;
    return { ...ended, waited: (await Deno.stat(path)).mtime!.getTime() - ended.signaled };
  };
  const waited: string[] = [];
  // A slow machine may need longer, in proportion to the half second that it takes here to come to step 100, and a
  // busy one at times.
  for (let i = 0, isQuick = false; !isQuick; i++) {
    const ended = await run(`int-${i}`, "SIGINT"), limit = Math.max(200, ended.begun / 3);
    assertEquals(ended.code, 130, ended.err);
    isQuick = ended.waited <= limit;
    waited.push(`${ended.waited} of ${limit} ms`);
    assert(isQuick || i < 5, `${waited}`);
  }
  assertEquals((await run("usr", "SIGUSR1", "--signal", "USR1")).code, 138);
});

Deno.test("a second Ctrl-C leaves at once, although a hook has not closed", async () => {
  await using folder = await tempFolder();
  const cwd = folder.path;
  await argon(cwd);
  await Deno.writeTextFile(
    `${cwd}/slow.ts`,
    `export default {
      name: "slow",
      on: {},
      close: () => {
        // Later than the time in which two signals are one.
        setTimeout(() => console.log("closing"), 800);
        return new Promise((resolve) => setTimeout(resolve, 60_000));
      },
    };`,
  );
  const args = ["md", "argon.xyz", "--steps", "9000000", "--hooks", "slow.ts"];
  const { code, milliseconds, err } = await hookeProcess(args, {
    cwd,
    signals: [{ name: "SIGINT", after: "\n      100 " }, { name: "SIGINT", after: "closing" }],
  });
  assertEquals([code, err.replaceAll(/^step .*\n/gm, "")], [130, ""]);
  assert(milliseconds < 30_000, `${milliseconds} ms`);
});

Deno.test("two signals at a time, as npx passes Ctrl-C on, are one", async () => {
  await using folder = await tempFolder();
  await argon(folder.path);
  const signal = { name: "SIGINT", after: "\n      100 " } as const;
  const { code, err } = await hookeProcess(["md", "argon.xyz", "--steps", "9000000"], {
    cwd: folder.path,
    signals: [signal, signal],
  });
  assertEquals(code, 130);
  assertStringIncludes(err, "a checkpoint is saved");
});

Deno.test("a run that ends before its first step does not promise a checkpoint", async () => {
  await using folder = await tempFolder();
  await argon(folder.path);
  const { code, err } = await hookeProcess(["md", "argon.xyz", "--steps", "9000000", "-o", "run"], {
    cwd: folder.path,
    signals: [{ name: "SIGINT", after: "Run folder" }],
  });
  assertEquals(code, 130);
  const checkpoints = await Array.fromAsync(Deno.readDir(`${folder.path}/run/checkpoints`))
    .catch(() => []);
  assertStringIncludes(
    err,
    checkpoints.length === 0 ? "Interrupted before the first step. To begin, run: " : "is saved",
  );
});

Deno.test("a run that explodes is not simply completed: exit code, last line, report", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/close.xyz`, to = `${folder.path}/run`;
  await Deno.writeTextFile(from, "2\n\nAr 0 0 0\nAr 0.9 0 0\n");
  const { code, err } = await hooke(["md", from, "--dt", "2", "--steps", "100", "-q", "-o", to]);
  assertEquals(code, 3, err);
  assertMatch(err, /The results are not physical: see the warnings above\. [^\n]*\s*$/);
  const report = await Deno.readTextFile(`${to}/report.html`);
  assertStringIncludes(report, 'class="status completed-with-warnings">completed with warnings<');
});

Deno.test("resume names what has changed, and goes on with --override", async () => {
  await using folder = await tempFolder();
  const from = await argon(folder.path), to = `${folder.path}/run`;
  const args = ["md", from, "--temperature", "40", "--steps", "50", "-q", "-o", to];
  assertEquals((await hooke(args)).code, 0);
  const refused = await hooke(["resume", to, "--temperature", "60", "--dt", "2", "--steps", "100"]);
  assertEquals(refused.code, 2);
  assertStringIncludes(
    refused.err,
    `Cannot resume ${to} with other options: dt was 1 and is 2; temperature was 40 and is 60. ` +
      "Pass --override to go on with them, or start a new run by",
  );
  const more = ["--temperature", "60", "--steps", "100", "--override", "-q"];
  const changed = await hooke(["resume", to, ...more]);
  assertEquals(changed.code, 0, changed.err);
  assertMatch(changed.err, /temperature was 40 K and is 60 K/);
  const { config, id } = JSON.parse(await Deno.readTextFile(`${to}/config.json`));
  assertEquals([config.temperature, config.steps], [60, 100]);
  const records = (await Deno.readTextFile(`${to}/runs.jsonl`)).trimEnd().split("\n")
    .map((line) => JSON.parse(line)).filter(({ type }) => type === "start");
  assertEquals(new Set(records.map((record) => record.id)), new Set([id]));
  assertEquals(new Set(records.map(({ configHash }) => configHash)).size, 2);
  const wrong: [string[], string][] = [
    [[], "Cannot resume without a run folder"],
    [[folder.path], "it is not a run folder, because it has no config.json"],
    [[to, to], "Cannot resume 2 runs at once: pass one run folder"],
  ];
  for (const [rest, message] of wrong) {
    const { code, err } = await hooke(["resume", ...rest]);
    assertEquals(code, 2);
    assertStringIncludes(err, message);
  }
});
