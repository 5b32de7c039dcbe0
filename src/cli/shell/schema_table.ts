/**
 * Table of the command `hooke schema`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { files } from "../frame/option.ts";
import type { SchemaSettings } from "./settings.ts";

/** The command `hooke schema`. */
export const SCHEMA: Command<SchemaSettings> = {
  name: "schema",
  summary: "prints the JSON Schema of configuration files",
  options: {
    command: files({ value: "COMMAND…", help: "Commands; without any, those with --config" }),
  },
  notes: ["Editors complete and check a file whose member $schema is the path of the schema."],
  examples: [["schema > hooke.schema.json", "describes the files of all commands"]],
  load: async () => (await import("./schema.ts")).schema,
};
