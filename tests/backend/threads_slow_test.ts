/** The suite of all backends on threads: what of it takes its time. */
import { isOfSlowSuite, threadedCases } from "./threads_cases.ts";

for (const { name, run } of threadedCases()) {
  if (isOfSlowSuite(name)) Deno.test(`3 threads: ${name}`, run);
}
