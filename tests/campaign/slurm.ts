/**
 * A cluster of Slurm on this machine: munged, slurmctld and slurmd as processes of the test, with files in a folder.
 *
 * @module
 */

import { assert } from "@std/assert";

/** A running cluster with one node of 8 processors. */
export interface Cluster extends AsyncDisposable {
  /** Environment of the programs of Slurm. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs a program of Slurm. Returns its output. */
  run(program: string, ...args: string[]): Promise<string>;
}

/** Waits until `holds` returns true. Throws with `what` after 100 s. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 100_000; performance.now() < end;) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`It took more than 100 s: ${what}`);
}

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  return port;
}

/** Starts a cluster with its files in a folder of its own. */
export async function startCluster(): Promise<Cluster> {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  const host = Deno.hostname().split(".")[0]!, isRoot = Deno.uid() === 0;
  const user = isRoot ? "root" : Deno.env.get("USER") ?? "nobody";
  for (const name of ["munge", "spool", "state"]) await Deno.mkdir(`${folder}/${name}`);
  const munge = `${folder}/munge`, conf = `${folder}/slurm.conf`;
  await Deno.writeFile(`${munge}/key`, crypto.getRandomValues(new Uint8Array(1024)), {
    mode: 0o400,
  });
  await Deno.chmod(folder, 0o755);
  await Deno.chmod(munge, 0o711);
  if (isRoot) await must("chown", ["-R", "munge", munge]);
  await Deno.writeTextFile(
    conf,
    `ClusterName=test
SlurmctldHost=${host}(127.0.0.1)
SlurmctldPort=${freePort()}
SlurmdPort=${freePort()}
AuthType=auth/munge
AuthInfo=socket=${munge}/socket
SlurmUser=${user}
SlurmdUser=${user}
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
MpiDefault=none
NodeName=${host} NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes=${host} Default=YES MaxTime=INFINITE State=UP
`,
  );
  const env = { SLURM_CONF: conf };
  const children: Deno.ChildProcess[] = [];
  const start = (program: string, args: string[]) => {
    const piped = { stdin: "null", stdout: "null", stderr: "null" } as const;
    children.push(new Deno.Command(program, { args, env, ...piped }).spawn());
  };
  const stop = async () => {
    for (const child of children.toReversed()) {
      try {
        child.kill("SIGTERM");
      } catch {
        // It has ended by itself.
      }
      await child.status;
    }
    await Deno.remove(folder, { recursive: true });
  };
  const run = async (program: string, ...args: string[]) => {
    const output = await new Deno.Command(program, { args, env }).output();
    const text = new TextDecoder().decode(output.stdout);
    assert(
      output.success,
      `${program} ${args.join(" ")}: ${new TextDecoder().decode(output.stderr)}`,
    );
    return text;
  };
  try {
    const files = ["socket", "key", "log", "pid", "seed"].map((name) =>
      `--${NAMES[name]}=${munge}/${name}`
    );
    const munged = ["munged", "--foreground", "--force", ...files];
    if (isRoot) start("setpriv", ["--reuid=munge", "--regid=munge", "--clear-groups", ...munged]);
    else start(munged[0]!, munged.slice(1));
    await until("munged makes a socket", () => exists(`${munge}/socket`));
    start("slurmctld", ["-D", "-f", conf]);
    start("slurmd", ["-D", "-N", host, "-f", conf]);
    await until("the node is idle", async () => {
      const { success, stdout } = await new Deno.Command("sinfo", { args: ["-h", "-o", "%T"], env })
        .output();
      return success && new TextDecoder().decode(stdout).trim() === "idle";
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { env, run, [Symbol.asyncDispose]: stop };
}

/** Options of munged, by the names of their files. */
const NAMES: Readonly<Record<string, string>> = {
  socket: "socket",
  key: "key-file",
  log: "log-file",
  pid: "pid-file",
  seed: "seed-file",
};

async function must(program: string, args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args }).output();
  assert(success, new TextDecoder().decode(stderr));
}

/** Returns whether a file exists. */
export async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
