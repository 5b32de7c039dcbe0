/**
 * The potentials that the export suite goes through.
 *
 * @module
 */

/** A potential as `hooke-export` takes it. */
export interface Exported {
  /** Name of the ONNX file, without its ending. */
  readonly file: string;
  /** Family, as the first argument of `hooke-export`. */
  readonly family: string;
  /** Published weights, as the second argument. */
  readonly name: string;
  /** False if the weights are random: only the architecture is compared. */
  readonly hasWeights: boolean;
}

/** All of them. */
export const POTENTIALS: readonly Exported[] = [
  { file: "ani1x", family: "ani", name: "ani-1x", hasWeights: true },
  { file: "ani1ccx", family: "ani", name: "ani-1ccx", hasWeights: true },
  { file: "chgnet", family: "chgnet", name: "0.3.0", hasWeights: true },
  { file: "chgnet_r2scan", family: "chgnet", name: "r2scan", hasWeights: true },
  { file: "mattersim_1m", family: "mattersim", name: "mattersim-v1-1m", hasWeights: true },
  { file: "sevennet0", family: "sevennet", name: "7net-0", hasWeights: true },
  { file: "sevennet_l3i5", family: "sevennet", name: "7net-l3i5", hasWeights: true },
  { file: "m3gnet", family: "m3gnet", name: "m3gnet-mp-2021", hasWeights: true },
  { file: "mace_mp_small", family: "mace", name: "mace-mp-small", hasWeights: true },
  { file: "mace_off23_small", family: "mace", name: "mace-off23-small", hasWeights: true },
  { file: "nequip", family: "nequip", name: "random", hasWeights: false },
  { file: "allegro", family: "allegro", name: "random-allegro", hasWeights: false },
  { file: "orb_v3", family: "orb", name: "random", hasWeights: false },
  { file: "pet", family: "pet", name: "random", hasWeights: false },
  { file: "pet_adaptive", family: "pet", name: "random-adaptive", hasWeights: false },
  { file: "aimnet2", family: "aimnet2", name: "random", hasWeights: false },
  { file: "tensornet", family: "tensornet", name: "random", hasWeights: false },
];
