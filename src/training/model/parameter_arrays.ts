/**
 * Access to arrays of the arena by the names of parameters, for hooks.
 *
 * @module
 */

import type { Arena } from "./arena.ts";
import type { NamedNumbers } from "../stages.ts";

/** Returns the section of an array for each wanted parameter: a view in host memory, a copy on other devices. */
export async function arraysOf(
  arena: Arena,
  array: string,
  isWanted: (index: number) => boolean,
): Promise<Map<string, Float32Array>> {
  const [numbers] = await arena.backend.viewOrRead([arena.array(array)]);
  return new Map(
    arena.places.filter((_, i) => isWanted(i)).map(({ name, from, size }) => [
      name,
      numbers.subarray(from, from + size) as Float32Array,
    ]),
  );
}

/**
 * Writes values into the sections of an array, by the name of the parameter. Values that are a view of their own
 * section are skipped.
 */
export function writeArrays(arena: Arena, array: string, values: NamedNumbers): void {
  const { backend, places } = arena, buffer = arena.array(array);
  const own = backend.isHost ? backend.view(buffer) : undefined;
  const moved: [numbers: Float32Array, from: number][] = [];
  for (const { name, from } of places) {
    const numbers = values.get(name);
    if (numbers === undefined) continue;
    const isOwn = own !== undefined && numbers.buffer === own.buffer;
    if (isOwn && numbers.byteOffset === own.byteOffset + from * own.BYTES_PER_ELEMENT) continue;
    // A view of another parameter is copied first: that parameter may be written before its turn.
    moved.push([isOwn ? numbers.slice() : numbers, from]);
  }
  for (const [numbers, from] of moved) backend.write(buffer, numbers, from);
}

/** Throws a RangeError if a pipe has returned a gradient of an unknown parameter, or of the wrong length. */
export function checkPiped(given: NamedNumbers, next: NamedNumbers): void {
  for (const [name, numbers] of next) {
    const wanted = given.get(name)?.length;
    if (wanted !== undefined && numbers?.length === wanted) continue;
    throw new RangeError(
      `Cannot use the gradients that a hook returned: ${name} must ${
        wanted === undefined ? "be a parameter" : `have ${wanted} numbers`
      }; got ${numbers?.length} numbers`,
    );
  }
}
