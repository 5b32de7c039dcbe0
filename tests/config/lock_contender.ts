/** Takes a run folder again and again, and checks that no other process has it. Started by a test. */
import { openRunFolder, RunFolderBusyError } from "../../src/config/runs/mod.ts";

if (import.meta.main) {
  const [path] = Deno.args as [string], mark = `${path}-owner`;
  const say = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
  for (;;) {
    try {
      const folder = await openRunFolder(path, { config: { one: 1 } });
      const before = await Deno.readTextFile(mark).catch(() => "");
      await Deno.writeTextFile(mark, String(Deno.pid));
      say(before === "" ? "took" : `took over from ${before}`);
      await new Promise((done) => setTimeout(done, Math.random() * 15));
      const now = await Deno.readTextFile(mark);
      if (now !== String(Deno.pid)) say(`both ${now} and ${Deno.pid}`);
      await Deno.writeTextFile(mark, "");
      await folder.close();
    } catch (error) {
      if (!(error instanceof RunFolderBusyError)) throw error;
    }
    await new Promise((done) => setTimeout(done, Math.random() * 3));
  }
}
