/**
 * Line below the header: lost connections and commands that failed.
 *
 * @module
 */

import type { Connection } from "./data/http_source.ts";
import { h, setText } from "./element.ts";

/** Line below the header. */
export class Banner {
  readonly #root: HTMLElement;
  readonly #text: HTMLElement = h("span");
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(root: HTMLElement) {
    this.#root = root;
    const close = h("button.quiet", { type: "button", onclick: () => this.clear() }, "Close");
    root.replaceChildren(this.#text, close);
  }

  /** Shows a message until it is closed. */
  show(message: string): void {
    clearInterval(this.#timer);
    delete this.#root.dataset.retry;
    setText(this.#text, message);
    this.#root.hidden = false;
  }

  /** Hides the line. */
  clear(): void {
    clearInterval(this.#timer);
    this.#root.hidden = true;
  }

  /** Shows the state of a connection, if it is a bad one. */
  connection(connection: Connection): void {
    switch (connection.state) {
      case "connected":
      case "connecting":
      case "closed":
        return this.clear();
      case "refused":
        return this.show(`The server refuses the page: ${connection.reason}`);
      case "lost": {
        const { reason, retryAt } = connection;
        this.show(
          `Connection lost: ${reason}. What is shown stays; the page tries again by itself.`,
        );
        const tell = () => {
          const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1000));
          this.#root.dataset.retry = String(seconds);
        };
        tell();
        this.#timer = setInterval(tell, 500);
      }
    }
  }
}
