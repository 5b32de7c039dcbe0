/**
 * Streams a source of systems through a batch of fixed capacity. Engines load this when `stream` is called.
 *
 * @module
 */

export { Graduates } from "./graduates.ts";
export { Stream } from "./stream.ts";
export { checkStream } from "./stream_options.ts";
