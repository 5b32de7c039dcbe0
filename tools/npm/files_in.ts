/** Yields the paths of the files below a folder whose names have an ending, relative to the folder. */
export function* filesIn(folder: string, ending: string, path = ""): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(`${folder}/${path}`)) {
    if (isDirectory) yield* filesIn(folder, ending, `${path}${name}/`);
    else if (name.endsWith(ending)) yield path + name;
  }
}
