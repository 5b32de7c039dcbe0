/**
 * Settings of the commands `hooke train` and `hooke fine-tune`.
 *
 * @module
 */

import type { FormatSettings } from "../run/formats.ts";
import type { ConfigSettings, InputSettings, PotentialSettings } from "../run/table.ts";
import type { WatchSettings } from "../watch/watch.ts";

/** Settings of training on many machines. */
export interface MachineSettings {
  /** Parts of each batch; undefined for the number of machines. */
  readonly shards: number | undefined;
  /** Number of machines; undefined for that of the job. */
  readonly nnodes: number | undefined;
  /** Number of this machine; undefined for that of the job. */
  readonly nodeRank: number | undefined;
  /** Folder or address where the machines find each other. */
  readonly rendezvous: string | undefined;
  /** File with the secret of the machines. */
  readonly secretFile: string | undefined;
  /** Address on which this machine listens. */
  readonly listen: string | undefined;
  /** Seconds without a sign of life after which a machine counts as lost. */
  readonly peerTimeout: number;
  /** Seconds to wait for the other machines. */
  readonly joinTimeout: number;
  /** Files of certificates and of the key. */
  readonly tlsCa: string | undefined;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  /** File of credentials for a NATS server. */
  readonly creds: string | undefined;
}

/** Settings of the commands `train` and `fine-tune`. */
export interface TrainSettings
  extends
    MachineSettings,
    Pick<InputSettings, "files" | "hooks" | "overwrite" | "json" | "quiet">,
    Omit<PotentialSettings, "runtime">,
    FormatSettings,
    Partial<WatchSettings>,
    ConfigSettings {
  /** Runtime that runs the model on the processor. */
  readonly runtime: "auto" | "native" | "web";
  /** Further files of frames to train with. */
  readonly trainFile: readonly string[];
  /** Files of frames to validate with. */
  readonly validFile: readonly string[];
  /** Share of the frames that validate if there are no files for it. */
  readonly validFraction: number;
  /** Names of the targets in the frames. */
  readonly energyKey: string;
  readonly forcesKey: string;
  readonly stressKey: string;
  readonly virialKey: string | undefined;
  /** Weights of the terms of the loss. */
  readonly energyWeight: number;
  readonly forcesWeight: number;
  readonly stressWeight: number;
  /** Energies of the elements. */
  readonly elementEnergies: "shift" | "fit" | "keep";
  /** Number of frames per batch. */
  readonly batchSize: number;
  /** Number of epochs. */
  readonly epochs: number;
  /** Learning rate. */
  readonly lr: number;
  /** True to average the parameters. */
  readonly ema: boolean;
  /** Decay of the averages per step. */
  readonly emaDecay: number;
  /** Largest norm of the gradient; 0 for no limit. */
  readonly clipGrad: number;
  /** Epochs without improvement after which training stops; undefined for no such limit. */
  readonly patience: number | undefined;
  /** Rank of adapters; undefined to train the weights themselves. */
  readonly loraRank: number | undefined;
  /** Names or patterns of parameters that are not trained. */
  readonly freeze: readonly string[];
  /** Seed of the order of frames. */
  readonly seed: number;
  /** Run folder; undefined for an unused name. */
  readonly out: string | undefined;
  /** True to continue the run of the folder from its newest checkpoint. */
  readonly restartLatest: boolean;
  /** Steps between two checkpoints. */
  readonly checkpointEvery: number;
}
