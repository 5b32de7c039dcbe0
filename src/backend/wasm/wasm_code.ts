/** Opcodes of the SIMD instructions used, after the prefix 0xfd. */
export const SIMD = {
  LOAD: 0x00,
  STORE: 0x0b,
  F32_SPLAT: 0x13,
  F32_LESS: 0x43,
  F32_GREATER_OR_EQUAL: 0x46,
  AND: 0x4e,
  I32_SHIFT_LEFT: 0xab,
  I32_SHIFT_RIGHT: 0xac,
  I32_ADD: 0xae,
  I32_SUBTRACT: 0xb1,
  F32_NEGATE: 0xe1,
  F32_SQRT: 0xe3,
  F32_ADD: 0xe4,
  F32_SUBTRACT: 0xe5,
  F32_MULTIPLY: 0xe6,
  F32_DIVIDE: 0xe7,
  F32_LESSER: 0xea,
  F32_GREATER: 0xeb,
  I32_TO_F32: 0xfa,
} as const;

/** Codes of value types. */
export const V128 = 0x7b, F32 = 0x7d, I32 = 0x7f;

/**
 * Builds WebAssembly code: the instructions and sections of generated functions. All methods return the object
 * itself.
 */
export class WasmCode {
  readonly bytes: number[] = [];

  /** Adds bytes unchanged. */
  raw(...bytes: readonly number[]): this {
    for (const byte of bytes) this.bytes.push(byte);
    return this;
  }

  /** Adds an unsigned integer in LEB128 encoding. */
  unsigned(value: number): this {
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) this.bytes.push(rest & 0x7f | 0x80);
    this.bytes.push(rest);
    return this;
  }

  /** Adds a name, preceded by its length. */
  name(text: string): this {
    const bytes = new TextEncoder().encode(text);
    return this.unsigned(bytes.length).raw(...bytes);
  }

  /** Adds a section, or other code, preceded by its length. */
  part(part: WasmCode): this {
    return this.unsigned(part.bytes.length).raw(...part.bytes);
  }

  /** Adds an instruction that pushes a local. */
  get(local: number): this {
    return this.raw(0x20).unsigned(local);
  }

  /** Adds an instruction that pops a value into a local. */
  set(local: number): this {
    return this.raw(0x21).unsigned(local);
  }

  /** Adds an instruction that pushes an integer from 0 to 63. */
  small(value: number): this {
    return this.raw(0x41, value);
  }

  /** Adds an instruction that pushes a vector of four equal float32. */
  splat(value: number): this {
    return this.raw(0x43, ...new Uint8Array(Float32Array.of(value).buffer)).simd(SIMD.F32_SPLAT);
  }

  /** Adds a SIMD instruction. */
  simd(instruction: number): this {
    return this.raw(0xfd).unsigned(instruction);
  }

  /** Adds an instruction that pops an address and pushes the 16 bytes at this offset from it. */
  load(offset: number): this {
    return this.simd(SIMD.LOAD).raw(4).unsigned(offset);
  }

  /** Adds an instruction that pops 16 bytes and an address, and writes the bytes there. */
  store(): this {
    return this.simd(SIMD.STORE).raw(4, 0);
  }

  /** Adds instructions that increase a local by `by`, an integer from 0 to 63. */
  advance(local: number, by: number): this {
    return this.get(local).small(by).raw(0x6a).set(local);
  }
}

/** A function of JavaScript that kernels call. */
type Called = (...args: number[]) => void;

/**
 * Adds a function with `count` integer arguments to the table of functions that kernels can call. Returns its index.
 * Functions are never removed from the table.
 *
 * A table holds only functions of WebAssembly, so the function passes through a module that imports and exports it.
 */
export function addToTable(
  { table }: { readonly table: WebAssembly.Table },
  count: number,
  run: Called,
): number {
  const list = (item: WasmCode) => new WasmCode().unsigned(1).raw(...item.bytes);
  const type = new WasmCode().raw(0x60).unsigned(count).raw(...Array(count).fill(I32), 0);
  const module = new WasmCode().raw(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)
    .raw(1).part(list(type))
    .raw(2).part(list(new WasmCode().name("hooke").name("run").raw(0, 0)))
    .raw(7).part(list(new WasmCode().name("run").raw(0, 0)));
  const { exports } = new WebAssembly.Instance(
    new WebAssembly.Module(Uint8Array.from(module.bytes)),
    { hooke: { run } },
  );
  const place = table.grow(1);
  table.set(place, exports.run as CallableFunction);
  return place;
}
