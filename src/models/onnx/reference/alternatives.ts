/**
 * Manifests that differ from a model's manifest in one property that is often wrong. If a model agrees with its
 * reference under one of them, the error suggests that correction.
 *
 * @module
 */

import { atomicNumber } from "../../../batch/elements.ts";
import type { Session } from "../../../onnx/session/session_run.ts";
import type { Feeds, HostFeed } from "../../../onnx/session/session_tensor.ts";
import type { OnnxManifest } from "../manifest/manifest.ts";
import { ENERGY_UNITS, type EnergyUnit, LENGTH_UNITS, type LengthUnit } from "../manifest/units.ts";
import type { OnnxOpened } from "../open_on_host.ts";

/** A manifest that may correct the results of a model. */
export interface Alternative {
  /** Description of the difference, such as `'{ energyUnit: "Hartree" }'`. */
  readonly text: string;
  /** The manifest with the difference. */
  readonly manifest: OnnxManifest;
  /** Changes the model after it was opened with the manifest. `undefined` if the difference is in the manifest. */
  readonly change?: (opened: OnnxOpened) => OnnxOpened;
}

/** Common cutoffs in Å, which are tried as alternatives. */
const LENGTHS = [3, 3.5, 4, 4.5, 5, 5.2, 5.5, 6, 6.5, 7, 7.5, 8, 10, 12, 15];

/** Maximum number of characters of a value that a description shows. */
const MOST_SHOWN = 200;

/**
 * Returns alternatives to a manifest, the most likely ones first. If `isScaled` is true, returns only those that
 * multiply all forces by a factor.
 */
export function alternativesTo(
  manifest: OnnxManifest,
  opened: OnnxOpened,
  isScaled: boolean,
): Alternative[] {
  const withChange = (change: OnnxManifest): Alternative => ({
    text: `{ ${
      Object.entries(change).map(([name, value]) => {
        const text = JSON.stringify(value);
        return `${name}: ${text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text}`;
      }).join(", ")
    } }`,
    manifest: { ...manifest, ...change },
  });
  const near = (change: OnnxManifest): Alternative => {
    const one = withChange(change);
    return { ...one, text: `${one.text} or a length near it` };
  };
  const { hasEdges, hasTriplets } = opened.bindings;
  const energies = Object.keys(ENERGY_UNITS) as EnergyUnit[];
  const lengths = Object.keys(LENGTH_UNITS) as LengthUnit[];
  const scaled = [
    ...energies.map((energyUnit) => withChange({ energyUnit })),
    ...otherSign(manifest, opened),
  ];
  if (isScaled) return scaled;
  return [
    ...scaled,
    ...lengths.map((lengthUnit) => withChange({ lengthUnit })),
    ...energies.flatMap((energyUnit) =>
      lengths.slice(1).map((lengthUnit) => withChange({ energyUnit, lengthUnit }))
    ),
    ...otherNumbers(manifest.elements).map((elements) => withChange({ elements })),
    ...(hasEdges
      ? [withChange({ neighbors: manifest.neighbors === "half" ? "full" : "half" })]
      : []),
    ...(hasTriplets
      ? [withChange({ triplets: manifest.triplets === "ordered" ? "unordered" : "ordered" })]
      : []),
    ...otherDirections(manifest, opened),
    ...(hasEdges ? LENGTHS.map((cutoff) => near({ cutoff })) : []),
    ...(hasTriplets ? LENGTHS.map((reach) => near({ reach })) : []),
    ...otherLists(manifest),
  ];
}

/** Returns alternatives in which one further list has another cutoff. */
function otherLists(manifest: OnnxManifest): Alternative[] {
  return Object.entries(manifest.lists ?? {}).flatMap(([name, list]) =>
    LENGTHS.map((cutoff) => ({
      text: `{ lists: { ${name}: { cutoff: ${cutoff}, … } } } or a length near it`,
      manifest: { ...manifest, lists: { ...manifest.lists, [name]: { ...list, cutoff } } },
    }))
  );
}

