/**
 * Scripts of array jobs, which compute the shares of a campaign.
 *
 * @module
 */

/** Facts about an array job. */
export interface ArrayJob {
  /** Absolute path of the campaign's folder. */
  readonly folder: string;
  /** Number of tasks. */
  readonly tasks: number;
  /** Time limit of a task, in the scheduler's form; undefined for that of the scheduler. */
  readonly time: string | undefined;
  /** Further options of the scheduler. */
  readonly directives: readonly string[];
  /** Command line that starts Hooke, quoted for a shell. */
  readonly program: string;
  /** Options of `hooke work`, quoted for a shell. */
  readonly options: string;
  /** Name of the job. */
  readonly name: string;
}

/** Seconds before the time limit at which Slurm sends the signal to save. */
const NOTICE = 120;

/** Returns the script of an array job. */
export const SCRIPTS: Readonly<
  Record<"slurm" | "pbs" | "hyperqueue" | "kubernetes", (job: ArrayJob) => string>
> = { slurm, pbs, hyperqueue, kubernetes };

function workLine({ program, folder, tasks, options }: ArrayJob, task: string): string {
  return `${program} work ${quoted(folder)} --task ${task} --tasks ${tasks}${options}`;
}

/**
 * A batch script of Slurm. Slurm signals the shell of the script (`B:`), which passes the signal on and waits. The
 * signal is USR2, because USR1 opens the debugger of Deno. A task that was interrupted puts itself into the queue again.
 */
function slurm(job: ArrayJob): string {
  const { name, tasks, time, directives, folder } = job;
  const hasSignal = directives.some((one) => one.startsWith("--signal"));
  return [
    "#!/bin/bash",
    `#SBATCH --job-name=${name}`,
    `#SBATCH --array=0-${tasks - 1}`,
    "#SBATCH --ntasks=1",
    "#SBATCH --requeue",
    "#SBATCH --open-mode=append",
    // Slurm reads quotes as a shell does.
    `#SBATCH --output=${quoted(`${folder.replaceAll("%", "%%")}/logs/task-%a.log`)}`,
    ...hasSignal ? [] : [`#SBATCH --signal=B:USR2@${NOTICE}`],
    ...time === undefined ? [] : [`#SBATCH --time=${time}`],
    ...directives.map((one) => `#SBATCH ${one}`),
    "",
    ...supervised(job, "$SLURM_ARRAY_TASK_ID"),
    "# 140: interrupted by USR2 before the time limit. The unfinished structures are saved.",
    'if [ "$code" -eq 140 ]; then',
    '  scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}" && exit 0',
    "fi",
    'exit "$code"',
    "",
  ].join("\n");
}

/** Lines that start a worker, pass signals on to it, and wait until it has ended. */
function supervised(job: ArrayJob, task: string): string[] {
  return [
    `${workLine(job, task)} --signal usr2 &`,
    "worker=$!",
    "trap 'kill -USR2 $worker' USR2",
    "trap 'kill -TERM $worker' TERM",
    "# A signal ends wait, but not the worker.",
    'wait "$worker"; code=$?',
    'while kill -0 "$worker" 2>/dev/null; do wait "$worker"; code=$?; done',
  ];
}

function pbs(job: ArrayJob): string {
  const { name, tasks, time, directives, folder } = job;
  return [
    "#!/bin/bash",
    `#PBS -N ${name}`,
    // An array of PBS has two tasks or more.
    ...tasks > 1 ? [`#PBS -J 0-${tasks - 1}`] : [],
    "#PBS -r y",
    "#PBS -j oe",
    // PBS reads quotes as a shell does.
    `#PBS -o ${quoted(`${folder}/logs/`)}`,
    ...time === undefined ? [] : [`#PBS -l walltime=${time}`],
    ...directives.map((one) => `#PBS ${one}`),
    "",
    'cd "$PBS_O_WORKDIR" || exit 1',
    ...supervised(job, "${PBS_ARRAY_INDEX:-0}"),
    'exit "$code"',
    "",
  ].join("\n");
}

function hyperqueue(job: ArrayJob): string {
  const { name, tasks, time, directives, folder } = job;
  const limit = time === undefined ? "" : ` --time-limit=${quoted(time)}`;
  const more = directives.map((one) => ` ${one}`).join("");
  return [
    "#!/bin/bash",
    `exec hq submit --name ${name} --array 0-${tasks - 1} --crash-limit=100${limit}${more} \\`,
    `  --stdout ${quoted(`${folder}/logs/task-%{TASK_ID}.log`)} --stderr ${
      quoted(`${folder}/logs/task-%{TASK_ID}.err`)
    } -- \\`,
    `  bash -c ${quoted(`exec ${workLine(job, "$HQ_TASK_ID")}`)}`,
    "",
  ].join("\n");
}

function kubernetes(job: ArrayJob): string {
  const { name, tasks, folder } = job;
  const command = `exec ${workLine({ ...job, folder: "/campaign" }, "$JOB_COMPLETION_INDEX")}`;
  return [
    "apiVersion: batch/v1",
    "kind: Job",
    "metadata:",
    `  name: ${name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, "-")}`,
    "spec:",
    `  completions: ${tasks}`,
    `  parallelism: ${tasks}`,
    "  completionMode: Indexed",
    "  backoffLimit: 1000",
    "  template:",
    "    spec:",
    "      restartPolicy: OnFailure",
    "      terminationGracePeriodSeconds: 120",
    "      containers:",
    "        - name: hooke",
    "          image: IMAGE # an image with Hooke and its runtime",
    `          command: ["/bin/sh", "-c", ${JSON.stringify(command)}]`,
    "          volumeMounts:",
    "            - { name: campaign, mountPath: /campaign }",
    "      volumes:",
    "        - name: campaign",
    `          persistentVolumeClaim: { claimName: CLAIM } # the shared folder ${folder}`,
    "",
  ].join("\n");
}

/** Quotes a word for a shell. */
export function quoted(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
