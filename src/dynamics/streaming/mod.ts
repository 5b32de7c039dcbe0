/**
 * Streams systems of a source through a batch of limited size. Engines load this module when `stream` is called.
 *
 * @module
 */

export { Graduates } from "./graduates.ts";
export { Stream } from "./stream.ts";
export { missingExit } from "./stream_exit.ts";
export { checkStream } from "./stream_options.ts";
