/**
 * Run folders as commands leave them when their process is killed, without running anything.
 *
 * @module
 */

/**
 * Writes a run folder of dynamics with steps of 1 fs, or of another command. The last line of each log is cut off.
 * After step `i` of 80, the potential energy is `−2 + i / 200`, the kinetic energy `i / 100`, and the temperature `i / 2`.
 */
export async function runFolder(
  path: string,
  config: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  await Deno.mkdir(`${path}/logs`, { recursive: true });
  const begun = "2026-01-02T03:04:05.000Z";
  const command = { command: "md", dt: 1, steps: 100, traj: "trajectory.xyz", ...config };
  await Deno.writeTextFile(
    `${path}/config.json`,
    JSON.stringify({ schema: 1, id: "abc", begun, configHash: null, config: command }),
  );
  if (config.command === "screen") {
    const facts = { type: "screened", file: "a.xyz", atoms: 4, energy: -1, fmax: 0.01, reason: "" };
    const results = [3, 4, 3].map((steps) => ({ ...facts, status: "converged", steps }));
    const failed = { ...facts, status: "failed", steps: null, energy: null, reason: "too hot" };
    const lines = [...results, failed].map((one, frame) => JSON.stringify({ ...one, frame }));
    await Deno.writeTextFile(`${path}/status.jsonl`, `${lines.join("\n")}\n{"type":"scr`);
    return path;
  }
  const steps = Array.from({ length: 9 }, (_, i) => 10 * i);
  const rows = steps.map((i) =>
    `${i},${i},0,${i / 2},${-2 + i / 200},${i / 100},${-2 + 3 * i / 200},NaN,64`
  );
  const head = "step,time,systemId,temperature,potential,kinetic,total,pressure,volume";
  await Deno.writeTextFile(`${path}/log.csv`, `${[head, ...rows].join("\n")}\n90,90,0,4`);
  const scalars = steps.map((step) =>
    JSON.stringify({
      step,
      time: begun,
      stage: "dynamics/AFTER_STEP",
      engine: "NVE",
      scalars: { energy: -1, fmax: step / 100 },
    })
  );
  await Deno.writeTextFile(`${path}/logs/scalars.jsonl`, `${scalars.join("\n")}\n{"step":90`);
  return path;
}
