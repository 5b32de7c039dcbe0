/**
 * Settings of the commands `completions` and `schema`.
 *
 * @module
 */

/** Settings of the command `completions`. */
export interface CompletionsSettings {
  /** Name of the shell. */
  readonly shell: readonly string[];
  /** Name by which the user calls the program. */
  readonly name: string;
}

/** Settings of the command `schema`. */
export interface SchemaSettings {
  /** Names of commands. */
  readonly command: readonly string[];
}
