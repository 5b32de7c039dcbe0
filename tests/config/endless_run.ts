// A run that toggles a hook in every step and never ends. run_log_kill_test.ts kills it.
import { runLog } from "../../src/config/runs/mod.ts";
import { observer, walk } from "./walk.ts";

if (import.meta.main) {
  const loop = walk({ hooks: [runLog({ path: Deno.args[0]!, commit: "c0ffee" })] });
  loop.hooks.add(observer("energies"));
  loop.hooks.add(observer("switch", 1, ({ stepCount, workflow: { hooks } }) => {
    if (stepCount % 2 === 0) hooks.disable("energies");
    else hooks.enable("energies");
  }));
  await loop.run();
}
