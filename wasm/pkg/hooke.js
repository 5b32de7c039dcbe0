/* @ts-self-types="./hooke.d.ts" */

/**
 * Zeroed memory; 0 when there is not enough.
 * @param {number} bytes
 * @returns {number}
 */
export function allocate(bytes) {
    const ret = wasm.allocate(bytes);
    return ret >>> 0;
}

/**
 * @param {number} edges
 */
export function edges_free(edges) {
    wasm.edges_free(edges);
}

/**
 * An empty list of edges of these pairs.
 * @param {number} pairs
 * @param {number} atoms
 * @param {number} cutoff
 * @param {boolean} is_half
 * @param {number} reach
 * @returns {number}
 */
export function edges_new(pairs, atoms, cutoff, is_half, reach) {
    const ret = wasm.edges_new(pairs, atoms, cutoff, is_half, reach);
    return ret >>> 0;
}

/**
 * Where index, shifts, systems, centers, triplets and counts are.
 * @param {number} edges
 * @param {number} which
 * @returns {number}
 */
export function edges_place(edges, which) {
    const ret = wasm.edges_place(edges, which);
    return ret >>> 0;
}

/**
 * How many edges there is room for, or with `triplets` how many triplets.
 * @param {number} edges
 * @param {boolean} triplets
 * @returns {number}
 */
export function edges_room(edges, triplets) {
    const ret = wasm.edges_room(edges, triplets);
    return ret >>> 0;
}

/**
 * Returns the table of the functions that kernels can call. JavaScript adds generated functions to it.
 * @returns {WebAssembly.Table}
 */
export function function_table() {
    const ret = wasm.function_table();
    return takeObject(ret);
}

/**
 * The number by which programs name a kernel; -1 when there is none of that name.
 * @param {string} name
 * @returns {number}
 */
export function kernel_number(name) {
    const ptr0 = passStringToWasm0(name, wasm.__wbindgen_export2, wasm.__wbindgen_export3);
    const len0 = WASM_VECTOR_LEN;
    const ret = wasm.kernel_number(ptr0, len0);
    return ret;
}

/**
 * Number of atoms of which the list has reference positions.
 * @param {number} pairs
 * @returns {number}
 */
export function pairs_atoms(pairs) {
    const ret = wasm.pairs_atoms(pairs);
    return ret >>> 0;
}

/**
 * Size of the list in bytes.
 * @param {number} pairs
 * @returns {number}
 */
export function pairs_bytes(pairs) {
    const ret = wasm.pairs_bytes(pairs);
    return ret >>> 0;
}

/**
 * Returns how many threads can share the work on the pairs of a system.
 * @param {number} atoms
 * @returns {number}
 */
export function pairs_domains(atoms) {
    const ret = wasm.pairs_domains(atoms);
    return ret >>> 0;
}

/**
 * Another system is in this place now: its pairs were never found.
 * @param {number} pairs
 * @param {number} system
 */
export function pairs_forget(pairs, system) {
    wasm.pairs_forget(pairs, system);
}

/**
 * @param {number} pairs
 */
export function pairs_free(pairs) {
    wasm.pairs_free(pairs);
}

/**
 * Lets the list share its work with the same list of other threads. `share`: index of a function in the table of
 * functions.
 * @param {number} pairs
 * @param {number} team
 * @param {number} member
 * @param {number} size
 * @param {number} share
 */
export function pairs_join(pairs, team, member, size, share) {
    wasm.pairs_join(pairs, team, member, size, share);
}

/**
 * Takes it back. Systems whose pairs were never found have no reference positions.
 * @param {number} pairs
 * @param {number} offsets
 * @param {number} reference
 * @param {number} images
 * @param {number} cells
 * @param {number} builds
 */
export function pairs_load(pairs, offsets, reference, images, cells, builds) {
    wasm.pairs_load(pairs, offsets, reference, images, cells, builds);
}

/**
 * An empty list.
 * @param {number} systems
 * @param {number} cutoff
 * @param {number} skin
 * @returns {number}
 */
export function pairs_new(systems, cutoff, skin) {
    const ret = wasm.pairs_new(systems, cutoff, skin);
    return ret >>> 0;
}

/**
 * Copies what a checkpoint keeps.
 * @param {number} pairs
 * @param {number} reference
 * @param {number} images
 * @param {number} cells
 * @param {number} builds
 */
export function pairs_save(pairs, reference, images, cells, builds) {
    wasm.pairs_save(pairs, reference, images, cells, builds);
}

