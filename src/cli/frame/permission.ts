/**
 * Missing permissions of Deno, in words that say why a command needs them.
 *
 * @module
 */

import { findHost } from "../../platform/host.ts";

/** Purposes of permissions, and the values to pass, by the name of the permission. */
const PURPOSES: Readonly<Record<string, { readonly why: string; readonly flag: string }>> = {
  read: {
    why: "The command reads structures, potentials and its own code",
    flag: "--allow-read",
  },
  write: { why: "The command writes its results there", flag: "--allow-write=FOLDER" },
  net: { why: "A potential, a queue or the page is there", flag: "--allow-net=HOST" },
  ffi: { why: "The native runtime of ONNX models is a library", flag: "--allow-ffi" },
  env: { why: "A hook or a package reads this variable", flag: "--allow-env" },
  run: { why: "A hook starts another program", flag: "--allow-run" },
  sys: { why: "A hook or a package asks for facts about the machine", flag: "--allow-sys" },
};

/** The message of Deno about a missing permission. */
const MISSING = /Requires (\w+) access(?: to (.+?))?, run again with the --allow-\w+ flag/;

/** How the user has started the program. */
export interface Started {
  /** Command line that starts the program. */
  readonly program: string;
  /** Arguments of the program. */
  readonly args: readonly string[];
}

/**
 * Returns a message about a missing permission with its purpose and the flag that grants it; undefined for all other
 * messages. If `started` is given, the message ends with the whole command line.
 */
export function permissionText(message: string, started?: Started): string | undefined {
  const [all, name, what = "all"] = MISSING.exec(message) ?? [];
  if (all === undefined) return undefined;
  const { why, flag } = PURPOSES[name!] ?? { why: "A hook needs it", flag: `--allow-${name}` };
  const begin = message.startsWith("Cannot ")
    ? message.slice(0, message.indexOf(all))
    : "Cannot run: ";
  const plain = what.replace(/^"|"$/g, "");
  const granted = flag.replace("HOST", plain.replace(/:\d+$/, ""))
    .replace("FOLDER", started === undefined ? "." : folderOf(plain));
  return `${begin}Deno does not allow ${name} access to ${what}. ${why}. ${
    startText(granted, started)
  }`;
}

/** Returns a sentence that says how to start the program with a flag of Deno. */
export function startText(flag: string, started?: Started): string {
  const { program = "", args = [] } = started ?? {};
  // A task of deno.json cannot take flags of Deno.
  const line = program.endsWith(" task hooke")
    ? `npx -y deno@${findHost()?.version?.deno ?? 2} run ${BASE} src/cli/main.ts`
    : program;
  if (!line.includes(` run ${BASE} `)) {
    return program === "hooke"
      ? "This executable may write only below the folder in which it starts, and has no other permissions"
      : `Start Deno with ${flag}`;
  }
  const [name, value] = flag.split("=");
  const flags = name === "--allow-write" ? baseWith(value!) : `${BASE} ${flag}`;
  const rest = args.map(shellWord).join(" ");
  return `Run: ${line.replace(BASE, flags)} ${rest.length > 400 ? "…" : rest}`;
}

/**
 * Returns the command line that starts the program with the permission to write to a folder. Other programs than Deno
 * on a script are returned as they are.
 */
export function programFor(program: string, folder: string): string {
  const isHere = !/^(\/|\\|\w:)|^\.\.(\/|$)/.test(folder);
  return isHere ? program : program.replace(` run ${BASE} `, ` run ${baseWith(folder)} `);
}

/** Flags with which the pages start the program. */
const BASE = "--allow-read --allow-write=.";

/** Returns the flags with the permission to write to a folder, too. */
function baseWith(folder: string): string {
  return folder === "." || folder === findHost()?.cwd() ? BASE : `${BASE},${shellWord(folder)}`;
}

/** Returns a word that a shell reads as `text`. */
export function shellWord(text: string): string {
  const isPlain = /^[\w@%+=:,./\\-]+$/.test(text);
  return isPlain ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns the folder of a path. */
function folderOf(path: string): string {
  return path.replace(/(.)[/\\][^/\\]*$/, "$1");
}
