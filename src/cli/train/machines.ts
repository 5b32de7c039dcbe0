/**
 * Training on many machines by the command line.
 *
 * @module
 */

import { openBoard } from "../../campaign/queue/address_board.ts";
import { reasonOf } from "../../base/show.ts";
import { findHost } from "../../platform/host.ts";
import { findVariable } from "../../platform/process.ts";
import { GroupLostError } from "../../training/group/group_lost_error.ts";
import type { TrainingGroupOptions } from "../../training/group/group_options.ts";
import { addressIn, type Rendezvous, textOf } from "../../training/group/rendezvous.ts";
import { openTrainingGroup, type TrainingGroup } from "../../training/group/training_group.ts";
import { UsageError } from "../frame/usage_error.ts";
import type { CommandRun } from "../frame/command.ts";
import { flagOf } from "../frame/option.ts";
import { notice } from "../run/notices.ts";
import { MACHINE_NAMES } from "./machine_options.ts";
import type { TrainSettings } from "./settings.ts";

/** The place of this machine among those that train together. */
export interface MachinePlan {
  /** Number of shards. */
  readonly shards: number;
  /** Number of machines. */
  readonly nodes: number;
  /** Number of this machine. */
  readonly rank: number;
}

/**
 * Returns the place of this machine; `undefined` if batches are not divided.
 *
 * @throws {UsageError} if options are missing or contradict each other
 */
export function planMachines(
  settings: TrainSettings,
  { given }: Pick<CommandRun, "given">,
): MachinePlan | undefined {
  const { rendezvous, batchSize } = settings;
  const nodes = settings.nnodes ?? (rendezvous === undefined ? 1 : fromJob(NODES, "--nnodes"));
  const { shards = nodes } = settings;
  const unused = [...given].find((name) => MACHINE_NAMES.has(name) && name !== "nnodes");
  if (nodes === 1 && unused !== undefined) {
    throw new UsageError(
      `Cannot use --${flagOf(unused)}: it has no effect without --nnodes 2 or more`,
    );
  }
  if (nodes === 1 && settings.shards === undefined) return undefined;
  if (nodes > 1 && rendezvous === undefined) {
    throw new UsageError(
      "--rendezvous is required with --nnodes: pass a folder that all machines share, or nats://HOST:4222/NAME",
    );
  }
  if (shards < nodes) {
    throw new UsageError(
      `Cannot use --shards ${shards}: it must be at least --nnodes, ${nodes}`,
    );
  }
  if (shards > batchSize) {
    throw new UsageError(
      `Cannot use ${shards} shards: a batch has only ${batchSize} frames. Pass a larger --batch-size`,
    );
  }
  const rank = nodes === 1 ? 0 : settings.nodeRank ?? fromJob(RANKS, "--node-rank");
  if (rank < nodes) return { shards, nodes, rank };
  throw new UsageError(`Cannot use --node-rank ${rank}: it must be below --nnodes, ${nodes}`);
}

/** Variables with the number of machines, and with the number of a machine: those of Slurm, and those of torchrun. */
const NODES: readonly string[] = ["SLURM_NTASKS", "WORLD_SIZE"];
const RANKS: readonly string[] = ["SLURM_PROCID", "RANK"];

/** Returns a number that a job scheduler gives. Throws a UsageError if there is none. */
function fromJob(names: readonly string[], option: string): number {
  const value = names.map(findVariable).find((text) => text !== undefined && /^\d+$/.test(text));
  if (value !== undefined) return Number(value);
  throw new UsageError(
    `${option} is required with --rendezvous: neither ${names.join(" nor ")} is set`,
  );
}

/**
 * Calls `body` with a group of machines. If a machine is lost, waits for it or its replacement, and calls `body` again,
 * which continues from the last checkpoint.
 *
 * @param settings settings that must be equal on all machines
 */
export async function onMachines<T>(
  plan: MachinePlan | undefined,
  { settings, same, run }: {
    readonly settings: TrainSettings;
    readonly same: Readonly<Record<string, unknown>>;
    readonly run: CommandRun;
  },
  body: (group: TrainingGroup | undefined) => Promise<T>,
): Promise<T> {
  if (plan === undefined) return await body(undefined);
  const meeting = plan.nodes === 1 ? undefined : await openMeeting(settings, run);
  try {
    const options = { ...await groupOptions(plan, settings, run), settings: same };
    return await again({ plan, run }, { ...options, ...meeting && { rendezvous: meeting } }, body);
  } finally {
    await meeting?.close?.();
  }
}

