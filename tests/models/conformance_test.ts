/** Conformance suite of models, run on the models of Hooke. */
import { fcc, rattle, System } from "../../src/batch/mod.ts";
import {
  buckingham,
  centerBias,
  harmonicBonds,
  lennardJones,
  type Model,
  morse,
  potential,
  sum,
  tethers,
} from "../../src/models/mod.ts";
import { OnnxModel } from "../../src/models/onnx.ts";
import { decodeModel, encodeModel, lennardJonesModel } from "../../src/onnx/mod.ts";
import { modelSuite, type ModelSuiteOptions } from "../../src/testing/mod.ts";
import { ALL_BACKENDS, lacksBackend, openOn } from "../kernels/lab.ts";
import { lacks } from "../machine.ts";
import { readModel } from "../onnx/shared_models.ts";
import { pairsOf, rowsOf } from "../suite.ts";

const [AR, KR] = [{ epsilon: 0.0104, sigma: 3.4 }, { epsilon: 0.014, sigma: 3.65 }];

/** Twelve atoms of two elements in a skewed, left-handed cell, some of them outside it. */
const SKEWED = (() => {
  const plain = rattle(fcc({ element: "Ar", a: 5.3, cells: [3, 1, 1] }), 0.25, 4);
  const cell = [0.9, 5.2, 0.2, 15.9, 0.3, -0.7, 0.4, -0.5, 5.6];
  const positions = plain.positions.map((x, i) => x + (i === 9 ? 40 : 0));
  const symbols = Array.from({ length: 12 }, (_, i) => i % 3 === 0 ? "Kr" : "Ar");
  return new System({ symbols, positions, cell });
})();

/** Four atoms in a layer that is periodic along two directions. */
const LAYER = new System({
  symbols: ["Ar", "Kr", "Ar", "Ar"],
  positions: [0, 0, 0, 3.7, 0.2, 0.4, 0.3, 3.9, -0.3, 3.5, 3.6, 0.1],
  cell: [7.4, 0.3, 0, 0.5, 7.6, 0, 0, 0, 0],
  pbc: [true, true, false],
});

/** A chain of six atoms without periodicity. */
const CHAIN = new System({
  symbols: ["Ar", "Ar", "Kr", "Ar", "Kr", "Ar"],
  positions: [0, 1, 2, 3, 4, 5].flatMap((i) => [
    3.4 * i + 0.1 * Math.sin(7 * i),
    Math.cos(3 * i),
    0.8 * Math.sin(2 * i + 1),
  ]),
});

const systems = [SKEWED, CHAIN, LAYER];
const gives = ["energy", "forces", "stress"] as const;
const pair = { depth: 0.3, width: 1.1, distance: 3.5, truncation: "switch" } as const;
const mixture = { species: { Ar: AR, Kr: KR }, cutoff: 7.3, truncation: "switch" } as const;

/** A model with its properties for the suite. */
type Row = readonly [
  open: () => Model | Promise<Model>,
  options: Omit<ModelSuiteOptions, "backend">,
];

