/** The suite of all backends, as far as threads can do it. */
import { openThreads } from "../../src/backend/mod.ts";
import { backendSuite, type TestCase } from "../../src/testing/mod.ts";

/** What needs the whole batch in one place is refused: edges of graphs, norms over all systems. */
const WHOLE = /^(edges|triplets|lists of edges|clip_norm .*(batch|rest))/;
/** With one system there is one part, however many threads there are. */
const ALONE = /for one system of any size$/;

/** The cases, on three threads. */
export function threadedCases(): TestCase[] {
  const cases = backendSuite(() => openThreads(3));
  return cases.filter(({ name }) => !WHOLE.test(name) && !ALONE.test(name));
}

/** Each kernel with systems at rest, again, alone: that takes its time, as each case starts its own workers. */
export function isOfSlowSuite(name: string): boolean {
  return /(at rest as they are, to the bit|to a system alone as in a batch)$/.test(name);
}
