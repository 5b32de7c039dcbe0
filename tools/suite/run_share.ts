import { ROOT } from "../check/entry_points.ts";
import { writeExamples } from "./examples.ts";
import { endedProcessorSeconds } from "./processor_time.ts";
import { type Counts, parseClosing, parseSeconds } from "./report.ts";
import type { Share, Suite } from "./shares.ts";

/** Result of a process. */
export interface Verdict {
  readonly isGood: boolean;
  /** The signal that ended the process after all its tests had passed. */
  readonly lateSignal?: Deno.Signal;
}

/** Result of a share. */
export interface ShareResult extends Verdict {
  readonly share: Share;
  /** `undefined` if the process ended before its closing line. */
  readonly counts: Counts | undefined;
  /** Everything that the process printed. */
  readonly output: string;
  /** Wall time, with starting the process and loading its files. */
  readonly seconds: number;
  /** Processor time, with that of processes which it started. */
  readonly processorSeconds: number;
  /** Seconds of each file's tests. */
  readonly secondsOf: ReadonlyMap<string, number>;
}

/**
 * Compiles WebAssembly once, without optimizing it, in tests and in the processes that they start. Otherwise V8
 * optimizes onnxruntime again in every file, which takes more than half of the processor time of short tests that use
 * it. Results are the same. If DENO_V8_FLAGS is set, its value is used instead: CI runs the fast suite once more with
 * the optimizing compiler, which users have.
 */
const QUICK_START = "--liftoff-only";

/** The signals by which glibc or Mesa end a process: any other is a failure. */
const LATE_SIGNALS: readonly Deno.Signal[] = ["SIGABRT", "SIGSEGV"];

/** Runs a share in a process of its own. Temporary files that its tests leave behind are removed when it has ended. */
export async function runShare(
  share: Share,
  suite: Suite,
  flags: readonly string[],
): Promise<ShareResult> {
  const folder = await Deno.makeTempDir();
  const began = performance.now();
  try {
    const junit = `${folder}/report.xml`, temporary = `${folder}/tmp`;
    await Deno.mkdir(temporary);
    if (Deno.build.os !== "windows") {
      // Some tests start processes of another user, which need here the rights that all have in /tmp.
      await Deno.chmod(folder, 0o755);
      await Deno.chmod(temporary, 0o1777);
    }
    const { stdout, stderr, ...end } = await new Deno.Command(Deno.execPath(), {
      args: [
        "test",
        "-A",
        "--no-check",
        `--junit-path=${junit}`,
        ...flags,
        ...await argsOf(share, folder),
      ],
      cwd: ROOT,
      env: {
        HOOKE_SUITE: suite,
        TMPDIR: temporary,
        NO_COLOR: "1", // Deno colors what it prints into a pipe, too
        ...suite === "fast" ? { DENO_V8_FLAGS: Deno.env.get("DENO_V8_FLAGS") ?? QUICK_START } : {},
        // Mesa complains on every start if this is missing.
        XDG_RUNTIME_DIR: Deno.env.get("XDG_RUNTIME_DIR") || folder,
      },
      stdin: "null",
    }).output();
    const processorSeconds = endedProcessorSeconds();
    const output = decode(stdout) + decode(stderr);
    const counts = parseClosing(decode(stdout));
    return {
      ...judgeEnd(end, counts),
      share,
      counts,
      output,
      seconds: (performance.now() - began) / 1000,
      processorSeconds,
      secondsOf: nameExamples(parseSeconds(await Deno.readTextFile(junit).catch(() => "")), share),
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Examples are called by the name of their share instead of the module that was written for them. */
function nameExamples(seconds: Map<string, number>, { isDocs, name }: Share): Map<string, number> {
  if (!isDocs) return seconds;
  return new Map([[name, [...seconds.values()].reduce((sum, one) => sum + one, 0)]]);
}

/**
 * The arguments that say what to run.
 *
 * Deno runs each test file in an isolate of its own, which loads and compiles everything anew: Hooke, its kernels,
 * onnxruntime. The files of a share therefore become one: a module in `folder` that imports them.
 */
async function argsOf({ paths, isDocs }: Share, folder: string): Promise<string[]> {
  if (isDocs) return [await writeExamples(paths, ROOT, folder)];
  if (paths.length === 1) return [...paths];
  const all = `${folder}/all_test.ts`;
  const imports = paths.map((path) => `import ${JSON.stringify(new URL(path, ROOT).href)};\n`);
  await Deno.writeTextFile(all, imports.join(""));
  return [all];
}

/**
 * Judges a process by how it ended and by its closing line.
 *
 * Mesa's software GPU sometimes aborts in glibc while a process that used it ends, after the closing line. Tests that
 * passed have passed: such an end is reported and is not a failure.
 */
export function judgeEnd(
  { success, signal }: Pick<Deno.CommandStatus, "success" | "signal">,
  counts: Counts | undefined,
): Verdict {
  if (success || counts === undefined || signal === null) {
    return { isGood: success && counts !== undefined };
  }
  const isPassed = counts.failed === 0 && counts.failedSteps === 0;
  return isPassed && LATE_SIGNALS.includes(signal)
    ? { isGood: true, lateSignal: signal }
    : { isGood: false };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