/** Kernels: results are bitwise identical when repeated, and alone or in a batch. */
const KERNELS: Readonly<Record<string, Row>> = {
  "Lennard-Jones": [
    () => lennardJones({ ...mixture, switchWidth: 3 }),
    { systems, gives, isExact: true },
  ],
  "Morse": [
    () => morse({ ...pair, cutoff: 7.9, switchWidth: 2 }),
    { systems, gives, isExact: true },
  ],
  "Buckingham, with exclusions": [
    () =>
      buckingham({
        species: {
          Ar: { strength: 800, length: 0.35, dispersion: 40 },
          Kr: { strength: 900, length: 0.37, dispersion: 50 },
        },
        cutoff: 7.3,
        truncation: "switch",
        switchWidth: 3,
        exclude: { bonds: [[0, 1], [1, 2]], scale14: 0.5, pairs: [[0, 3]] },
      }),
    // Exclusions refer to atoms by index; atoms half a cell apart would change their nearest image.
    { systems: [CHAIN], gives, isExact: true, breaks: ["permutation", "extensivity"] },
  ],
  "Buckingham": [
    () =>
      buckingham({
        species: {
          Ar: { strength: 800, length: 0.35, dispersion: 40 },
          Kr: { strength: 900, length: 0.37, dispersion: 50 },
        },
        cutoff: 7.3,
        truncation: "switch",
        switchWidth: 3,
      }),
    { systems, gives, isExact: true },
  ],
  "a sum": [
    () => sum(lennardJones(mixture), morse({ ...pair, cutoff: 6 })),
    { systems, gives, isExact: true },
  ],
  "a sum with tethers to the initial positions": [
    () => sum(lennardJones(mixture), tethers({ stiffness: 0.7 })),
    { systems, gives, isExact: true },
  ],
  "bonds": [
    () =>
      harmonicBonds([
        { atoms: [0, 1], length: 3, stiffness: 2 },
        { atoms: [2, 3], length: 3.3, stiffness: 1.5 },
      ]),
    // Bonds refer to atoms by index, in one image.
    { systems, gives, isExact: true, breaks: ["permutation", "extensivity", "images"] },
  ],
  "tethers": [
    () => tethers({ stiffness: 0.7, anchors: [1, 2, 3] }),
    {
      systems,
      gives,
      isExact: true,
      breaks: ["translation", "rotation", "extensivity", "images", "strain"],
    },
  ],
  "a bias on the center of mass": [
    () => centerBias({ stiffness: 3, center: [1, 2, 3] }),
    {
      systems,
      gives,
      isExact: true,
      breaks: ["translation", "rotation", "extensivity", "images", "strain"],
    },
  ],
  "a custom potential": [
    () =>
      potential(({ positions, forces }) => {
        let energy = 0;
        for (const [i, x] of positions.entries()) {
          energy += x ** 4 / 4e4;
          forces[i]! -= x ** 3 / 1e4;
        }
        return energy;
      }),
    {
      systems: [CHAIN],
      isExact: true,
      breaks: ["translation", "rotation", "extensivity"],
    },
  ],
};

/**
 * Models whose forces or energies have a step at the cutoff: differences must be small enough to avoid it.
 */
const STEPS: Readonly<Record<string, Row>> = {
  "Lennard-Jones, cut": [
    () => lennardJones({ species: { Ar: AR, Kr: KR }, cutoff: 7.3, truncation: "cut" }),
    { systems, gives, isExact: true },
  ],
  "Lennard-Jones, shifted": [
    () => lennardJones({ species: { Ar: AR, Kr: KR }, cutoff: 7.3 }),
    { systems, gives, isExact: true },
  ],
  "Morse, shifted": [
    () => morse({ ...pair, truncation: "shift", cutoff: 6.7 }),
    { systems, gives, isExact: true },
  ],
};

const argon = systems.map(({ positions, cell, pbc }) =>
  new System({
    symbols: Array(positions.length / 3).fill("Ar"),
    positions,
    ...(cell.some((x) => x !== 0) ? { cell, pbc } : {}),
  })
);

/** A graph without the outputs that differentiation of its energy adds. */
function energyOnly(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const model = decodeModel(bytes);
  model.graph!.output = model.graph!.output.filter(({ name }) => name === "energy");
  return encodeModel(model);
}

const ALL = ["energy", "forces", "stress"] as const;

/** Graphs, which compute in float32 on every backend except `reference`. */
const GRAPHS: Readonly<Record<string, Row>> = {
  "the Lennard-Jones graph": [
    () => OnnxModel.open(lennardJonesModel({ ...AR, cutoff: 8.5 })),
    // Its energy is shifted, not switched: the force has a step at the cutoff.
    { systems: argon, precision: "f32", slopeTolerance: 2e-2 },
  ],
  "the Lennard-Jones graph of energies": [
    () => OnnxModel.open(energyOnly(lennardJonesModel({ ...AR, cutoff: 8.5 })), { stress: true }),
    // Far from zero, float32 positions have fewer digits, and the rounding of repelling neighbors affects the
    // virial.
    { systems: argon, gives: ALL, precision: "f32", tolerance: 1e-4, slopeTolerance: 2e-2 },
  ],
};

