/** The real models that stand beside the project: in `../shared/models`, or where the variable HOOKE_MODELS says. */
import { fileURLToPath } from "node:url";
const FOLDER = Deno.env.get("HOOKE_MODELS") ??
  fileURLToPath(new URL("../../../shared/models", import.meta.url));

/** Returns the folder of the models, or `undefined` if it does not exist. */
export async function modelFolder(): Promise<string | undefined> {
  return await Deno.stat(FOLDER).then(() => FOLDER, () => undefined);
}

/** The path of the largest of them, or `undefined` where there are none. */
export async function largestModel(): Promise<string | undefined> {
  let largest: string | undefined, size = 0;
  const entries = await Array.fromAsync(Deno.readDir(FOLDER)).catch(() => []);
  for (const { name } of entries.filter(({ name }) => name.endsWith(".onnx"))) {
    const path = `${FOLDER}/${name}`, own = (await Deno.stat(path)).size;
    if (own > size) [largest, size] = [path, own];
  }
  return largest;
}

/** The path of a potential that `deno task test:export` has exported, or `undefined` where it has not. */
export async function exportedModel(name: string): Promise<string | undefined> {
  const home = Deno.env.get("XDG_CACHE_HOME") || `${Deno.env.get("HOME")}/.cache`;
  const cache = Deno.env.get("HOOKE_EXPORT_CACHE") || `${home}/hooke/export`;
  const path = `${cache}/models/${name}.onnx`;
  return await Deno.stat(path).then(() => path, () => undefined);
}
