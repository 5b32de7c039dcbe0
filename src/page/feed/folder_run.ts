/**
 * The run of a folder, as its files show it. The process of the run may be this one, another one, or gone.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { parseIdentity, pathsIn, type RunIdentity, textIn } from "../../config/runs/run_files.ts";
import { parseRunLog } from "../../config/runs/parse_run_log.ts";
import { profileIn } from "../../config/runs/read_run.ts";
import { RunLock } from "../../config/runs/run_lock.ts";
import type { RunRecord } from "../../config/runs/run_record.ts";
import { stepsDone } from "../../observe/reporter/scalar_snapshot.ts";
import { parseScalarLines } from "../../observe/mod.ts";
import type { RunCommand, RunEvent, RunInfo, RunSource, ViewerFrame } from "../protocol.ts";
import { EventLog } from "./event_log.ts";
import { GrowingFile } from "./growing_file.ts";
import { filesIn, openFileIn } from "./run_file.ts";
import { infoOf } from "./run_info.ts";
import { rowOf } from "./scalar_rows.ts";
import { structureRows } from "./screened_rows.ts";
import { StructureFile } from "./structure_file.ts";
import { ThermoLog } from "./thermo_log.ts";

/** Time between two looks at the files while there are clients, ms. */
const INTERVAL = 500;

/** Options of {@linkcode FolderRun.open}. */
export interface FolderRunOptions {
  /** Path of the folder. */
  readonly path: string;
  /** Identifies the run in addresses. */
  readonly id: string;
  /** Time between two looks at the files, ms. @default 500 */
  readonly interval?: number;
}

/** Shows the run of a folder, and follows its files while there are clients. It changes nothing. */
export class FolderRun implements RunSource {
  /** Path of the folder. */
  readonly path: string;
  readonly #id: string;
  readonly #identity: RunIdentity;
  readonly #interval: number;
  readonly #log: EventLog;
  readonly #records: GrowingFile;
  readonly #scalars: GrowingFile;
  readonly #thermo: GrowingFile;
  readonly #status: GrowingFile;
  readonly #thermoLog = new ThermoLog();
  readonly #frames: StructureFile | undefined;
  readonly #sent = new Map<string, string>();
  #known: RunRecord[] = [];
  #step = 0;
  #screened = 0;
  readonly #structures = new Set<string>();
  #look: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Opens the folder of a run.
   *
   * @throws {RangeError} if the folder is no run folder, or was written by a newer version
   * @throws {SyntaxError} if its config.json is damaged
   */
  static async open(options: FolderRunOptions): Promise<FolderRun> {
    const { config } = pathsIn(options.path);
    const text = await textIn(config);
    if (text === undefined) {
      throw new RangeError(
        `Cannot show ${options.path}: it is not a run folder, because it has no config.json`,
      );
    }
    return new FolderRun(options, parseIdentity(text, config));
  }

  private constructor({ path, id, interval = INTERVAL }: FolderRunOptions, identity: RunIdentity) {
    this.path = path;
    this.#id = id;
    this.#identity = identity;
    this.#interval = interval;
    this.#log = new EventLog(() => this.#follow());
    const { runs, scalars } = pathsIn(path);
    [this.#records, this.#scalars, this.#thermo, this.#status] = [
      ...[runs, scalars, `${path}/log.csv`, `${path}/status.jsonl`].map((file) =>
        new GrowingFile(file)
      ),
    ] as [GrowingFile, GrowingFile, GrowingFile, GrowingFile];
    const { traj, results } = isObject(identity.config) ? identity.config : {};
    const name = [results, traj].find((one) => typeof one === "string");
    this.#frames = name === undefined ? undefined : new StructureFile(`${path}/${name}`);
  }

  /** Number of frames, as far as the trajectory was read. */
  get length(): number {
    return this.#frames?.length ?? 0;
  }

  /** Returns a summary of the run as it is now. */
  async info(): Promise<RunInfo> {
    await this.#lookOnce();
    return await this.#info();
  }

  /** See {@linkcode RunSource.events}. */
  async *events(signal: AbortSignal): AsyncGenerator<RunEvent, void> {
    await this.#lookOnce();
    yield* this.#log.events(signal);
  }

  /** See {@linkcode RunSource.live}: the last frame of the trajectory. */
  async live(): Promise<ViewerFrame | undefined> {
    await this.#frames?.refresh();
    return this.length === 0 ? undefined : await this.frame(this.length - 1);
  }

  /** See {@linkcode RunSource.frame}. */
  async frame(index: number): Promise<ViewerFrame> {
    if (this.#frames === undefined) {
      throw new RangeError(`Cannot read frame ${index}: the run has no trajectory`);
    }
    if (index >= this.length) await this.#frames.refresh();
    return await this.#frames.frame(index);
  }

  /** Rejects: a folder cannot change the process that writes it. */
  command(_command: RunCommand): Promise<void> {
    return Promise.reject(
      new RangeError("Cannot control the run: start it with --watch to control it from the page"),
    );
  }

  /** See {@linkcode RunSource.file}. */
  async file(path: string): Promise<Blob> {
    const file = await openFileIn(this.path, path);
    if (file === undefined) throw new RangeError(`Cannot read ${path}: there is no such file`);
    return await new Response(file.stream()).blob();
  }