/** A model on a backend, with one requirement. */
interface Trial {
  readonly model: string;
  readonly backend: string;
  readonly what: string;
  readonly run: () => void | Promise<void>;
}

function trialsOf(models: Readonly<Record<string, Row>>, backends: readonly string[]): Trial[] {
  return Object.entries(models).flatMap(([model, [open, options]]) =>
    backends.flatMap((backend) =>
      modelSuite(open, { ...options, backend: () => openOn(backend) })
        .map(({ name, run }): Trial => ({ model, backend, what: name, run }))
    )
  );
}

/** Methanol and water without periodicity, and water at too high a density. */
const WATER = {
  symbols: ["O", "H", "H"],
  positions: [0, 0, 0.12, 0, 0.8, -0.48, 0.1, -0.76, -0.48],
};
const MOLECULES = [
  {
    symbols: ["C", "O", "H", "H", "H", "H"],
    positions: [
      [-0.05, 0.67, 0.02, -0.05, -0.76, -0.01, -1.08, 1.04, 0.05],
      [0.47, 1.04, 0.89, 0.47, 1.04, -0.89, 0.85, -1.07, 0.03],
    ].flat(),
  },
  WATER,
  { ...WATER, cell: [3.1, 0.1, 0, 0, 3.3, 0.2, 0.3, 0, 3.6] },
];

/** Periodic cells: without a cell a graph has no stress. */
const BOXED = [[9, 0, 0, 1, 8, 0, 0, -1, 9], [4, 0, 1, 0, 5, 0, 0, 1, 4], [
  3.1,
  0.1,
  0,
  0,
  3.3,
  0.2,
  0.3,
  0,
  3.6,
]]
  .map((cell, i) => ({ ...MOLECULES[i]!, cell }));

/** Networks in files beside the project. */
const NETWORKS: Readonly<Record<string, Row>> = {
  "SchNet": [
    () => OnnxModel.open(readModel("schnet_ef.onnx"), { cutoff: 5 }),
    { systems: MOLECULES, precision: "f32" },
  ],
  "PaiNN of energies": [
    () => OnnxModel.open(readModel("painnx_e.onnx"), { cutoff: 5, stress: true }),
    // Its slopes change as quickly as those of ANI-1x.
    {
      systems: BOXED,
      gives: ALL,
      precision: "f32",
      step: 2 ** -7,
      slopeTolerance: 5e-3,
    },
  ],
  "ANI-1x": [
    () =>
      OnnxModel.open(readModel("ani1x_1_ef.onnx"), {
        cutoff: 5.2,
        reach: 3.5,
        elements: ["H", "C", "N", "O"],
      }),
    // Its slopes change within 0.01 Å, and float32 energies have no more digits.
    { systems: MOLECULES, precision: "f32", step: 2 ** -7, slopeTolerance: 5e-3 },
  ],
};

const TRIALS = [
  ...trialsOf(KERNELS, ALL_BACKENDS),
  ...trialsOf(STEPS, ["reference"]),
  ...trialsOf(GRAPHS, ALL_BACKENDS),
  ...trialsOf(NETWORKS, ALL_BACKENDS),
];

// The fast suite runs each model on each backend, each requirement for each model but networks on some backend, and each
// requirement on each backend, with the fastest models there; the slow suite does so with other rows, and networks. On a
// GPU one network stands for all, as compiling their shaders takes seconds; tests/onnx/session_models_test.ts runs the
// others there.
const ELSEWHERE = ["SchNet", "ANI-1x"];
const chosen = rowsOf(TRIALS, {
  keys: ({ model, backend, what }) =>
    model in NETWORKS
      ? backend === "webgpu" && ELSEWHERE.includes(model) ? [] : pairsOf(model, backend)
      : pairsOf(model, backend, what),
  slowKeys: ({ model, backend, what }) => pairsOf(model, backend, what),
  cost: ({ model, backend }) => (backend === "webgpu" ? 10 : 1) * (model in NETWORKS ? 5 : 1),
});

for (const { model, backend, what, run } of chosen) {
  const ignore = lacksBackend(backend) || model in NETWORKS && lacks("models");
  Deno.test({ name: `${model}, ${backend}: ${what}`, fn: run, ignore });
}
