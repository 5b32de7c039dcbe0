/** A trainer over a potential compares the energies, forces and stresses that `OnnxModel` gives, in eV and Å. */
import { assert } from "@std/assert";
import { openBackend } from "../../../src/backend/mod.ts";
import { Batch, type SystemInput } from "../../../src/batch/mod.ts";
import { cellVolume } from "../../../src/batch/cell.ts";
import { evaluateModel } from "../../../src/models/evaluate.ts";
import { OnnxModel, type OnnxModelOptions } from "../../../src/models/onnx.ts";
import { GraphBuilder, type Value } from "../../../src/onnx/mod.ts";
import {
  adam,
  atomsData,
  energyForces,
  openPotential,
  potentialErrors,
  Trainer,
} from "../../../src/training/mod.ts";

const SYSTEMS: readonly SystemInput[] = [
  { symbols: ["O", "H", "C"], positions: [0, 0, 0, 1, 0.1, 0, 0.2, 1.2, 0.4] },
  {
    symbols: ["H", "C"],
    positions: [0, 0, 0, 1.1, 0.9, 1],
    cell: [2.2, 0.1, 0, 0, 2.3, 0, 0.1, 0, 2.4],
    pbc: [true, true, true],
  },
  { symbols: ["C"], positions: [1, 2, 3] }, // without an edge
];

/** Outputs of a graph, besides inputs of edges. */
interface Parts {
  readonly g: GraphBuilder;
  /** Energies of atoms, [N]. */
  readonly atoms: Value<"f32">;
  /** Energies of systems, [B]. */
  readonly systems: () => Value<"f32">;
}

/** A graph of edges, E = k Σ r² exp(−r) of the model's own units, which gives what `write` lets out. */
function graphOf(write: (parts: Parts) => void, isSingle = false): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("outputs");
  const x = g.input("positions", "f32", ["N", 3]), z = g.input("z", "i64", ["N"]);
  const edges = g.input("edge_index", "i64", [2, "E"]), shifts = g.input("shifts", "f32", ["E", 3]);
  const k = g.parameter("net.weight", [0.7], [1]);
  const [from, to] = [0, 1].map((row) => g.gather(edges, g.constant("i64", row)));
  const vectors = g.add(g.sub(g.gather(x, to!), g.gather(x, from!)), shifts);
  const square = g.reduceSum(g.mul(vectors, vectors), [1]);
  const each = g.mul(g.op("Exp", [g.op("Neg", [square], "f32")], "f32"), k);
  const none = g.mul(g.op("Cast", [z], "f32", { to: 1 }), 0);
  const atoms = g.scatterAdd(none, from!, each);
  if (isSingle) return built(g, atoms, () => g.reduceSum(atoms, [0], true), write);
  const owners = g.input("batch_idx", "i64", ["N"]), zeros = g.input("energy0", "f32", ["B"]);
  return built(g, atoms, () => g.scatterAdd(zeros, owners, atoms), write);
}

function built(
  g: GraphBuilder,
  atoms: Value<"f32">,
  systems: () => Value<"f32">,
  write: (parts: Parts) => void,
): Uint8Array<ArrayBuffer> {
  write({ g, atoms, systems });
  return g.build();
}

/** Systems with the energies, forces and stresses of `OnnxModel` in double precision. */
async function labeled(bytes: Uint8Array, options: OnnxModelOptions, hasStress: boolean) {
  await using model = await OnnxModel.open(bytes, { ...options, stress: hasStress });
  return await Promise.all(SYSTEMS.map(async (system) => {
    const batch = Batch.from([system]), backend = openBackend("reference");
    const { energy, forces, virial } = await evaluateModel(model, batch, backend);
    const volume = cellVolume(batch.get("cell"));
    return {
      ...system,
      energy: energy[0]!,
      forces: [...forces],
      ...(hasStress && volume > 0 && { stress: virial.map((value) => -value / volume) }),
    };
  }));
}

