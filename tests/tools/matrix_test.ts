import { assert, assertEquals } from "@std/assert";
import { pairsOf, rowsOf, type Suite } from "../suite.ts";

interface Row {
  readonly engine: string;
  readonly backend: string;
  readonly way: string;
}

/** Four engines on three backends, run in five ways. */
const ROWS: readonly Row[] = ["NVE", "NPT", "FIRE", "LBFGS"].flatMap((engine) =>
  ["reference", "wasm", "webgpu"].flatMap((backend) =>
    ["alone", "late", "resumed", "observed", "fused"].map((way) => ({ engine, backend, way }))
  )
);

const keys = ({ engine, backend, way }: Row) => pairsOf(engine, backend, way);

Deno.test("the fast rows of a matrix have every pair of values, in far fewer rows", () => {
  const fast = rowsOf(ROWS, { keys }, "fast");
  assertEquals(new Set(fast.flatMap(keys)), new Set(ROWS.flatMap(keys)));
  // Four engines in five ways are twenty pairs, and no row has two of them.
  assert(fast.length >= 20 && fast.length <= 24, `${fast.length} of ${ROWS.length} rows`);
});

Deno.test("each row is in the fast suite or in the slow one, and alone all are run", () => {
  const [fast, slow, all] = (["fast", "slow", "all"] as const).map((suite: Suite) =>
    rowsOf(ROWS, { keys }, suite)
  );
  assertEquals(fast!.length + slow!.length, ROWS.length);
  assertEquals(new Set([...fast!, ...slow!]), new Set(ROWS));
  assertEquals(all, ROWS);
});

Deno.test("the slow rows of a matrix with keys of their own have them with other rows than the fast ones", () => {
  const slowKeys = ({ engine, backend }: Row) => pairsOf(engine, backend);
  const [fast, slow] = (["fast", "slow"] as const).map((suite) =>
    rowsOf(ROWS, { keys, slowKeys }, suite)
  );
  assertEquals(slow!.filter((row) => fast!.includes(row)), []);
  assertEquals(slow!.map(slowKeys).flat().sort(), [...new Set(ROWS.flatMap(slowKeys))].sort());
  assertEquals(rowsOf(ROWS, { keys, slowKeys }, "all"), ROWS);
});

Deno.test("of rows that show as much the cheaper ones are fast, and rows without keys are slow", () => {
  const cost = ({ backend }: Row) => backend === "webgpu" ? 10 : 1;
  const one = rowsOf(ROWS, { keys: ({ engine }) => [engine], cost }, "fast");
  assertEquals(one.map(({ engine, backend }) => [engine, backend]), [
    ["NVE", "reference"],
    ["NPT", "reference"],
    ["FIRE", "reference"],
    ["LBFGS", "reference"],
  ]);
  assertEquals(rowsOf(ROWS, { keys: () => [] }, "fast"), []);
  assertEquals(rowsOf(ROWS, { keys: () => [] }, "slow"), ROWS);
});

Deno.test("where not every pair is asked for, values are spread over the rows", () => {
  const keys = ({ engine, backend, way }: Row) => [
    ...pairsOf(engine, backend),
    ...pairsOf(way, backend),
  ];
  const fast = rowsOf(ROWS, { keys }, "fast");
  const times = Map.groupBy(fast, ({ way }) => way);
  assertEquals([...times.values()].map(({ length }) => length).sort(), [3, 3, 3, 3, 3]);
});
