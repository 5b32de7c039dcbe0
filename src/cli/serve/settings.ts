/**
 * Settings of the command `hooke serve`.
 *
 * @module
 */

/** Settings of the command `serve`. */
export interface ServeSettings {
  /** Run folders, or folders with run folders below them. */
  readonly folders: readonly string[];
  /** Name or address of the interface. */
  readonly host: string;
  /** Port; 0 for any unused port. */
  readonly port: number;
  /** True to open the page in a browser. */
  readonly open: boolean;
  /** True to print the address as JSON. */
  readonly json: boolean;
}