/** Errors of a potential in meV and Å, over frames that it has made itself. */
async function errorsOf(bytes: Uint8Array, options: OnnxModelOptions, hasStress: boolean) {
  const frames = await labeled(bytes, options, hasStress);
  assert(frames[0]!.forces.some((force) => Math.abs(force) > 0.01), "the case says something");
  const potential = await openPotential(bytes, options);
  const data = atomsData(frames, {
    potential,
    partial: true,
    batchSize: potential.isSingle ? 1 : 3,
  });
  await using trainer = new Trainer({
    model: potential.model,
    loss: energyForces({ potential, weighted: true, stress: hasStress ? 1 : 0 }),
    metrics: potentialErrors({
      potential,
      weighted: true,
      ...(hasStress && { stress: "meV/Å³" }),
    }),
    optimizers: adam({ lr: 1e-3 }),
    device: "reference",
    validation: data,
  });
  return await trainer.validate();
}

const CASES: Readonly<Record<string, readonly [Uint8Array, OnnxModelOptions, stress?: false]>> = {
  "energies of systems": [
    graphOf(({ g, systems }) => g.output("energy", systems(), ["B"])),
    { cutoff: 2.5 },
  ],
  "energies of atoms": [
    graphOf(({ g, atoms }) => g.output("energy", g.unsqueeze(atoms, [1]), ["N", 1])),
    { cutoff: 2.5 },
  ],
  "energies that may be of atoms or of systems": [
    graphOf(({ g, atoms }) => g.output("energy", atoms, [""])),
    { cutoff: 2.5 },
  ],
  "energies of systems whose length has no name": [
    graphOf(({ g, systems }) => g.output("energy", systems(), [""])),
    { cutoff: 2.5 },
  ],
  "Hartree and Bohr": [
    graphOf(({ g, systems }) => g.output("energy", systems(), ["B"])),
    { cutoff: 2.5, energyUnit: "Hartree", lengthUnit: "Bohr" },
  ],
  "a scale, and energies of free atoms": [
    graphOf(({ g, systems }) => g.output("e", systems(), ["B"])),
    {
      cutoff: 2.5,
      outputs: { energy: { tensor: "e", scale: -2 } },
      atomEnergies: { H: -1, C: -3, O: 5 },
    },
  ],
  "energies of free atoms in the graph": [
    graphOf(({ g, systems }) => {
      const table = g.parameter("free.weight", [0, -13, 0, 0, 0, 0, -1029, 0, -2041], [9]);
      const own = g.gather(table, g.value("z", "i64"));
      const sum = g.scatterAdd(g.value("energy0", "f32"), g.value("batch_idx", "i64"), own);
      g.output("energy", g.add(systems(), sum), ["B"]);
    }),
    { cutoff: 2.5, atomEnergies: { H: -1, C: -3, O: 5 } },
  ],
  "one system at a time": [
    graphOf(
      ({ g, atoms }) => g.output("energy", g.squeeze(g.reduceSum(atoms, [0], true), [0]), []),
      true,
    ),
    { cutoff: 2.5 },
  ],
  "a gradient of its own, and no stress": [
    graphOf(({ g, systems }) => {
      g.output("energy", systems(), ["B"]);
      g.output("gradient", g.mul(g.value("positions", "f32"), 30), ["N", 3]);
    }),
    { cutoff: 2.5, lengthUnit: "nm" },
    false,
  ],
  "stresses of its own, six numbers": [
    graphOf(({ g, systems }) => {
      g.output("energy", systems(), ["B"]);
      g.output("forces", g.mul(g.value("positions", "f32"), 0.3), ["N", 3]);
      const row = g.constant("f32", [[1, 2, 3, 4, 5, 6]].flat(), [1, 6]);
      g.output("virial", g.mul(g.unsqueeze(systems(), [1]), row), ["B", 6]);
    }),
    { cutoff: 2.5, energyUnit: "Hartree" },
  ],
};

for (const [title, [bytes, options, hasStress = true]] of Object.entries(CASES)) {
  Deno.test(`a trainer compares what OnnxModel gives: ${title}`, async () => {
    const errors = await errorsOf(bytes, options, hasStress);
    const names = ["energy", "forces", ...hasStress ? ["stress"] : []];
    for (const name of names) {
      assert(errors[`val/${name}RMSE`]! < 0.002, `${name}: ${errors[`val/${name}RMSE`]}`);
    }
  });
}
