/**
 * Multiple dispatch. An overload set calls the most specific row for all arguments. It reports
 * ambiguous rows when they are added, and names the nearest rows if a call matches no row.
 *
 * @module
 */

export { AmbiguousOverloadError, NoOverloadError } from "./rows.ts";
export { any } from "./matcher.ts";
export type { Class, Guard, KindLike, Literal, Match, MatchAll, Matcher } from "./matcher.ts";
export { defineOverload } from "./overload.ts";
export type { OverloadSet } from "./overload.ts";
