/** The suite of backends on threads. */
import { openThreads } from "../../src/backend/mod.ts";
import { backendSuite } from "../../src/testing/mod.ts";

for (const threads of [1, 3]) {
  for (const { name, run } of backendSuite(() => openThreads(threads), { sizes: [0, 1, 3, 65] })) {
    Deno.test(`${threads} threads: ${name}`, run);
  }
}