/**
 * The four words for one counter and key, for the tests to compare.
 * @param {number} c0
 * @param {number} c1
 * @param {number} c2
 * @param {number} c3
 * @param {number} k0
 * @param {number} k1
 * @returns {Uint32Array}
 */
export function philox(c0, c1, c2, c3, k0, k1) {
    try {
        const retptr = wasm.__wbindgen_add_to_stack_pointer(-16);
        wasm.philox(retptr, c0, c1, c2, c3, k0, k1);
        var r0 = getDataViewMemory0().getInt32(retptr + 4 * 0, true);
        var r1 = getDataViewMemory0().getInt32(retptr + 4 * 1, true);
        var v1 = getArrayU32FromWasm0(r0, r1).slice();
        wasm.__wbindgen_export4(r0, r1 * 4, 4);
        return v1;
    } finally {
        wasm.__wbindgen_add_to_stack_pointer(16);
    }
}

/**
 * Gives memory back.
 * @param {number} pointer
 * @param {number} bytes
 */
export function release(pointer, bytes) {
    wasm.release(pointer, bytes);
}

/**
 * Runs `calls` calls for up to `steps` steps from `first` on; returns how many steps it did.
 * @param {number} frame
 * @param {number} program
 * @param {number} calls
 * @param {number} first
 * @param {number} steps
 * @returns {number}
 */
export function run(frame, program, calls, first, steps) {
    const ret = wasm.run(frame, program, calls, first, steps);
    return ret >>> 0;
}

/**
 * Does what `run` does, block by block of at most `atoms` atoms or one system.
 * @param {number} frame
 * @param {number} program
 * @param {number} calls
 * @param {number} first
 * @param {number} steps
 * @param {number} saved
 * @param {number} count
 * @param {number} atoms
 * @returns {number}
 */
export function run_blocks(frame, program, calls, first, steps, saved, count, atoms) {
    const ret = wasm.run_blocks(frame, program, calls, first, steps, saved, count, atoms);
    return ret >>> 0;
}
function __wbg_get_imports() {
    const import0 = {
        __proto__: null,
        __wbg___wbindgen_function_table_639dd63419065a39: function() {
            const ret = wasm.__wbindgen_export;
            return addHeapObject(ret);
        },
    };
    return {
        __proto__: null,
        "./hooke_bg.js": import0,
    };
}

function addHeapObject(obj) {
    if (heap_next === heap.length) heap.push(heap.length + 1);
    const idx = heap_next;
    heap_next = heap[idx];

    heap[idx] = obj;
    return idx;
}

function dropObject(idx) {
    if (idx < 1028) return;
    heap[idx] = heap_next;
    heap_next = idx;
}

function getArrayU32FromWasm0(ptr, len) {
    ptr = ptr >>> 0;
    return getUint32ArrayMemory0().subarray(ptr / 4, ptr / 4 + len);
}

let cachedDataViewMemory0 = null;
function getDataViewMemory0() {
    if (cachedDataViewMemory0 === null || cachedDataViewMemory0.buffer.detached === true || (cachedDataViewMemory0.buffer.detached === undefined && cachedDataViewMemory0.buffer !== wasm.memory.buffer)) {
        cachedDataViewMemory0 = new DataView(wasm.memory.buffer);
    }
    return cachedDataViewMemory0;
}

let cachedUint32ArrayMemory0 = null;
function getUint32ArrayMemory0() {
    if (cachedUint32ArrayMemory0 === null || cachedUint32ArrayMemory0.byteLength === 0) {
        cachedUint32ArrayMemory0 = new Uint32Array(wasm.memory.buffer);
    }
    return cachedUint32ArrayMemory0;
}

let cachedUint8ArrayMemory0 = null;
function getUint8ArrayMemory0() {
    if (cachedUint8ArrayMemory0 === null || cachedUint8ArrayMemory0.byteLength === 0) {
        cachedUint8ArrayMemory0 = new Uint8Array(wasm.memory.buffer);
    }
    return cachedUint8ArrayMemory0;
}

function getObject(idx) { return heap[idx]; }

let heap = new Array(1024).fill(undefined);
heap.push(undefined, null, true, false);

let heap_next = heap.length;

