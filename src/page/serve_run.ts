/**
 * The page of a run, for programs.
 *
 * @module
 */

import { isCount } from "../base/check_number.ts";
import { checkOptions } from "../base/check_options.ts";
import { complaint } from "../base/show.ts";
import type { WatchedEngine } from "./feed/watched_engine.ts";
import type { RunKind } from "./protocol.ts";
import { WatchPage } from "./server/watch_page.ts";

/** Options of {@linkcode serveRun}. */
export interface ServeRunOptions {
  /**
   * Name of the run on the page.
   *
   * @default the name of the engine
   */
  readonly name?: string;
  /**
   * Kind of the run, by which the page chooses what it shows first.
   *
   * @default "md" for an engine of dynamics, "train" for a trainer, otherwise "run"
   */
  readonly kind?: RunKind;
  /**
   * Number of steps at which the run is done.
   *
   * @default undefined: the page shows no progress bar
   */
  readonly steps?: number;
  /**
   * Time step of dynamics, fs.
   *
   * @default undefined: the page shows steps instead of times
   */
  readonly dt?: number;
  /**
   * Configuration to show, as plain data.
   *
   * @default undefined
   */
  readonly config?: unknown;
  /**
   * Path of the run folder that the run writes to. Its logs, trajectory and files are shown, too. The folder must
   * exist.
   *
   * @default undefined
   */
  readonly folder?: string;
  /**
   * Name or address to listen on. With others than 127.0.0.1, other machines can open the page if they have the token.
   *
   * @default "127.0.0.1"
   */
  readonly host?: string;
  /**
   * Port, from 0 to 65535; 0 for any unused port.
   *
   * @default 0
   */
  readonly port?: number;
  /**
   * Signal that the engine has, too. When it aborts, a paused run goes on, so that it can end.
   *
   * @default undefined
   */
  readonly signal?: AbortSignal;
  /**
   * Called after a command of the page was carried out, with a sentence such as "Paused from the page at step 12".
   *
   * @default undefined
   */
  readonly onCommand?: (text: string) => void;
}

/** A page that is served, the result of {@linkcode serveRun}. */
export interface RunPage extends AsyncDisposable {
  /** Address of the page, with its token, which allows to watch and to control the run. */
  readonly url: string;
  /** Warning if other machines can reach the page; undefined if only this machine can. */
  readonly warning: string | undefined;
  /** True if a browser shows the page. */
  readonly isOpen: boolean;
  /** Shows a warning on the page, such as those that `onWarning` of an engine receives. */
  warn(message: string): void;
  /** Settles when no browser has shown the page for three seconds, or the signal aborts. */
  closed(signal?: AbortSignal): Promise<void>;
  /** Stops to serve the page. */
  close(): Promise<void>;
}

const NAMES = [
  "name",
  "kind",
  "steps",
  "dt",
  "config",
  "folder",
  "host",
  "port",
  "signal",
  "onCommand",
];

/** Time without a browser after which a page counts as closed, ms. A reload takes less. */
const AWAY = 3000;

/**
 * Serves a page that shows an engine while it runs: scalars as curves, atoms as they move, hooks and warnings. The page
 * can pause, resume and stop the run, and switch hooks on and off, between two steps. A run that is watched has the same
 * bits as another one, unless a hook is switched.
 *
 * Call it before the run begins, after the other hooks were added. It needs Deno or Node, and in Deno the permission
 * `--allow-net=127.0.0.1`.
 *
 * @param engine an engine of dynamics, a trainer, or a loop
 * @throws {TypeError} if an option is not known or has the wrong type
 * @throws {RangeError} if the port is not valid, or the folder is no run folder
 * @throws {Error} if the address cannot be used; the message says why
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { NVE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { serveRun } from "@hooke/hooke/page";
 * import { assertMatch } from "@std/assert";
 *
 * const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(batch, 40, { seed: 1 });
 * const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * await using md = new NVE({ model, dt: 2 });
 * await using page = await serveRun(md, { name: "argon", steps: 500, dt: 2 });
 * assertMatch(page.url, /^http:\/\/127\.0\.0\.1:\d+\/\?token=/); // print it, and open it in a browser
 * await md.run(batch, 500);
 * if (page.isOpen) await page.closed(); // let the user look at the end
 * ```
 */
export async function serveRun(
  engine: WatchedEngine,
  options: ServeRunOptions = {},
): Promise<RunPage> {
  checkServeRun(options);
  const { name = engine.name, kind = kindOf(engine), steps, dt, config, folder } = options;
  const { host = "127.0.0.1", port = 0, signal, onCommand } = options;
  const facts = {
    name,
    kind,
    ...(steps !== undefined && { steps }),
    ...(dt !== undefined && { dt }),
    ...(config !== undefined && { config }),
  };
  const page = await WatchPage.open(facts, {
    host,
    port,
    ...(signal !== undefined && { signal }),
    ...(onCommand !== undefined && { onCommand }),
  });
  try {
    if (folder !== undefined) await page.openFolder(folder);
    page.attach(engine);
  } catch (error) {
    await page.close();
    throw error;
  }
  return {
    url: page.url,
    warning: page.warning,
    get isOpen() {
      return page.isOpen;
    },
    warn: (message) => page.warn(message),
    closed: (signal = new AbortController().signal) => page.closed(signal, AWAY),
    close: () => page.close(),
    [Symbol.asyncDispose]: () => page.close(),
  };
}

function checkServeRun(options: ServeRunOptions): void {
  checkOptions("serve a run", options, NAMES);
  const { port = 0, host = "127.0.0.1" } = options;
  if (!(isCount(port) && port <= 65_535)) {
    throw new RangeError(complaint("serve a run", "port must be a whole number up to 65535", port));
  }
  if (typeof host !== "string" || host === "") {
    throw new TypeError(complaint("serve a run", "host must be a name or an address", host));
  }
}

function kindOf({ hooks }: WatchedEngine): RunKind {
  const stages = [...hooks.plan().stages.keys()];
  const has = (kind: string) => stages.some((stage) => stage.startsWith(`${kind}/`));
  return has("training") ? "train" : has("dynamics") ? "md" : "run";
}
