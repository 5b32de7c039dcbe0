/* tslint:disable */
/* eslint-disable */
export const memory: WebAssembly.Memory;
export const allocate: (a: number) => number;
export const kernel_number: (a: number, b: number) => number;
export const release: (a: number, b: number) => void;
export const run: (a: number, b: number, c: number, d: number, e: number) => number;
export const __wbindgen_export: (a: number, b: number) => number;
export const __wbindgen_export2: (a: number, b: number, c: number, d: number) => number;