/** Calls `body` until no machine is lost meanwhile. */
async function again<T>(
  { plan, run }: { readonly plan: MachinePlan; readonly run: CommandRun },
  options: TrainingGroupOptions,
  body: (group: TrainingGroup) => Promise<T>,
): Promise<T> {
  for (;;) {
    const group = await openTrainingGroup(options);
    const stop = () => group.stop(run.signal.reason);
    if (run.signal.aborted) stop();
    run.signal.addEventListener("abort", stop, { once: true });
    try {
      const result = await body(group);
      await group.close();
      return result;
    } catch (error) {
      await group.close(`machine ${plan.rank} has stopped: ${reasonOf(error)}`);
      const lost = lostIn(error);
      if (lost === undefined) throw error;
      run.terminal.complain(
        `Lost a machine: ${lost.reason}. Going on from the last checkpoint when all are there again`,
      );
    } finally {
      run.signal.removeEventListener("abort", stop);
    }
  }
}

/** Opens the place where machines meet if it is on a server; `undefined` for a folder. */
async function openMeeting(
  { rendezvous = "", secretFile, creds, tlsCa, tlsCert, tlsKey }: TrainSettings,
  { terminal }: CommandRun,
): Promise<Rendezvous | undefined> {
  if (!/^(nats|tls):/i.test(rendezvous)) {
    if (creds === undefined) return undefined;
    throw new UsageError("Cannot use --creds: it has no effect without --rendezvous nats://…");
  }
  if (secretFile === undefined) {
    throw new UsageError("--secret-file is required if --rendezvous is a NATS server");
  }
  const [, servers, name = "train"] = /^([^/]*\/\/[^/]*)\/?(.*)$/.exec(rendezvous) ?? [];
  const board = await openBoard(name === "" ? "train" : name, {
    servers: servers ?? rendezvous,
    name: "hooke train",
    ...(creds !== undefined && { credentials: creds }),
    ...(rendezvous.startsWith("tls:") && {
      ...(tlsCa !== undefined && { tlsAuthority: tlsCa }),
      ...(tlsCert !== undefined && { tlsCertificate: tlsCert }),
      ...(tlsKey !== undefined && { tlsKey }),
    }),
    onNotice: (text) => terminal.complain(text),
  });
  return {
    publish: (rank, address) => Promise.resolve(board.write(`${rank}`, textOf(address))),
    find: async (rank) => addressIn(await board.read(`${rank}`) ?? ""),
    close: () => board.close(),
  };
}

/** Returns the loss of a machine that has caused an error; `undefined` if it has another cause. */
function lostIn(error: unknown): GroupLostError | undefined {
  if (error instanceof GroupLostError) return error;
  return error instanceof Error ? lostIn(error.cause) : undefined;
}

async function groupOptions(
  plan: MachinePlan,
  settings: TrainSettings,
  run: CommandRun,
): Promise<TrainingGroupOptions> {
  if (plan.nodes === 1) return plan;
  const { listen, peerTimeout, joinTimeout, rendezvous = "", secretFile } = settings;
  const { host, port } = placeIn(listen);
  const secret = secretFile === undefined
    ? undefined
    : (await readFile(secretFile, "--secret-file")).trim();
  const tls = await tlsOf(settings);
  return {
    ...plan,
    rendezvous,
    ...(secret !== undefined && { secret }),
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(tls !== undefined && { tls }),
    timeout: peerTimeout,
    patience: joinTimeout,
    signal: run.signal,
    onNotice: (text) => notice(run, settings, text),
  };
}

/** Returns the host and the port of `--listen`: `HOST`, `HOST:PORT`, `[IPv6]` or `[IPv6]:PORT`. */
function placeIn(listen: string | undefined): { readonly host?: string; readonly port?: number } {
  if (listen === undefined) return {};
  const [, name, port] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(listen) ?? [];
  const host = name?.replace(/^\[(.*)\]$/, "$1");
  if (host !== undefined && Number(port ?? 0) < 65_536) {
    return { host, ...(port !== undefined && { port: Number(port) }) };
  }
  throw new UsageError(`Cannot use --listen ${listen}: it must be HOST or HOST:PORT`);
}

async function tlsOf(
  { tlsCa, tlsCert, tlsKey }: TrainSettings,
): Promise<TrainingGroupOptions["tls"]> {
  if (tlsCa === undefined && tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCa === undefined || tlsCert === undefined || tlsKey === undefined) {
    throw new UsageError("--tls-ca, --tls-cert and --tls-key are required together");
  }
  const [authority, certificate, key] = await Promise.all([
    readFile(tlsCa, "--tls-ca"),
    readFile(tlsCert, "--tls-cert"),
    readFile(tlsKey, "--tls-key"),
  ]);
  return { authority, certificate, key };
}

async function readFile(path: string, option: string): Promise<string> {
  try {
    return await findHost()!.readTextFile(path);
  } catch (error) {
    throw new UsageError(`Cannot use ${option} ${path}: it cannot be read: ${reasonOf(error)}`);
  }
}
