import { codeOf } from "../../base/file_refusal.ts";
import { findHost } from "../../platform/host.ts";

/** Returns whether a path is a file or a folder; undefined if it does not exist. */
export function kindOf(path: string): "file" | "folder" | undefined {
  try {
    return findHost()!.statSync(path).isDirectory ? "folder" : "file";
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Returns the name of a file or folder without its folder and its ending. Names of VASP's files are in lower case,
 * because other programs take all files with POSCAR in their names for VASP's.
 */
export function stemOf(path: string): string {
  const stem = path.replace(/[/\\]+$/, "").replace(/^.*[/\\]/, "").replace(/\.[^.]*$/, "");
  return stem.replace(/POSCAR|CONTCAR|XDATCAR/, (name) => name.toLowerCase());
}
