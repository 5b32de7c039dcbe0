/**
 * Runs commands in this process, as a user would in a terminal.
 *
 * @module
 */

import { run } from "../../src/cli/mod.ts";

/** Exit code and output of a command. */
export interface Said {
  readonly code: number;
  /** Lines of the standard output. */
  readonly out: string;
  /** Lines of the standard error, without progress. */
  readonly err: string;
  /** Progress as it was written. */
  readonly progress: string;
}

/** Options of a command that runs in this process. */
export interface SessionOptions {
  /** Progress is written as on a terminal (`true`) or as in a file (`false`). Without it there is no progress. */
  readonly isTerminal?: boolean;
  readonly signal?: AbortSignal;
  /** Called with each line of the standard output. */
  readonly onLine?: (line: string) => void;
  /** Called with each text of the progress. */
  readonly onProgress?: (text: string) => void;
}

/** Runs a command in this process. */
export async function hooke(args: readonly string[], options: SessionOptions = {}): Promise<Said> {
  const out: string[] = [], err: string[] = [];
  const { isTerminal, signal, onLine, onProgress } = options;
  let progress = "";
  const terminal = {
    print(line: string) {
      out.push(line);
      onLine?.(line);
    },
    complain: (line: string) => void err.push(line),
    ...(isTerminal !== undefined && {
      progress: {
        isTerminal,
        write(text: string) {
          progress += text;
          onProgress?.(text);
        },
      },
    }),
  };
  const code = await run(args, terminal, signal === undefined ? {} : { signal });
  return { code, out: out.join("\n"), err: err.join("\n"), progress };
}

/** A folder that is removed at the end of the block. */
export async function tempFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await Deno.realPath(await Deno.makeTempDir());
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
