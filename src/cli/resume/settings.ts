import type { MdSettings } from "../md/settings.ts";

/** Settings of the command `resume`: those of `md`, of which only the given ones count. */
export interface ResumeSettings extends Omit<MdSettings, "files" | "overwrite" | "out"> {
  /** The run folder. */
  readonly folder: readonly string[];
  /** Number of epochs of a training; undefined for that of the run. */
  readonly epochs: number | undefined;
  /** Epochs of a training without improvement after which it stops; undefined for that of the run. */
  readonly patience: number | undefined;
  /** True to continue with changed options. */
  readonly override: boolean;
}
