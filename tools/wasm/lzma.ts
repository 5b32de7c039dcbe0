/** Filter of xz: the bits of contexts are those that src/backend/wasm/lzma.ts reads, the rest is the thorough search. */
const FILTER = "preset=9e,lc=3,lp=0,pb=0,nice=273,depth=1000";

/** Compresses bytes to raw LZMA data by the program xz. */
export async function compress(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const file = await Deno.makeTempFile();
  try {
    await Deno.writeFile(file, bytes);
    const args = ["--format=raw", `--lzma1=${FILTER}`, "--stdout", "--keep", file];
    const { success, code, stdout } = await new Deno.Command("xz", { args, stderr: "inherit" })
      .output();
    if (!success) {
      throw new Error(`Cannot compress the kernels: xz must succeed: it ended with ${code}`);
    }
    return stdout;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Error("Cannot compress the kernels: install the program xz", { cause: error });
  } finally {
    await Deno.remove(file);
  }
}
