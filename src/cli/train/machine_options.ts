/**
 * Options of `hooke train` and `hooke fine-tune` for training on many machines.
 *
 * @module
 */

import { count, number, type OptionsOf, text } from "../frame/option.ts";
import type { MachineSettings } from "./settings.ts";

/** Options of {@linkcode MachineSettings}. */
export const MACHINE_OPTIONS: OptionsOf<MachineSettings> = {
  shards: count({
    help: "Parts of each batch, which machines share; results depend on it, not on --nnodes",
    otherwise: "--nnodes; without machines, batches are whole",
    initial: undefined,
    least: 1,
  }),
  nnodes: count({
    also: ["world-size"],
    help: "Machines (processes) that train together",
    otherwise: "$SLURM_NTASKS or $WORLD_SIZE if --rendezvous is given, otherwise 1",
    initial: undefined,
    least: 1,
  }),
  nodeRank: count({
    also: ["rank"],
    help: "Number of this machine, from 0; machine 0 writes the run folder",
    otherwise: "$SLURM_PROCID or $RANK",
    initial: undefined,
    least: 0,
  }),
  rendezvous: text({
    value: "FOLDER|URL",
    also: ["rdzv-endpoint", "join"],
    help: "Folder that all machines share, or nats://HOST:4222/NAME, where they find each other",
    initial: undefined,
  }),
  secretFile: text({
    value: "FILE",
    help: "File with the secret that all machines share, 16 bytes or more",
    otherwise: "the file secret in the folder of --rendezvous, which the first machine writes",
    initial: undefined,
  }),
  listen: text({
    value: "HOST[:PORT]",
    help: "Address on which this machine listens for the next one",
    otherwise: "all addresses, any free port",
    initial: undefined,
  }),
  peerTimeout: number({
    help: "Seconds without a sign of life after which a machine counts as lost",
    initial: 60,
  }),
  joinTimeout: number({
    also: ["rdzv-timeout"],
    help: "Seconds to wait for the other machines, at the start and after a loss",
    initial: 600,
  }),
  tlsCa: text({
    value: "FILE",
    help: "Certificates of authorities that sign those of the machines (PEM); turns on TLS",
    initial: undefined,
  }),
  tlsCert: text({ value: "FILE", help: "This machine's certificate (PEM)", initial: undefined }),
  tlsKey: text({ value: "FILE", help: "Key of --tls-cert (PEM)", initial: undefined }),
  creds: text({
    value: "FILE",
    help: "File of credentials for the NATS server of --rendezvous, as nsc writes it",
    initial: undefined,
  }),
};

/** Names of the settings that say which machine this is. They belong to one call of the command. */
export const MACHINE_NAMES: ReadonlySet<string> = new Set(
  Object.keys(MACHINE_OPTIONS).filter((name) => name !== "shards"),
);
