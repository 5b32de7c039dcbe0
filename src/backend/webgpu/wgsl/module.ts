/**
 * Generates whole WGSL modules from passes.
 *
 * @module
 */

import { LANES, type Pass, type Word } from "../program/shader.ts";
import { BITS, DOUBLE, REDUCE } from "./numbers.ts";
import { PHILOX } from "./philox.ts";

/** A buffer that a pass may use. */
export interface Slot {
  /** Name of the buffer in the code. */
  readonly name: string;
  /** Type of its elements. */
  readonly type: string;
  /** True if the pass may change the buffer. */
  readonly changes: boolean;
}

/** A pass, ready to be compiled. */
export interface PassModule {
  /** WGSL code of the module. */
  readonly code: string;
  /** Buffers to bind, in order. Binding 0 is the uniform buffer of the call's numbers. */
  readonly slots: readonly Slot[];
}

/**
 * Indices of words in the memory `frame`. After these words and the step counts of the last runs come the offsets of
 * systems.
 */
export const FrameWord = {
  /** Nonzero if kernels do nothing until the next run begins or a list has grown. */
  FROZEN: 0,
  /** 0, or 1 plus the index of the call that found its list too short. */
  OVERFLOW: 1,
  /** Number of runs that have begun. */
  RUN: 2,
  /** Number of entries that the list must hold, if it was too short. */
  NEED: 3,
  /** Always 0. Compilers must not be able to infer it (see numbers.ts). */
  ZERO: 4,
  /** Index of the first step count. The count of run n is at DONE + n % RING. */
  DONE: 8,
  /** Number of step counts that are stored: those of the last 256 runs. */
  RING: 256,
} as const;

/** Index in `frame` of the first offset. */
export const OFFSETS: number = FrameWord.DONE + FrameWord.RING;

const FRAME = (isAtomic: boolean) => {
  const at = (index: string) => isAtomic ? `atomicLoad(&frame[${index}])` : `frame[${index}]`;
  return /* wgsl */ `
const LANES: u32 = ${LANES}u;

fn first_of(s: u32) -> u32 { return ${at(`${OFFSETS}u + s`)}; }
fn tiles_of(s: u32) -> u32 { return ${at(`${OFFSETS}u + params.systems + 1u + s`)}; }
fn system_of(t: u32) -> u32 { return ${at(`${OFFSETS}u + 2u * (params.systems + 1u) + t`)}; }
fn begin() { zero = ${at(`${FrameWord.ZERO}u`)}; }
fn is_frozen() -> bool { return ${at(`${FrameWord.FROZEN}u`)} != 0u; }
`;
};

const REST = "if (moving[s] == 0) { return; }";

const MAIN: Readonly<Record<Pass["per"], (rest: string) => string>> = {
  atom: (rest) => `
  if (work >= params.tiles || is_frozen()) { return; }
  let s = system_of(work);
  ${rest}
  let a = first_of(s) + (work - tiles_of(s)) * LANES + lane;
  if (a < first_of(s + 1u)) { atom(s, a); }`,
  tile: (rest) => `
  if (work >= params.tiles || is_frozen()) { return; }
  let s = system_of(work);
  ${rest}
  tile(s, work, first_of(s) + (work - tiles_of(s)) * LANES + lane, lane);`,
  group: (rest) => `
  if (work >= params.systems || is_frozen()) { return; }
  let s = work;
  ${rest}
  group(s, lane);`,
  system: (rest) => `
  let s = work * LANES + lane;
  if (s >= params.systems || is_frozen()) { return; }
  ${rest}
  system(s);`,
};

/** Returns the WGSL of a struct with the numbers of a call. */
export function paramsStruct(words: readonly (readonly [string, Word])[]): string {
  const fields = words.flatMap(([name, word]) =>
    word === "wide" ? [`${name}: f32`, `${name}_low: f32`] : [`${name}: ${word}`]
  );
  return `struct Params { ${fields.map((field) => `${field}, `).join("")}}
@group(0) @binding(0) var<uniform> params: Params;
`;
}

/**
 * Generates the module of a pass, which binds only the buffers named in its code. `aliases` maps further names of a
 * buffer to its first name, because WebGPU does not allow binding a buffer twice.
 */
export function passModule(
  pass: Pass,
  slots: readonly Slot[],
  words: readonly (readonly [string, Word])[],
  aliases: ReadonlyMap<string, string>,
): PassModule {
  const isAtomic = (name: string) => pass.atomic?.includes(name) ?? false;
  let body = pass.code;
  for (const [name, other] of aliases) body = body.replaceAll(word(name), other);
  const main = entry(pass);
  const all = body + main;
  const snippets = [
    ...(/\b(philox|three_gaussians)\(/.test(all) ? [PHILOX] : []),
    BITS,
    ...(/\b(two_|wide_|wide\(|sum_of_lanes|largest_of_lanes)/.test(all) ? [DOUBLE] : []),
    ...(/_of_lanes\(/.test(all) ? [REDUCE] : []),
  ];
  const used = slots.filter(({ name }) =>
    name === "frame" || !aliases.has(name) && word(name).test(all)
  );
  const bindings = used.map(({ name, type, changes }, i) => {
    const element = isAtomic(name) ? `atomic<${type}>` : type;
    const access = changes || isAtomic(name) ? "read_write" : "read";
    return `@group(0) @binding(${i + 1}) var<storage, ${access}> ${name}: array<${element}>;`;
  });
  return {
    code: [paramsStruct(words), ...bindings, FRAME(isAtomic("frame")), ...snippets, body, main]
      .join("\n"),
    slots: used.map((slot) => isAtomic(slot.name) ? { ...slot, changes: true } : slot),
  };
}

function entry({ per, always }: Pass): string {
  return /* wgsl */ `
@compute @workgroup_size(${LANES})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(num_workgroups) workgroups: vec3<u32>,
  @builtin(local_invocation_index) lane: u32,
) {
  begin();
  let work = workgroup.x + workgroup.y * workgroups.x;
  ${MAIN[per](always === true ? "" : REST)}
}
`;
}

function word(name: string): RegExp {
  return new RegExp(`(?<![\\w.])${name}(?!\\w)`, "g");
}
