/**
 * Checks files that a model refers to. They must be in the model's folder, so that a model cannot read arbitrary
 * files of the machine.
 *
 * @module
 */

import { isInFolder, isRegularFile, realPathOf } from "../../platform/real_path.ts";

/**
 * Checks that a file is a regular file in the model's folder after symbolic links are resolved. In a web page this
 * does nothing, because there are no files.
 *
 * @throws {RangeError} if the file does not exist, is not a regular file, or is outside of the folder
 */
export function checkModelFile(model: string, modelUrl: URL, file: URL): void {
  if (file.protocol !== "file:") return;
  const path = decodeURIComponent(file.pathname.split("/").at(-1) ?? "");
  let real;
  try {
    real = realPathOf(file);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RangeError(`Cannot open ${model}: its weights ${path} cannot be read: ${reason}`, {
      cause,
    });
  }
  if (real === undefined) return;
  if (!isInFolder(real, new URL("./", modelUrl))) {
    throw new RangeError(
      `Cannot open ${model}: the file of its weights, ${path}, is a link that leads out of the folder of the model. ` +
        "Pass the weights as externalData",
    );
  }
  if (isRegularFile(real)) return;
  throw new RangeError(
    `Cannot open ${model}: the file of its weights, ${path}, is not a regular file`,
  );
}
