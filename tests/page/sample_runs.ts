// Runs for tests of the page: events and frames that are computed, the same each time.
import type { Shelf, ShelvedRun } from "../../src/page/feed/run_shelf.ts";
import { EventLog } from "../../src/page/feed/event_log.ts";
import type {
  HookRow,
  RunCommand,
  RunEvent,
  RunInfo,
  StructureRow,
  ViewerFrame,
} from "../../src/page/protocol.ts";

/** A name that would be markup if the page did not treat it as text. */
export const MARKUP = '<img src=x onerror="globalThis.isAttacked=true">';

/** A run whose events a test publishes. Commands to hooks act at once. */
export class SampleRun implements ShelvedRun {
  path: string | undefined;
  readonly log: EventLog = new EventLog();
  readonly commands: RunCommand[] = [];
  info: RunInfo;
  hooks: readonly HookRow[] = [];
  length = 0;
  readonly #atoms: number;

  constructor(info: RunInfo, atoms = 64) {
    this.info = info;
    this.#atoms = atoms;
    this.publish({ type: "info", run: info });
  }

  publish(event: RunEvent): void {
    if (event.type === "info") this.info = event.run;
    if (event.type === "hooks") this.hooks = event.hooks;
    if (event.type === "frames") this.length = event.count;
    this.log.publish(event);
  }

  events(signal: AbortSignal): AsyncIterable<RunEvent> {
    return this.log.events(signal);
  }

