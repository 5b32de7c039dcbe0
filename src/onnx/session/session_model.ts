import { type ModelOutline, outlineModel } from "../describe/model_outline.ts";
import type { DownloadOptions } from "./download.ts";
import { checkModelFile } from "./model_folder.ts";
import { type LoadedSource, loadSource, type ModelSource } from "./session_source.ts";

/** A model whose files were read. The runtime has not opened it yet. */
export interface LoadedModel {
  /** Bytes of the model's file. */
  readonly bytes: Uint8Array;
  /** Name of the model in error messages. */
  readonly name: string;
  /** Operators and types of the model. */
  readonly outline: ModelOutline;
  /** Contents of the files with external weights, by their location in the model. */
  readonly external: Readonly<Record<string, Uint8Array>>;
}

/** Options for reading a model's files. */
export interface LoadOptions {
  readonly name?: string;
  readonly externalData?: Readonly<Record<string, ModelSource>>;
  readonly signal?: AbortSignal;
  readonly download?: DownloadOptions;
}

/** Reads a model and all its external weights. Throws as `openSession` does. */
export async function loadModel(source: ModelSource, options: LoadOptions): Promise<LoadedModel> {
  const model = await loadSource(source, options);
  const outline = outlineModel(model.bytes, model.name);
  const external = await loadExternal(model, outline, options);
  return { bytes: model.bytes, name: model.name, outline, external };
}

/**
 * Reads the files with a model's external weights, each file once. They are taken from `externalData`, or read from
 * beside the model. All files are read before the runtime starts, because it cannot open another session after it has
 * failed to read a file.
 *
 * @throws {RangeError} if a file is missing, is not in the model's folder or not a regular file, or if
 * `externalData` names a file that the model does not use
 * @throws {SyntaxError} if a file is too short
 */
async function loadExternal(
  model: LoadedSource,
  { external }: ModelOutline,
  { externalData = {}, signal, download }: LoadOptions,
): Promise<Readonly<Record<string, Uint8Array>>> {
  const ends = new Map<string, number>();
  for (const { location, end = 0 } of external) {
    ends.set(location, Math.max(end, ends.get(location) ?? 0));
  }
  const given = new Map(Object.entries(externalData).map(([path, data]) => [plain(path), data]));
  const known = new Set([...ends.keys()].map(plain));
  const strange = [...given.keys()].find((path) => !known.has(path));
  if (strange !== undefined) {
    throw new RangeError(
      `Cannot open ${model.name}: externalData must contain only files of the model (${
        [...known].join(", ") || "it has none"
      }); got ${strange}`,
    );
  }
  const files = await Promise.all(
    [...ends].map(async ([path, end]): Promise<[string, Uint8Array]> => {
      const source = given.get(plain(path)) ?? besideSafely(model, path);
      const { bytes } = await loadSource(source, {
        signal,
        download,
        isModel: false,
        name: `${model.name} (${path})`,
      });
      if (bytes.length >= end) return [path, bytes];
      throw new SyntaxError(
        `Cannot open ${model.name}: ${path} must have at least ${end} bytes of weights; got ` +
          `${bytes.length}`,
      );
    }),
  );
  return Object.fromEntries(files);
}

/** Removes the prefix `./` from a path, as the runtime does. */
function plain(path: string): string {
  return path.replace(/^(\.\/)+/, "");
}

function besideSafely(model: LoadedSource, path: string): URL {
  const file = beside(model, path);
  checkModelFile(model.name, model.url!, file);
  return file;
}

/**
 * Returns the address of a file with weights. Locations outside of the model's folder are refused, so that a model
 * cannot read arbitrary files of this machine.
 */
function beside({ name, url }: LoadedSource, path: string): URL {
  if (url === undefined || url.protocol === "data:" || url.protocol === "blob:") {
    throw new RangeError(
      `Cannot open ${name}: the weights ${path} are not in its file. Pass them as externalData`,
    );
  }
  const parts = path.split(/[\\/]/);
  if (/^([\\/]|[a-z][a-z\d+.-]*:)/i.test(path) || parts.includes("..")) {
    throw new RangeError(
      `Cannot open ${name}: its weights must be in its own folder; got ${JSON.stringify(path)}. ` +
        "Pass them as externalData",
    );
  }
  return new URL(parts.map(encodeURIComponent).join("/"), url);
}
