/**
 * Names that are near a misspelt one, found by the compiler.
 *
 * @module
 */

/** Message of an unknown name: no `What` is called `Given`; it lists similar names of `Known`. */
export type NoSuch<What extends string, Given, Known extends string> = `there is no ${What} ${
  & Given
  & string}${Hint<Near<Given & string, Known>>}`;

/** A question for the nearest names; nothing if no name is near. */
export type Hint<N extends string> = [N] extends [never] ? "" : `; did you mean ${N}?`;

/** The names that differ from the given one by up to two letters in one place, by case or by underscores. */
export type Near<Given extends string, Known extends string> = Known extends unknown
  ? IsSmall<Difference<Plain<Given>, Plain<Known>>> extends true ? Known : never
  : never;

/** The name in lower case, without underscores. */
export type Plain<N extends string> = N extends `${infer A}_${infer B}`
  ? `${Lowercase<A>}${Plain<B>}`
  : Lowercase<N>;

/** The rest of two names without their common prefix and suffix. */
export type Difference<A extends string, B extends string> = WithoutStart<A, B> extends
  [infer X extends string, infer Y extends string] ? WithoutStart<Reversed<X>, Reversed<Y>>
  : never;

/** Two names without their common beginning. */
export type WithoutStart<A extends string, B extends string> = A extends `${infer X}${infer Rest}`
  ? B extends `${X}${infer Other}` ? WithoutStart<Rest, Other> : [A, B]
  : [A, B];

/** The letters of a name from last to first. */
export type Reversed<A extends string, Done extends string = ""> = A extends
  `${infer X}${infer Rest}` ? Reversed<Rest, `${X}${Done}`> : Done;

/** True if both strings have at most two letters. */
export type IsSmall<D> = D extends [infer A extends string, infer B extends string]
  ? [AtMostTwo<A>, AtMostTwo<B>] extends [true, true] ? true : false
  : false;

/** True if a string has at most two letters. */
export type AtMostTwo<A extends string> = A extends `${string}${string}${infer Rest}`
  ? Rest extends "" ? true
  : A extends `${infer _1}${infer _2}${infer More}` ? More extends "" ? true : false
  : true
  : true;
