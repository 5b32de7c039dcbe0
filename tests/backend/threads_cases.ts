/** The suite of all backends, as far as threads can do it. */
import type { Backend } from "../../src/backend/mod.ts";
import { backendSuite, type TestCase } from "../../src/testing/mod.ts";

/**
 * Cases that need the whole batch on one thread are refused: edges of graphs, norms over all
 * systems.
 */
const WHOLE = /^(edges|edge lists|lists of edges|triplets|clip_norm .*(batch|inactive))/;
/** With one system there is one part, however many threads there are. */
const ALONE = /for one system of any size$/;

/** The cases, on backends that are opened so. */
export function threadedCases(open: () => Backend): TestCase[] {
  const cases = backendSuite(open);
  return cases.filter(({ name }) => !WHOLE.test(name) && !ALONE.test(name));
}
