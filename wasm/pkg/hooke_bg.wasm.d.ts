/* tslint:disable */
/* eslint-disable */
export const memory: WebAssembly.Memory;
export const allocate: (a: number) => number;
export const edges_free: (a: number) => void;
export const edges_new: (a: number, b: number, c: number, d: number, e: number) => number;
export const edges_place: (a: number, b: number) => number;
export const edges_room: (a: number, b: number) => number;
export const function_table: () => number;
export const kernel_number: (a: number, b: number) => number;
export const pairs_atoms: (a: number) => number;
export const pairs_bytes: (a: number) => number;
export const pairs_domains: (a: number) => number;
export const pairs_forget: (a: number, b: number) => void;
export const pairs_free: (a: number) => void;
export const pairs_join: (a: number, b: number, c: number, d: number, e: number) => void;
export const pairs_load: (a: number, b: number, c: number, d: number, e: number, f: number) => void;
export const pairs_new: (a: number, b: number, c: number) => number;
export const pairs_save: (a: number, b: number, c: number, d: number, e: number) => void;
export const philox: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => void;
export const release: (a: number, b: number) => void;
export const run: (a: number, b: number, c: number, d: number, e: number) => number;
export const run_blocks: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number) => number;
export const __wbindgen_export: WebAssembly.Table;
export const __wbindgen_export2: (a: number, b: number) => number;
export const __wbindgen_export3: (a: number, b: number, c: number, d: number) => number;
export const __wbindgen_add_to_stack_pointer: (a: number) => number;
export const __wbindgen_export4: (a: number, b: number, c: number) => void;
