/**
 * Table of the command `hooke resume`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { count, files, flag, type OptionsOf } from "../frame/option.ts";
import { MD } from "../md/table.ts";
import type { MdSettings } from "../md/settings.ts";
import type { ResumeSettings } from "./settings.ts";

/** Options of `md` without defaults, because those of the run apply. */
function withoutDefaults(options: OptionsOf<MdSettings>): OptionsOf<MdSettings> {
  const all = Object.entries(options).map(([member, option]) => [
    member,
    option.form === "value" ? { ...option, initial: undefined, otherwise: "as before" } : option,
  ]);
  return Object.fromEntries(all) as OptionsOf<MdSettings>;
}

const { files: _, overwrite: __, out: ___, ...OPTIONS } = withoutDefaults(MD.options);

/** The command `hooke resume`. */
export const RESUME: Command<ResumeSettings> = {
  name: "resume",
  summary: "continues the run of a run folder from its newest checkpoint",
  options: {
    folder: files({ value: "FOLDER", help: "Run folder of md, screen, train or fine-tune" }),
    epochs: count({
      also: ["max-num-epochs"],
      help: "Number of epochs of a training, from its beginning",
      otherwise: "as before",
      initial: undefined,
      least: 0,
    }),
    patience: count({
      help: "Stop a training after N epochs without a smaller validation loss",
      otherwise: "as before",
      initial: undefined,
      least: 1,
    }),
    override: flag({ help: "Continue although options, the potential or files have changed" }),
    ...OPTIONS,
  },
  notes: [
    "The run continues with the options that it has in config.json, and gives the same results, bit by bit, as a run without interruption. --steps and --time count from the beginning of the run.",
    "Options that change results need --override. A training takes --epochs, --patience, --threads and --checkpoint-every; a screening goes on with the options that it has.",
  ],
  examples: [
    ["resume argon-md", "runs the steps that are missing"],
    ["resume argon-md --steps 5000", "makes the run longer"],
    ["resume mace-fine-tune --epochs 40", "trains further"],
    ["resume argon-md --temperature 100 --override", "goes on at another temperature"],
  ],
  load: async () => (await import("./resume.ts")).resumeRun,
};
