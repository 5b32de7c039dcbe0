/**
 * Browser globals that this package uses. Workers and other runtimes provide only some of them.
 *
 * @module
 */

/** Members of `navigator` that this package uses. */
export interface NavigatorHost {
  readonly hardwareConcurrency?: number;
  readonly userAgent?: string;
  readonly platform?: string;
}

interface Page {
  readonly navigator?: NavigatorHost;
  readonly crossOriginIsolated?: boolean;
  readonly document?: { readonly baseURI: string };
  readonly location?: { readonly href: string; readonly origin: string };
}

const page = globalThis as unknown as Page;

/** Returns `navigator`, or `undefined` in runtimes without it. */
export function findNavigator(): NavigatorHost | undefined {
  return page.navigator;
}

/** Returns whether the page is cross-origin isolated, so that it may share memory with workers. */
export function isIsolated(): boolean {
  return page.crossOriginIsolated === true;
}

/** Returns the base URL of the page, to which relative addresses refer; an empty text if there is no page. */
export function pageAddress(): string {
  return page.document?.baseURI ?? page.location?.href ?? "";
}

/**
 * Runs `start`, and returns its result. If the origin of `location` is `"null"`, as in a worker of Deno, `location`
 * is hidden meanwhile, because some packages create a URL from the origin when they are loaded, and fail if it is
 * invalid.
 */
export async function withoutNullOrigin<T>(start: () => Promise<T>): Promise<T> {
  const before = Object.getOwnPropertyDescriptor(globalThis, "location");
  if (page.location?.origin !== "null" || before?.configurable !== true) return await start();
  Object.defineProperty(globalThis, "location", { value: undefined, configurable: true });
  try {
    return await start();
  } finally {
    Object.defineProperty(globalThis, "location", before);
  }
}
