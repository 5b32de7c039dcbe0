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
