/** A file of src/kernels that defines a kernel. */
export interface KernelSource {
  /** The kernel's name. */
  readonly name: string;
  /** The address of the file. */
  readonly url: URL;
  /** The text of the file. */
  readonly text: string;
}

/** Reads every file of src/kernels, and of the folders in it, that defines a kernel. */
export async function kernelSources(
  folder: URL = new URL("../../src/kernels/", import.meta.url),
): Promise<KernelSource[]> {
  const found: KernelSource[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) found.push(...await kernelSources(new URL(`${name}/`, folder)));
    if (!name.endsWith(".ts")) continue;
    const url = new URL(name, folder);
    const text = await Deno.readTextFile(url);
    // Not the example in a comment.
    if (/^[^*\n]*= defineKernel\(\s*"/m.test(text)) {
      found.push({ name: name.slice(0, -3), url, text });
    }
  }
  return found;
}
