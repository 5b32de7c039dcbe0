/**
 * A random sequence of batch operations against the same on plain arrays: one plain object per system, with nested
 * arrays for everything.
 */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { Batch, System, type SystemInput } from "../../src/batch/mod.ts";

/** A system in plain arrays. Fields it came without are `undefined`. */
interface Plain {
  numbers: number[];
  positions: number[][];
  velocities?: number[][];
  energy?: number;
  cell: number[] | undefined;
  edges?: number[][];
  shifts?: number[][];
  /** A field per atom of integers beyond the exact range of f32, with fill −7. */
  tag?: number[];
  /** A field per edge, f32. */
  weight?: number[];
  /** A field per system, two u8, with fill 200. */
  flags?: number[];
  id: number;
  label: string;
}

const FILLS = {
  velocities: [0, 0, 0],
  energy: NaN,
  tag: -7,
  weight: NaN,
  flags: [200, 200],
  shifts: [0, 0, 0],
};

/** Fields that any of the systems ever had, which stay. */
type Present = Set<keyof typeof FILLS | "edges">;

const value = fc.integer({ min: -1000, max: 1000 }).map((n) => n / 8);
const plainSystem: fc.Arbitrary<Omit<Plain, "id">> = fc.record({
  atoms: fc.integer({ min: 1, max: 4 }),
  pool: fc.array(value, { minLength: 24, maxLength: 24 }),
  tags: fc.array(fc.integer({ min: -2147483648, max: 2147483647 }), { minLength: 4, maxLength: 4 }),
  has: fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
  pairs: fc.array(fc.tuple(fc.nat(1000), fc.nat(1000)), { maxLength: 5 }),
  label: fc.string(),
}).map(({ atoms, pool, tags, has, pairs, label }) => {
  const rows = (from: number) =>
    Array.from({ length: atoms }, (_, i) => pool.slice(from + 3 * i, from + 3 * i + 3));
  const edges = pairs.map(([i, j]) => [i % atoms, j % atoms]);
  return {
    numbers: tags.slice(0, atoms).map((t) => 1 + Math.abs(t % 118)),
    positions: rows(0),
    cell: has[0] ? [4 + Math.abs(pool[0]!), 5, 6] : undefined,
    ...has[1] ? { velocities: rows(12) } : {},
    ...has[2] ? { energy: pool[1]! } : {},
    ...has[3] ? { edges } : {},
    ...has[3] && has[4] ? { shifts: edges.map(([i, j]) => [i! - j!, -1, 2]) } : {},
    ...has[3] && has[4] ? { weight: edges.map(([i]) => i! + 0.5) } : {},
    ...has[5] ? { tag: tags.slice(0, atoms) } : {},
    ...has[6] ? { flags: [atoms, 255] } : {},
    label,
  };
});

function inputOf(plain: Omit<Plain, "id"> & { id?: number }): SystemInput {
  const { tag, weight, flags, label, cell, ...rest } = plain;
  return {
    ...rest,
    ...cell === undefined ? {} : { cell },
    info: { label },
    fields: {
      ...tag && { tag: { level: "node", dtype: "i32", values: tag, fill: -7 } },
      ...weight && { weight: { level: "edge", dtype: "f32", values: weight } },
      ...flags && { flags: { level: "system", dtype: "u8", width: 2, values: flags, fill: 200 } },
    },
  };
}

/** The batch as lists. */
class Model {
  systems: Plain[] = [];
  present: Present = new Set();
  nextId = 0;

  /** Puts lists in the places of others; a system with an id that is taken gets the next one. */
  arrange(list: { plain: Omit<Plain, "id"> & { id?: number }; keeps: boolean }[]): void {
    const taken = new Set<number>();
    const ids: (number | undefined)[] = list.map(() => undefined);
    for (const keeps of [true, false]) {
      for (const [i, one] of list.entries()) {
        const { id } = one.plain;
        if (one.keeps !== keeps || id === undefined || taken.has(id)) continue;
        taken.add(id);
        ids[i] = id;
        this.nextId = Math.max(this.nextId, id + 1);
      }
    }
    this.systems = list.map(({ plain }, i) => ({ ...plain, id: ids[i] ?? this.nextId++ }));
    for (const { plain } of list) {
      for (const key of [...Object.keys(FILLS), "edges"] as const) {
        if (key in plain) this.present.add(key as "edges");
      }
    }
  }
}

type Plan =
  | { do: "append"; systems: Omit<Plain, "id">[]; asBatch: boolean; ids: number[] }
  | { do: "drop" | "select"; at: number[]; asMask: boolean }
  | { do: "put"; systems: Omit<Plain, "id">[]; at: number[] }
  | { do: "clone" | "rebuild" };

const plans: fc.Arbitrary<Plan> = fc.oneof(
  fc.record({
    do: fc.constant("append" as const),
    systems: fc.array(plainSystem, { minLength: 1, maxLength: 3 }),
    asBatch: fc.boolean(),
    ids: fc.array(fc.nat(12), { maxLength: 3 }),
  }),
  fc.record({
    do: fc.constantFrom("drop" as const, "select" as const),
    at: fc.array(fc.nat(1000), { minLength: 1, maxLength: 4 }),
    asMask: fc.boolean(),
  }),
  fc.record({
    do: fc.constant("put" as const),
    systems: fc.array(plainSystem, { minLength: 1, maxLength: 3 }),
    at: fc.array(fc.nat(1000), { minLength: 3, maxLength: 3 }),
  }),
  fc.record({ do: fc.constantFrom("clone" as const, "rebuild" as const) }),
);