  frame(index: number): Promise<ViewerFrame> {
    if (!(index >= 0 && index < this.length)) {
      return Promise.reject(new RangeError(`Cannot read frame ${index}`));
    }
    const edge = Math.ceil(Math.cbrt(this.#atoms)), a = 3.8;
    const positions = new Float32Array(3 * this.#atoms);
    for (let i = 0; i < this.#atoms; i++) {
      const cell = [i % edge, Math.floor(i / edge) % edge, Math.floor(i / edge ** 2)];
      for (let k = 0; k < 3; k++) {
        positions[3 * i + k] = a * cell[k]! + 0.4 * Math.sin(1.3 * i + 2 * k + 0.2 * index);
      }
    }
    return Promise.resolve({
      step: 100 * index,
      numbers: new Uint8Array(this.#atoms).fill(18),
      positions,
      cell: Float32Array.of(a * edge, 0, 0, 0, a * edge, 0, 0, 0, a * edge),
      pbc: [true, true, true],
    });
  }

  live(): Promise<ViewerFrame | undefined> {
    return this.length === 0 ? Promise.resolve(undefined) : this.frame(this.length - 1);
  }

  command(command: RunCommand): Promise<void> {
    if (!this.info.isControllable) return Promise.reject(new Error("Cannot control the run"));
    this.commands.push(command);
    this.publish({ type: "command", command, step: this.info.step });
    if (command.action === "hook") {
      const hooks = this.hooks.map((hook) =>
        hook.name === command.name ? { ...hook, isEnabled: command.enabled } : hook
      );
      this.publish({ type: "hooks", hooks });
    } else {
      const state = ({ stop: "interrupted", pause: "paused", resume: "running" } as const)[
        command.action
      ];
      this.publish({ type: "info", run: { ...this.info, state } });
    }
    return Promise.resolve();
  }

  file(path: string): Promise<Blob> {
    return Promise.resolve(new Blob([path]));
  }
}

export function shelfOf(runs: readonly SampleRun[]): Shelf {
  return {
    list: () => Promise.resolve(runs.map(({ info }) => info)),
    find: (id) => Promise.resolve(runs.find(({ info }) => info.id === id)),
    close: () => Promise.resolve(),
  };
}

/** Rows of dynamics from one step to another: total energy that drifts, kinetic energy, temperature, pressure. */
export function dynamicsRows(from: number, to: number, every: number): number[][] {
  const rows: number[][] = [];
  for (let step = from; step < to; step += every) {
    const noise = Math.sin(0.031 * step) + 0.4 * Math.sin(0.17 * step + 1);
    const kinetic = 1.3 + 0.12 * noise, total = -19.62 + 1e-7 * step;
    rows.push([step, total - kinetic, total, kinetic, 40 + 3.7 * noise, 0.02 * noise]);
  }
  return rows;
}

export const DYNAMICS_NAMES: readonly string[] = [
  "energy",
  "energy/total",
  "energy/kinetic",
  "temperature",
  "pressure_GPa",
];

/** A run of dynamics that goes on, with everything that the page can show. */
export function dynamicsRun(points = 400): SampleRun {
  const run = new SampleRun({
    id: "runs/argon",
    name: "argon-md",
    kind: "md",
    state: "running",
    step: 10 * points,
    steps: 20 * points,
    dt: 4,
    isControllable: true,
    systems: 1,
    config: {
      command: "md",
      structures: ["argon.xyz"],
      temperature: 40,
      dt: 4,
      model: { name: "lj" },
    },
    files: [{ path: "traj.xyz", bytes: 1_230_000 }, { path: "report.html", bytes: 48_000 }],
  });
  run.publish({ type: "scalars", names: DYNAMICS_NAMES, rows: dynamicsRows(0, 10 * points, 10) });
  run.publish({
    type: "hooks",
    hooks: [
      { name: "TrajectoryHook", stages: ["dynamics/AFTER_STEP"], frequency: 100, isEnabled: true },
      { name: MARKUP, stages: ["dynamics/AFTER_STEP"], frequency: 10, isEnabled: false },
    ],
  });
  run.publish({ type: "warning", message: `A file has the name ${MARKUP}`, step: 20 });
  const r = Array.from({ length: 100 }, (_, i) => 0.1 * i);
  run.publish({
    type: "curve",
    name: "Radial distribution, Ar–Ar",
    x: { label: "r, Å", values: r },
    y: {
      label: "g(r)",
      values: r.map((x) => x < 3 ? 0 : 1 + 2 * Math.exp(3.4 - x) * Math.cos(2 * (x - 3.8))),
    },
  });
  run.publish({
    type: "timings",
    rows: [
      { from: "BEFORE_STEP", to: "AFTER_PRE_UPDATE", count: 100, milliseconds: 0.08 },
      { from: "AFTER_PRE_UPDATE", to: "AFTER_COMPUTE", count: 100, milliseconds: 0.61 },
      { from: "AFTER_COMPUTE", to: "AFTER_STEP", count: 100, milliseconds: 0.07 },
    ],
  });
  run.publish({ type: "frames", count: Math.floor(points / 10) });
  return run;
}

/** A training that goes on. */
export function trainingRun(): SampleRun {
  const run = new SampleRun({
    id: "runs/tuned",
    name: "fine-tuned",
    kind: "train",
    state: "paused",
    step: 300,
    steps: 1000,
    isControllable: true,
    systems: 1,
    files: [],
  });
  const names = ["train/loss", "val/loss", "optimizer/0/group_0/lr"];
  const rows = Array.from({ length: 300 }, (_, i) => [
    i,
    0.9 * Math.exp(-i / 60) + 0.01 + 0.004 * Math.sin(i),
    i % 10 === 0 ? 0.95 * Math.exp(-i / 70) + 0.02 : null,
    1e-3 * Math.min(1, i / 30) * (0.5 + 0.5 * Math.cos(Math.PI * i / 1000)),
  ]);
  run.publish({ type: "scalars", names, rows });
  return run;
}

/** A screening with failures. */
export function screeningRun(count: number): SampleRun {
  const run = new SampleRun({
    id: "runs/screened",
    name: "screened",
    kind: "screen",
    state: "completed",
    step: count,
    steps: count,
    isControllable: false,
    systems: count,
    files: [{ path: "status.csv", bytes: 20_000 }],
  });
  run.publish({
    type: "structures",
    rows: Array.from({ length: count }, (_, i) => structureRow(i)),
  });
  run.publish({ type: "frames", count });
  return run;
}

function structureRow(i: number): StructureRow {
  const atoms = 8 + i % 25, name = i === 7 ? MARKUP : `set_${i % 4}.xyz:${i}`;
  if (i % 40 === 7) return { name, status: "failed", reason: "The energy is not finite", atoms };
  return {
    name,
    status: i % 13 === 5 ? "not converged" : "converged",
    step: 20 + (i * 37) % 180,
    energy: -0.078 * atoms * (1 + 0.02 * Math.sin(1.7 * i)),
    fmax: 0.004 + 0.0001 * (i % 50),
    atoms,
    frame: i,
  };
}