  /** Stops to follow the files, and closes them. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#frames?.close();
  }

  /** Looks at the files from time to time while there are clients. */
  #follow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#log.clients === 0) return;
    this.#timer = setTimeout(async () => {
      await this.#lookOnce();
      this.#follow();
    }, this.#interval);
  }

  /** Looks at the files, unless a look is going on. */
  #lookOnce(): Promise<void> {
    return this.#look ??= this.#lookAtAll().finally(() => this.#look = undefined);
  }

  async #lookAtAll(): Promise<void> {
    const looks = [
      this.#lookAtFrames,
      this.#lookAtRecords,
      this.#lookAtLogs,
      this.#lookAtStatus,
      this.#timings,
      this.#summary,
    ];
    for (const look of looks) {
      try {
        await look.call(this);
      } catch (error) {
        // A damaged file, or a file system that fails for a while, must not hide the others, or end the process: it may
        // be that of the run.
        const message = error instanceof Error ? error.message : String(error);
        this.#publishOnce(`warning ${message}`, { type: "warning", message });
      }
    }
  }

  async #lookAtFrames(): Promise<void> {
    if (this.#frames === undefined) return;
    await this.#frames.refresh();
    this.#publishOnce("frames", { type: "frames", count: this.length });
  }

  async #summary(): Promise<void> {
    this.#publishOnce("info", { type: "info", run: await this.#info() });
  }

  async #lookAtRecords(): Promise<void> {
    const news = await this.#records.next();
    if (news === undefined) return;
    if (news.isAnew) this.#known = [];
    const records = parseRunLog(`${news.lines.join("\n")}\n`, this.#records.path);
    for (const record of records) {
      this.#known.push(record);
      this.#step = record.step;
      if (record.type !== "end") continue;
      for (const message of record.outcome.warnings ?? []) {
        this.#log.publish({ type: "warning", message, step: record.step });
      }
    }
    const hooks = this.#known.at(-1)?.hooks ?? [];
    const rows = hooks.map(({ name, stages, frequency, enabled }) => ({
      name,
      stages,
      ...(stages.length > 0 && { frequency }),
      isEnabled: enabled,
    }));
    this.#publishOnce("hooks", { type: "hooks", hooks: rows });
  }

  async #lookAtLogs(): Promise<void> {
    const thermo = await this.#thermo.next();
    if (thermo !== undefined) {
      const rows = this.#thermoLog.take(thermo.lines, thermo.isAnew), { names } = this.#thermoLog;
      if (rows.length > 0) this.#publishRows(names, rows);
    }
    const scalars = await this.#scalars.next();
    if (scalars === undefined) return;
    const known = new Set(this.#thermoLog.names);
    const snapshots = parseScalarLines(`${scalars.lines.join("\n")}\n`, this.#scalars.path);
    // Rows of the same scalars that follow one another become one event.
    let names: readonly string[] = [], rows: ReturnType<typeof rowOf>[] = [];
    for (const snapshot of snapshots) {
      const own = Object.keys(snapshot.scalars).filter((name) => !known.has(name));
      if (own.join("\0") !== names.join("\0")) {
        if (rows.length > 0) this.#publishRows(names, rows);
        [names, rows] = [own, []];
      }
      rows.push(rowOf(stepsDone(snapshot), own.map((name) => snapshot.scalars[name]!)));
    }
    if (rows.length > 0) this.#publishRows(names, rows);
  }

  #publishRows(names: readonly string[], rows: readonly (readonly (number | null)[])[]): void {
    this.#step = rows.at(-1)![0]!;
    this.#log.publish({ type: "scalars", names, rows });
  }

  async #lookAtStatus(): Promise<void> {
    const news = await this.#status.next();
    if (news === undefined || news.isAnew && this.#screened > 0) return; // a ledger is cut only by a new part
    const before = this.#screened;
    const { rows, written } = structureRows(news.lines, this.#status.path, before);
    this.#screened = written;
    for (const { name } of rows) this.#structures.add(name);
    this.#log.publish({ type: "structures", rows });
  }

  async #timings(): Promise<void> {
    const { profile } = pathsIn(this.path);
    const text = await textIn(profile);
    if (text === undefined) return;
    const rows = profileIn(text, profile).map(({ from, to, count, mean }) => ({
      from,
      to,
      count,
      milliseconds: mean,
    }));
    this.#publishOnce("timings", { type: "timings", rows });
  }

  /** Publishes an event unless the same one was published under this key before. */
  #publishOnce(key: string, event: RunEvent): void {
    const text = JSON.stringify(event);
    if (this.#sent.get(key) === text) return;
    this.#sent.set(key, text);
    this.#log.publish(event);
  }

  /** Returns the number of steps, or of the structures of a screening. At the end, the last row of a log may be older. */
  #stepNow(): number {
    const last = this.#known.at(-1);
    if (this.#structures.size > 0) return this.#structures.size;
    return last?.type === "end" ? last.step : this.#step;
  }

  async #info(): Promise<RunInfo> {
    return infoOf({
      id: this.#id,
      path: this.path,
      config: this.#identity.config,
      records: this.#known,
      step: this.#stepNow(),
      isHeld: RunLock.isHeld(this.path),
      outcome: await textIn(`${this.path}/outcome.json`),
      files: await filesIn(this.path),
    });
  }
}
