/**
 * Service worker of a folder of files that `deno task page:static` writes: the page works without a network once it was
 * loaded. It asks the network first, so that no old version is shown, and keeps only the files of its own version.
 *
 * `hooke serve` has no service worker: the next program on the same port would be shown its page.
 *
 * @module
 */

/** Members of the global scope that the script uses. */
interface Scope {
  readonly location: { readonly href: string };
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
  addEventListener(type: string, listener: (event: WorkerEvent) => void): void;
}

interface WorkerEvent {
  readonly request: Request;
  waitUntil(work: Promise<unknown>): void;
  respondWith(response: Promise<Response>): void;
}

/** Version and files of the page, which the build puts at the beginning of the script. */
interface Version {
  readonly hash: string;
  /** Files that are kept at once, relative to the script. */
  readonly files: readonly string[];
}

const scope = globalThis as unknown as Scope & { readonly HOOKE_PAGE: Version };
const { hash, files } = scope.HOOKE_PAGE;
const PREFIX = "hooke-page-", NAME = `${PREFIX}${hash}`;

scope.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(NAME);
    await cache.addAll(files.map((file) => new Request(file, { cache: "reload" })));
    await scope.skipWaiting();
  })());
});

scope.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith(PREFIX) && name !== NAME) await caches.delete(name);
    }
    await scope.clients.claim();
  })());
});

scope.addEventListener("fetch", (event) => {
  const { request } = event, folder = new URL("./", scope.location.href).href;
  if (request.method !== "GET" || !request.url.startsWith(folder)) return;
  event.respondWith(answer(request));
});

/** Asks the network, and keeps what it answers. Without a network, answers what is kept. */
async function answer(request: Request): Promise<Response> {
  const cache = await caches.open(NAME);
  let response: Response;
  try {
    response = await fetch(request);
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept !== undefined) return kept;
    throw error;
  }
  // Caches refuse parts of files (206), and what exceeds the room of the site. The page works without.
  if (response.status === 200) await cache.put(request, response.clone()).catch(() => {});
  return response;
}
