import { type ModelOutline, outlineModel } from "../describe/model_outline.ts";
import type { DownloadOptions } from "./download.ts";
import { checkOwnFile } from "./own_folder.ts";
import { type LoadedSource, loadSource, type ModelSource } from "./session_source.ts";

/** What there is to a model before the runtime sees it. */
export interface LoadedModel {
  /** Its file. */
  readonly bytes: Uint8Array;
  /** What errors call it. */
  readonly name: string;
  /** What it is made of. */
  readonly outline: ModelOutline;
  /** Its other files. */
  readonly external: Readonly<Record<string, Uint8Array>>;
}

/** What is said of a model's files. */
export interface LoadOptions {
  readonly name?: string;
  readonly externalData?: Readonly<Record<string, ModelSource>>;
  readonly signal?: AbortSignal;
  readonly download?: DownloadOptions;
}

/** Reads a model whole, and everything of it that is in other files. Throws as `openSession` does. */
export async function loadModel(source: ModelSource, options: LoadOptions): Promise<LoadedModel> {
  const model = await loadSource(source, options);
  const outline = outlineModel(model.bytes, model.name);
  const external = await loadExternal(model, outline, options);
  return { bytes: model.bytes, name: model.name, outline, external };
}

/**
 * The files that a model's weights are in, each read once: as given, or from beside the model. All of them before
 * the runtime starts, because a file it cannot read leaves it unable to open another session.
 *
 * @throws {RangeError} for a file that is nowhere to be had, for one that is not in the model's folder or not a regular
 * file, and for names that are no file of the model
 * @throws {SyntaxError} for a file that is too short
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
      `Cannot open ${model.name} as externalData must be for its own files, which are ${
        [...known].join(", ") || "none"
      }: ${strange} is not one`,
    );
  }
  const files = await Promise.all(
    [...ends].map(async ([path, end]): Promise<[string, Uint8Array]> => {
      const source = given.get(plain(path)) ?? await besideSafely(model, path);
      const { bytes } = await loadSource(source, {
        signal,
        download,
        isModel: false,
        name: `${model.name} (${path})`,
      });
      if (bytes.length >= end) return [path, bytes];
      throw new SyntaxError(
        `Cannot open ${model.name} as ${path} must have its weights, which end at byte ${end}: current length is ` +
          `${bytes.length}`,
      );
    }),
  );
  return Object.fromEntries(files);
}

/** The runtime leaves this prefix out as well. */
function plain(path: string): string {
  return path.replace(/^(\.\/)+/, "");
}

async function besideSafely(model: LoadedSource, path: string): Promise<URL> {
  const file = beside(model, path);
  await checkOwnFile(model.name, model.url!, file);
  return file;
}

/** A model says where its weights are; it does not get to say which file of this machine to read. */
function beside({ name, url }: LoadedSource, path: string): URL {
  if (url === undefined || url.protocol === "data:" || url.protocol === "blob:") {
    throw new RangeError(
      `Cannot open ${name} as externalData must have the weights that are not in its file: ${path} is missing`,
    );
  }
  const parts = path.split(/[\\/]/);
  if (/^([\\/]|[a-z][a-z\d+.-]*:)/i.test(path) || parts.includes("..")) {
    throw new RangeError(
      `Cannot open ${name} as its weights must be in its own folder: current path is ${
        JSON.stringify(path)
      }; ` +
        "give them as externalData",
    );
  }
  return new URL(parts.map(encodeURIComponent).join("/"), url);
}