function passStringToWasm0(arg, malloc, realloc) {
    if (realloc === undefined) {
        const buf = cachedTextEncoder.encode(arg);
        const ptr = malloc(buf.length, 1) >>> 0;
        getUint8ArrayMemory0().subarray(ptr, ptr + buf.length).set(buf);
        WASM_VECTOR_LEN = buf.length;
        return ptr;
    }

    let len = arg.length;
    let ptr = malloc(len, 1) >>> 0;

    const mem = getUint8ArrayMemory0();

    let offset = 0;

    for (; offset < len; offset++) {
        const code = arg.charCodeAt(offset);
        if (code > 0x7F) break;
        mem[ptr + offset] = code;
    }
    if (offset !== len) {
        if (offset !== 0) {
            arg = arg.slice(offset);
        }
        ptr = realloc(ptr, len, len = offset + arg.length * 3, 1) >>> 0;
        const view = getUint8ArrayMemory0().subarray(ptr + offset, ptr + len);
        const ret = cachedTextEncoder.encodeInto(arg, view);

        offset += ret.written;
        ptr = realloc(ptr, len, offset, 1) >>> 0;
    }

    WASM_VECTOR_LEN = offset;
    return ptr;
}

function takeObject(idx) {
    const ret = getObject(idx);
    dropObject(idx);
    return ret;
}

const cachedTextEncoder = new TextEncoder();

if (!('encodeInto' in cachedTextEncoder)) {
    cachedTextEncoder.encodeInto = function (arg, view) {
        const buf = cachedTextEncoder.encode(arg);
        view.set(buf);
        return {
            read: arg.length,
            written: buf.length
        };
    };
}

let WASM_VECTOR_LEN = 0;

let wasmModule, wasmInstance, wasm;
function __wbg_finalize_init(instance, module) {
    wasmInstance = instance;
    wasm = instance.exports;
    wasmModule = module;
    cachedDataViewMemory0 = null;
    cachedUint32ArrayMemory0 = null;
    cachedUint8ArrayMemory0 = null;
    return wasm;
}

async function __wbg_load(module, imports) {
    if (typeof Response === 'function' && module instanceof Response) {
        if (!module.ok) {
            throw new Error(`failed to fetch Wasm: ${module.status} ${module.statusText} fetching '${module.url}'`);
        }

        if (typeof WebAssembly.instantiateStreaming === 'function') {
            try {
                return await WebAssembly.instantiateStreaming(module, imports);
            } catch (e) {
                const validResponse = expectedResponseType(module.type);

                if (validResponse && module.headers.get('Content-Type') !== 'application/wasm') {
                    console.warn("`WebAssembly.instantiateStreaming` failed because your server does not serve Wasm with `application/wasm` MIME type. Falling back to `WebAssembly.instantiate` which is slower. Original error:\n", e);

                } else { throw e; }
            }
        }

        const bytes = await module.arrayBuffer();
        return await WebAssembly.instantiate(bytes, imports);
    } else {
        const instance = await WebAssembly.instantiate(module, imports);

        if (instance instanceof WebAssembly.Instance) {
            return { instance, module };
        } else {
            return instance;
        }
    }

    function expectedResponseType(type) {
        switch (type) {
            case 'basic': case 'cors': case 'default': return true;
        }
        return false;
    }
}

function initSync(module) {
    if (wasm !== undefined) return wasm;


    if (module !== undefined) {
        if (Object.getPrototypeOf(module) === Object.prototype) {
            ({module} = module)
        } else {
            console.warn('using deprecated parameters for `initSync()`; pass a single object instead')
        }
    }

    const imports = __wbg_get_imports();
    if (!(module instanceof WebAssembly.Module)) {
        module = new WebAssembly.Module(module);
    }
    const instance = new WebAssembly.Instance(module, imports);
    return __wbg_finalize_init(instance, module);
}

async function __wbg_init(module_or_path) {
    if (wasm !== undefined) return wasm;


    if (module_or_path !== undefined) {
        if (Object.getPrototypeOf(module_or_path) === Object.prototype) {
            ({module_or_path} = module_or_path)
        } else {
            console.warn('using deprecated parameters for the initialization function; pass a single object instead')
        }
    }

    if (module_or_path === undefined) {
        module_or_path = new URL('hooke_bg.wasm', import.meta.url);
    }
    const imports = __wbg_get_imports();

    if (typeof module_or_path === 'string' || (typeof Request === 'function' && module_or_path instanceof Request) || (typeof URL === 'function' && module_or_path instanceof URL)) {
        module_or_path = fetch(module_or_path);
    }

    const { instance, module } = await __wbg_load(await module_or_path, imports);

    return __wbg_finalize_init(instance, module);
}

export { initSync, __wbg_init as default };
