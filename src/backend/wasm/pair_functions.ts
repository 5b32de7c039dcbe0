import type { PairProgram } from "../../kernels/pairs/expression/program.ts";
import type { KernelCall } from "../backend.ts";
import { pairModule, type PairVariant } from "./pair_code.ts";
import type { WasmModule } from "./wasm_buffer.ts";

/** All variants, in the order of wasm/src/pairs/generated.rs. */
const VARIANTS: readonly PairVariant[] = [
  { energies: false, types: false },
  { energies: true, types: false },
  { energies: false, types: true },
  { energies: true, types: true },
];

/**
 * Map from a pair program, as JSON, to the index of its first function in the function table, for each WebAssembly
 * instance. Functions are never removed from the table.
 */
const PLACES = new WeakMap<WasmModule, Map<string, number>>();

/**
 * Returns a call that evaluates a pair potential by generated functions, if Rust does not implement the potential or
 * cannot evaluate it with exclusions. Returns any other call unchanged.
 */
export function withPairFunctions(wasm: WasmModule, call: KernelCall, atoms: number): KernelCall {
  const { kernel: { name, pair, args, run }, args: given } = call;
  if (pair === undefined) return call;
  const { species } = given;
  const isPlain = species === undefined || (species as { length: number }).length <= atoms;
  if (name !== GENERATED && isPlain && wasm.kernel_number(name) >= 0) return call;
  return {
    ...call,
    kernel: { name: GENERATED, args: { ...args, functions: "number", width: "number" }, run },
    args: { ...given, functions: placeOf(wasm, pair), width: pair.width },
  };
}

const GENERATED = "pair_potential";

/**
 * Returns the index of a program's first function in the function table. Generates the functions and adds them to the
 * table at the first call.
 */
function placeOf(wasm: WasmModule, program: PairProgram): number {
  let places = PLACES.get(wasm);
  if (places === undefined) PLACES.set(wasm, places = new Map());
  const key = JSON.stringify(program);
  const known = places.get(key);
  if (known !== undefined) return known;
  const { memory, table } = wasm;
  const module = new WebAssembly.Module(pairModule(program, VARIANTS));
  const { exports } = new WebAssembly.Instance(module, { hooke: { memory } });
  const place = table.grow(VARIANTS.length);
  VARIANTS.forEach((_, i) => table.set(place + i, exports[i] as CallableFunction));
  places.set(key, place);
  return place;
}
