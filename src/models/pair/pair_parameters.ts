/**
 * Parameters of pair potentials, given for all atoms, by element, or by pair of elements.
 *
 * @module
 */

import { checkNumber, NOT_NEGATIVE, type NumberRule, POSITIVE } from "../../base/check_number.ts";
import type { Members } from "../../base/object.ts";
import { complaint, show } from "../../base/show.ts";
import type { BySymbol } from "./pair_options.ts";

/** Allowed range of a parameter, which must also be finite. */
export type ParameterRange = "positive" | "nonnegative" | "any";

const RANGES: Readonly<Record<ParameterRange, NumberRule>> = {
  positive: POSITIVE,
  nonnegative: NOT_NEGATIVE,
  any: { requirement: "finite", holds: Number.isFinite },
};

/**
 * Rule for one parameter of a pair of unlike atoms: a mean, or a function that computes the parameter from those of
 * the two elements.
 */
export type MixingRule = "arithmetic" | "geometric" | ((a: number, b: number) => number);

/** Rules for the parameters of a pair potential. */
export interface PairParameterRules<V extends object, M extends string> {
  /** Allowed range of each parameter, by name. */
  readonly parameters: Readonly<Record<keyof V & string, ParameterRange>>;
  /**
   * Mixing rules by name. Each contains a rule for every parameter. The first one is the default.
   *
   * @default undefined: parameters must be given for every pair of elements
   */
  readonly mixing?: Readonly<Record<M, Readonly<Record<keyof V & string, MixingRule>>>>;
}

/** Parameters of a pair potential, given for all atoms, by element, or by pair of elements. */
export type PairParameters<V extends object, M extends string> =
  | V
  | PairMixture<V, M>
  | {
    /**
     * Parameters by pair of elements, such as `"Cu-Ni"`. Every pair of the elements that occur in the keys is
     * required.
     */
    readonly pairs: BySymbol<V>;
  };

/** Parameters of several elements, with a mixing rule for unlike atoms. */
export interface PairMixture<V extends object, M extends string> {
  /** Parameters of each element, by symbol. */
  readonly species: BySymbol<V>;
  /**
   * Name of the mixing rule for unlike atoms.
   *
   * @default the first rule of the potential
   */
  readonly mixing?: M;
  /** Parameters of pairs of elements, such as `"Ar-Kr"`, that replace those of the mixing rule. */
  readonly pairs?: BySymbol<V>;
}

/** Parameters of all ordered pairs of types of atoms. */
export interface TypedParameters<V> {
  /** Element of each type; `undefined` if all atoms are of one type. */
  readonly symbols: readonly string[] | undefined;
  /** Parameters of all ordered pairs of types, in row-major order. */
  readonly rows: readonly V[];
}

/**
 * Returns the parameters of all ordered pairs of types. Throws a TypeError or RangeError that names the wrong option.
 */
export function typesOf<V extends object, M extends string>(
  model: string,
  rules: PairParameterRules<V, M>,
  options: PairParameters<V, M>,
): TypedParameters<V> {
  const { species, pairs, mixing } = options as Partial<PairMixture<V, M>>;
  assertOneForm(model, rules, options);
  if (species !== undefined) return mixture(model, rules, options as PairMixture<V, M>);
  if (mixing !== undefined) {
    throw new TypeError(
      complaint(`make ${model}`, "mixing must be left out without species", mixing),
    );
  }
  if (pairs === undefined) {
    return { symbols: undefined, rows: [checked(model, rules, "", options as V)] };
  }
  const names = Object.keys(pairs);
  const symbols = [...new Set(names.flatMap((name) => name.split("-")))];
  return { symbols, rows: allPairs(model, symbols, given(model, rules, symbols, pairs)) };
}

/**
 * Throws a TypeError if parameters for all atoms are given together with those of elements or pairs, because they
 * would have no effect.
 */
function assertOneForm(
  model: string,
  { parameters }: PairParameterRules<object, string>,
  options: object,
): void {
  const has = (name: string) => (options as Members)[name] !== undefined;
  const other = ["species", "pairs"].find(has);
  const own = Object.keys(parameters).find(has);
  if (other === undefined || own === undefined) return;
  const requirement = `parameters of all atoms must be left out if ${other} is given`;
  throw new TypeError(complaint(`make ${model}`, requirement, own));
}

