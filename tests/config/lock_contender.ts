/** Takes a run folder again and again, and looks whether anybody else has it, too. Started by a test. */
import { openRunFolder, RunFolderBusyError } from "../../src/config/mod.ts";

function isAlive(pid: number): boolean {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    return stat.slice(stat.lastIndexOf(")") + 2)[0] !== "Z"; // killed, and not yet collected
  } catch {
    return false;
  }
}

/** One that is being killed has closed its files a little before it is gone. */
async function staysAlive(pid: number): Promise<boolean> {
  for (let i = 0; i < 100 && isAlive(pid); i++) await new Promise((done) => setTimeout(done, 10));
  return isAlive(pid);
}

if (import.meta.main) {
  const [path] = Deno.args as [string], mark = `${path}-owner`;
  const say = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
  for (;;) {
    try {
      const folder = await openRunFolder(path, { config: { one: 1 } });
      const before = await Deno.readTextFile(mark).catch(() => "");
      if (before !== "" && await staysAlive(Number(before))) say(`both ${before} and ${Deno.pid}`);
      await Deno.writeTextFile(mark, String(Deno.pid));
      say(before === "" ? "took" : `took over from ${before}`);
      await new Promise((done) => setTimeout(done, Math.random() * 15));
      await Deno.writeTextFile(mark, "");
      await folder.close();
    } catch (error) {
      if (!(error instanceof RunFolderBusyError)) throw error;
    }
    await new Promise((done) => setTimeout(done, Math.random() * 3));
  }
}