/** Returns other assignments of numbers to the same elements. */
function otherNumbers(elements: OnnxManifest["elements"]): NonNullable<OnnxManifest["elements"]>[] {
  if (elements === undefined) return [];
  const numbers: Record<string, number> = Array.isArray(elements)
    ? Object.fromEntries(elements.map((symbol: string, i) => [symbol, i]))
    : { ...elements as Readonly<Record<string, number>> };
  const symbols = Object.keys(numbers);
  const shifted = [-1, 1].map((by) =>
    Object.fromEntries(symbols.map((symbol) => [symbol, numbers[symbol]! + by]))
  );
  const byNumber = Object.fromEntries(symbols.map((symbol) => [symbol, atomicNumber(symbol)]));
  const ascending = symbols.toSorted((a, b) => atomicNumber(a) - atomicNumber(b));
  const orders = symbols.length <= 4 ? permutations(symbols) : [symbols.toSorted(), ascending];
  return [...shifted.filter((one) => Object.values(one).every((i) => i >= 0)), byNumber, ...orders];
}

function permutations(items: readonly string[]): string[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((first, i) =>
    permutations(items.toSpliced(i, 1)).map((rest) => [first, ...rest])
  );
}

/**
 * Returns the alternative in which the output of forces is a gradient, or the output of gradients is forces. The list
 * is empty if the forces were added by differentiation.
 */
function otherSign(manifest: OnnxManifest, { bindings }: OnnxOpened): Alternative[] {
  const output = bindings.outputs.find(({ meaning }) =>
    meaning === "forces" || meaning === "gradient"
  );
  if (output === undefined || output.reason.includes("differentiat")) return [];
  const { tensor: { name }, meaning } = output;
  const other = meaning === "forces" ? "gradient" : "forces";
  const { [meaning as "forces"]: _, ...outputs } = manifest.outputs ?? {};
  return [{
    text: `{ outputs: { ${other}: ${JSON.stringify(name)} } }`,
    manifest: { ...manifest, outputs: { ...outputs, [other]: name } },
  }];
}

/** Returns alternatives with reversed edges, and with shifts of the opposite sign. */
function otherDirections(manifest: OnnxManifest, { bindings }: OnnxOpened): Alternative[] {
  const named = (meaning: string) =>
    bindings.inputs.find((one) => one.meaning === meaning && one.list === undefined)?.tensor.name;
  const sources = named("edgeSources"), targets = named("edgeTargets"), shifts = named("shifts");
  const swapped = sources === undefined || targets === undefined ? [] : [{
    text: `{ inputs: { edgeSources: ${JSON.stringify(targets)}, edgeTargets: ${
      JSON.stringify(sources)
    } } }`,
    manifest: {
      ...manifest,
      inputs: { ...manifest.inputs, edgeSources: targets, edgeTargets: sources },
    },
  }];
  if (shifts === undefined) return swapped;
  return [...swapped, {
    text: "shifts of the opposite sign. The vector of an edge must be positions[target] − " +
      "positions[source] + shift: export the model so",
    manifest,
    change: (opened) => ({ ...opened, session: withNegated(opened.session, shifts) }),
  }];
}

/** Returns a session that negates the values of an input before each run. */
function withNegated(session: Session, name: string): Session {
  const negated = (feeds: Feeds): Feeds => {
    const { data, dims } = feeds[name] as HostFeed;
    const values = (data as Float32Array).map((value) => -value);
    return { ...feeds, [name]: dims === undefined ? { data: values } : { data: values, dims } };
  };
  return new Proxy(session, {
    get: (target, member) => {
      if (member === "run") {
        return (feeds: Feeds, fetches?: Parameters<Session["run"]>[1]) =>
          target.run(negated(feeds), fetches);
      }
      const value: unknown = Reflect.get(target, member);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
