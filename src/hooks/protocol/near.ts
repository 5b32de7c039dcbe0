/**
 * Compile-time search for known names that are similar to a misspelled one.
 *
 * @module
 */

/**
 * The compiler message for an unknown name `Given`: it says what is missing, `What`, and suggests similar names among
 * `Known`.
 */
export type NoSuch<What extends string, Given, Known extends string> = `there is no ${What} ${
  & Given
  & string}${Hint<Near<Given & string, Known>>}`;

/** The question "did you mean" with the names `N`; an empty string if `N` is `never`. */
export type Hint<N extends string> = [N] extends [never] ? "" : `; did you mean ${N}?`;

/**
 * The names in `Known` that are similar to `Given`: they differ by at most two adjacent letters, ignoring case and
 * underscores.
 */
export type Near<Given extends string, Known extends string> = Known extends unknown
  ? IsSmall<Difference<Plain<Given>, Plain<Known>>> extends true ? Known : never
  : never;

/** The name `N` in lower case, without underscores. */
export type Plain<N extends string> = N extends `${infer A}_${infer B}`
  ? `${Lowercase<A>}${Plain<B>}`
  : Lowercase<N>;

/** The two strings that remain of `A` and `B` without their common prefix and suffix. */
export type Difference<A extends string, B extends string> = WithoutStart<A, B> extends
  [infer X extends string, infer Y extends string] ? WithoutStart<Reversed<X>, Reversed<Y>>
  : never;

/** The two strings that remain of `A` and `B` without their common prefix. */
export type WithoutStart<A extends string, B extends string> = A extends `${infer X}${infer Rest}`
  ? B extends `${X}${infer Other}` ? WithoutStart<Rest, Other> : [A, B]
  : [A, B];

/** The letters of the string `A` in reverse order. `Done` accumulates the result. */
export type Reversed<A extends string, Done extends string = ""> = A extends
  `${infer X}${infer Rest}` ? Reversed<Rest, `${X}${Done}`> : Done;

/** `true` if both strings of the pair `D` have at most two letters. */
export type IsSmall<D> = D extends [infer A extends string, infer B extends string]
  ? [AtMostTwo<A>, AtMostTwo<B>] extends [true, true] ? true : false
  : false;

/** `true` if the string `A` has at most two letters. */
export type AtMostTwo<A extends string> = A extends `${string}${string}${infer Rest}`
  ? Rest extends "" ? true
  : A extends `${infer _1}${infer _2}${infer More}` ? More extends "" ? true : false
  : true
  : true;
