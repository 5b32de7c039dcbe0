/**
 * Views of the page.
 *
 * @module
 */

/** A view that fills the page. */
export interface PageView {
  /** Content of the header. */
  readonly header: HTMLElement;
  readonly root: HTMLElement;
  close(): void;
}