Deno.test("a random sequence of batch operations equals the same on plain arrays", () => {
  fc.assert(
    fc.property(plainSystem, fc.array(plans, { maxLength: 8 }), (first, sequence) => {
      const model = new Model();
      model.arrange([{ plain: first, keeps: false }]);
      let batch = Batch.from([inputOf(first)]);
      assertSame(batch, model);
      for (const plan of sequence) {
        batch = step(batch, model, plan);
        assertSame(batch, model);
      }
    }),
    { numRuns: 400 },
  );
});

function step(batch: Batch, model: Model, plan: Plan): Batch {
  const own = model.systems.map((plain) => ({ plain, keeps: true }));
  switch (plan.do) {
    case "append": {
      const more = plan.systems.map((plain, i) =>
        plan.ids[i] === undefined ? plain : { ...plain, id: plan.ids[i]! }
      );
      const systems = more.map((one) => new System(inputOf(one)));
      // A batch of their own gives them ids of its own.
      const joined = plan.asBatch ? Batch.from(systems) : undefined;
      const ids = joined === undefined ? undefined : [...joined.get("systemId")];
      model.arrange([
        ...own,
        ...more.map((plain, i) => ({
          plain: ids ? { ...plain, id: ids[i]! } : plain,
          keeps: false,
        })),
      ]);
      const given = batch.append(joined ?? systems);
      assertEquals(given, model.systems.slice(own.length).map(({ id }) => id));
      return batch;
    }
    case "drop": {
      const gone = new Set(plan.at.map((at) => at % batch.size));
      if (gone.size === batch.size) return batch;
      batch.drop(plan.asMask ? own.map((_, i) => gone.has(i)) : [...gone]);
      model.arrange(own.filter((_, i) => !gone.has(i)));
      return batch;
    }
    case "select": {
      const places = plan.at.map((at) => at % batch.size);
      const mask = Uint8Array.from(own, (_, i) => places.includes(i) ? 1 : 0);
      const picked = plan.asMask ? batch.select(mask) : batch.select(places);
      const list = plan.asMask ? own.filter((_, i) => mask[i] === 1) : places.map((i) => own[i]!);
      model.arrange(list.map((one) => ({ ...one, keeps: false })));
      return picked;
    }
    case "put": {
      const places = [...new Set(plan.at.map((at) => at % batch.size))].slice(
        0,
        plan.systems.length,
      );
      const systems = plan.systems.slice(0, places.length);
      const given = batch.put(systems.map(inputOf), places);
      const list: { plain: Omit<Plain, "id"> & { id?: number }; keeps: boolean }[] = own.slice();
      for (const [i, place] of places.entries()) list[place] = { plain: systems[i]!, keeps: false };
      model.arrange(list);
      assertEquals(given, places.map((place) => model.systems[place]!.id));
      return batch;
    }
    case "clone": {
      const copy = batch.clone();
      batch.get("positions").fill(NaN);
      batch.get("numbers").fill(0);
      return copy;
    }
    case "rebuild": {
      // Through single systems and back: nothing is lost, and the next free id is found anew.
      const next = Math.max(...model.systems.map(({ id }) => id)) + 1;
      model.nextId = next;
      return Batch.from(batch.systems());
    }
  }
}

function assertSame(batch: Batch, { systems, present, nextId }: Model): void {
  assertEquals(batch.size, systems.length);
  assertEquals(batch.nextSystemId, nextId);
  assertEquals([...batch.get("systemId")], systems.map(({ id }) => id));
  assertEquals(batch.infos.map(({ label }) => label), systems.map(({ label }) => label));
  const starts = startsOf(systems.map(({ numbers }) => numbers.length));
  assertEquals([...batch.nodeOffsets], starts);
  assertEquals([...batch.edgeOffsets], startsOf(systems.map(({ edges }) => edges?.length ?? 0)));
  assertEquals([...batch.systemOfNode], systems.flatMap(({ numbers }, i) => numbers.map(() => i)));
  const expected: Record<string, number[]> = {
    numbers: systems.flatMap(({ numbers }) => numbers),
    positions: systems.flatMap(({ positions }) => positions.flat()),
    cell: systems.flatMap(({ cell }) => {
      const [a, b, c] = cell ?? [0, 0, 0];
      return [a!, 0, 0, 0, b!, 0, 0, 0, c!];
    }),
    pbc: systems.flatMap(({ cell }) => cell === undefined ? [0, 0, 0] : [1, 1, 1]),
    velocities: systems.flatMap((s) =>
      (s.velocities ?? s.numbers.map(() => FILLS.velocities)).flat()
    ),
    energy: systems.map(({ energy }) => energy ?? FILLS.energy),
    edges: systems.flatMap(({ edges }, i) => (edges ?? []).flat().map((node) => node + starts[i]!)),
    shifts: systems.flatMap((s) => (s.shifts ?? (s.edges ?? []).map(() => FILLS.shifts)).flat()),
    tag: systems.flatMap((s) => s.tag ?? s.numbers.map(() => FILLS.tag)),
    weight: systems.flatMap((s) => s.weight ?? (s.edges ?? []).map(() => FILLS.weight)),
    flags: systems.flatMap(({ flags }) => flags ?? FILLS.flags),
  };
  const always = ["numbers", "positions", "cell", "pbc"];
  for (const [name, values] of Object.entries(expected)) {
    const isThere = always.includes(name) || present.has(name as "edges");
    assertEquals(batch.has(name), isThere, name);
    if (isThere) assertEquals([...batch.get(name)], values, name);
  }
  const types = { tag: Int32Array, weight: Float32Array, flags: Uint8Array, edges: Int32Array };
  for (const [name, type] of Object.entries(types)) {
    if (batch.has(name)) assertEquals(batch.get(name) instanceof type, true, name);
  }
}

function startsOf(counts: number[]): number[] {
  const starts = [0];
  for (const count of counts) starts.push(starts.at(-1)! + count);
  return starts;
}