function mixture<V extends object, M extends string>(
  model: string,
  rules: PairParameterRules<V, M>,
  { species, pairs = {}, mixing }: PairMixture<V, M>,
): TypedParameters<V> {
  const symbols = Object.keys(species);
  if (symbols.length === 0) {
    throw new RangeError(
      `Cannot make ${model}: species must name at least one element; got {}`,
    );
  }
  const rule = ruleOf(model, rules, mixing);
  const own = new Map(symbols.map((a) => [a, checked(model, rules, ` of ${a}`, species[a]!)]));
  const known = given(model, rules, symbols, pairs);
  const mixed = (a: string, b: string): V | undefined =>
    a === b ? own.get(a)! : rule && mix(rule, own.get(a)!, own.get(b)!);
  return { symbols, rows: allPairs(model, symbols, known, mixed) };
}

/**
 * Returns the given parameters by name of the pair of elements. The order of the two elements in a name does not
 * matter.
 */
function given<V extends object>(
  model: string,
  rules: PairParameterRules<V, string>,
  symbols: readonly string[],
  pairs: BySymbol<V>,
): ReadonlyMap<string, V> {
  return new Map(
    Object.entries(pairs).map(([name, values]) => {
      const [a, b, ...rest] = name.split("-");
      if (rest.length > 0 || !symbols.includes(a!) || !symbols.includes(b!)) {
        throw new RangeError(
          `Cannot make ${model}: pairs must be named by two of ${symbols.join(", ")}, as in "${
            symbols[0]
          }-${symbols.at(-1)}"; got ${JSON.stringify(name)}`,
        );
      }
      return [pairName(a!, b!), checked(model, rules, ` of ${name}`, values)];
    }),
  );
}

function allPairs<V>(
  model: string,
  symbols: readonly string[],
  known: ReadonlyMap<string, V>,
  mixed: (a: string, b: string) => V | undefined = () => undefined,
): V[] {
  return symbols.flatMap((a) =>
    symbols.map((b) => {
      const values = known.get(pairName(a, b)) ?? mixed(a, b);
      if (values !== undefined) return values;
      throw new RangeError(
        `Cannot make ${model}: pairs must contain every pair of its elements; got no ${a}-${b}`,
      );
    })
  );
}

function pairName(a: string, b: string): string {
  return a < b ? `${a}-${b}` : `${b}-${a}`;
}

function ruleOf<V extends object, M extends string>(
  model: string,
  { mixing = {} as Readonly<Record<M, Readonly<Record<keyof V & string, MixingRule>>>> }:
    PairParameterRules<V, M>,
  name: M | undefined,
): Readonly<Record<keyof V & string, MixingRule>> | undefined {
  const names = Object.keys(mixing) as M[];
  const chosen = name ?? names[0];
  if (chosen === undefined || names.includes(chosen)) return mixing[chosen!];
  throw new RangeError(
    `Cannot make ${model}: mixing must be ${names.join(" or ") || "left out"}; got ${show(name)}`,
  );
}

function mix<V extends object>(
  rules: Readonly<Record<keyof V & string, MixingRule>>,
  a: V,
  b: V,
): V {
  const entries = Object.entries<MixingRule>(rules).map(([name, rule]) => {
    const [x, y] = [a[name as keyof V] as number, b[name as keyof V] as number];
    if (typeof rule === "function") return [name, rule(x, y)];
    return [name, rule === "arithmetic" ? (x + y) / 2 : Math.sqrt(x * y)];
  });
  return Object.fromEntries(entries) as V;
}

function checked<V extends object>(
  model: string,
  { parameters }: PairParameterRules<V, string>,
  of: string,
  values: V,
): V {
  for (const [name, range] of Object.entries<ParameterRange>(parameters)) {
    const value: unknown = values?.[name as keyof V];
    checkNumber(`make ${model}`, name + of, value, RANGES[range]);
  }
  return values;
}
