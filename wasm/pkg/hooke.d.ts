/* tslint:disable */
/* eslint-disable */

/**
 * Zeroed memory; 0 when there is not enough.
 */
export function allocate(bytes: number): number;

export function edges_free(edges: number): void;

/**
 * An empty list of edges of these pairs.
 */
export function edges_new(pairs: number, atoms: number, cutoff: number, is_half: boolean, reach: number): number;

/**
 * Where index, shifts, systems, centers, triplets and counts are.
 */
export function edges_place(edges: number, which: number): number;

/**
 * How many edges there is room for, or with `triplets` how many triplets.
 */
export function edges_room(edges: number, triplets: boolean): number;

/**
 * Returns the table of the functions that kernels can call. JavaScript adds generated functions to it.
 */
export function function_table(): WebAssembly.Table;

/**
 * The number by which programs name a kernel; -1 when there is none of that name.
 */
export function kernel_number(name: string): number;

/**
 * Number of atoms of which the list has reference positions.
 */
export function pairs_atoms(pairs: number): number;

/**
 * Size of the list in bytes.
 */
export function pairs_bytes(pairs: number): number;

/**
 * Returns how many threads can share the work on the pairs of a system.
 */
export function pairs_domains(atoms: number): number;

/**
 * Another system is in this place now: its pairs were never found.
 */
export function pairs_forget(pairs: number, system: number): void;

export function pairs_free(pairs: number): void;

/**
 * Lets the list share its work with the same list of other threads. `share`: index of a function in the table of
 * functions.
 */
export function pairs_join(pairs: number, team: number, member: number, size: number, share: number): void;

/**
 * Takes it back. Systems whose pairs were never found have no reference positions.
 */
export function pairs_load(pairs: number, offsets: number, reference: number, images: number, cells: number, builds: number): void;

/**
 * An empty list.
 */
export function pairs_new(systems: number, cutoff: number, skin: number): number;

/**
 * Copies what a checkpoint keeps.
 */
export function pairs_save(pairs: number, reference: number, images: number, cells: number, builds: number): void;

/**
 * The four words for one counter and key, for the tests to compare.
 */
export function philox(c0: number, c1: number, c2: number, c3: number, k0: number, k1: number): Uint32Array;

/**
 * Gives memory back.
 */
export function release(pointer: number, bytes: number): void;

/**
 * Runs `calls` calls for up to `steps` steps from `first` on; returns how many steps it did.
 */
export function run(frame: number, program: number, calls: number, first: number, steps: number): number;

/**
 * Does what `run` does, block by block of at most `atoms` atoms or one system.
 */
export function run_blocks(frame: number, program: number, calls: number, first: number, steps: number, saved: number, count: number, atoms: number): number;

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
    readonly allocate: (a: number) => number;
    readonly edges_free: (a: number) => void;
    readonly edges_new: (a: number, b: number, c: number, d: number, e: number) => number;
    readonly edges_place: (a: number, b: number) => number;
    readonly edges_room: (a: number, b: number) => number;
    readonly function_table: () => number;
    readonly kernel_number: (a: number, b: number) => number;
    readonly pairs_atoms: (a: number) => number;
    readonly pairs_bytes: (a: number) => number;
    readonly pairs_domains: (a: number) => number;
    readonly pairs_forget: (a: number, b: number) => void;
    readonly pairs_free: (a: number) => void;
    readonly pairs_join: (a: number, b: number, c: number, d: number, e: number) => void;
    readonly pairs_load: (a: number, b: number, c: number, d: number, e: number, f: number) => void;
    readonly pairs_new: (a: number, b: number, c: number) => number;
    readonly pairs_save: (a: number, b: number, c: number, d: number, e: number) => void;
    readonly philox: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => void;
    readonly release: (a: number, b: number) => void;
    readonly run: (a: number, b: number, c: number, d: number, e: number) => number;
    readonly run_blocks: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number) => number;
    readonly __wbindgen_export: WebAssembly.Table;
    readonly __wbindgen_export2: (a: number, b: number) => number;
    readonly __wbindgen_export3: (a: number, b: number, c: number, d: number) => number;
    readonly __wbindgen_add_to_stack_pointer: (a: number) => number;
    readonly __wbindgen_export4: (a: number, b: number, c: number) => void;
}

export type SyncInitInput = BufferSource | WebAssembly.Module;

/**
 * Instantiates the given `module`, which can either be bytes or
 * a precompiled `WebAssembly.Module`.
 *
 * @param {{ module: SyncInitInput }} module - Passing `SyncInitInput` directly is deprecated.
 *
 * @returns {InitOutput}
 */
export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

/**
 * If `module_or_path` is {RequestInfo} or {URL}, makes a request and
 * for everything else, calls `WebAssembly.instantiate` directly.
 *
 * @param {{ module_or_path: InitInput | Promise<InitInput> }} module_or_path - Passing `InitInput` directly is deprecated.
 *
 * @returns {Promise<InitOutput>}
 */
export default function __wbg_init (module_or_path?: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
