// The service worker: after the first visit the page opens without a network, and a newer version is fetched whole,
// beside the one in use. tools/offline.mjs writes what the site consists of into the next lines; as it stands here it
// serves nothing, and takes away what an earlier one left, so that a page under work is never an old one.
const VERSION = "";
const RECORDINGS = "";
const FILES = {};

// Several copies of the site may lie in folders of one host, which all see the same caches.
const PREFIX = `leaselab ${self.registration.scope} `;
const SITE = `${PREFIX}site ${VERSION}`;
// Recordings seldom change: those that were opened outlast new versions of the page.
const OPENED = `${PREFIX}recordings ${RECORDINGS}`;

const at = (path) => new URL(path, self.registration.scope).href;

self.addEventListener("install", (event) => event.waitUntil(VERSION ? install() : self.skipWaiting()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  if (VERSION && event.request.method === "GET") answer(event);
});
// The person asked for the newer version. Nothing else ends the waiting for pages that use the older one.
self.addEventListener("message", (event) => {
  if (event.data === "take over") event.waitUntil(self.skipWaiting());
});

/** All or nothing: with its hash, no file of another version can slip in while a host is being updated. */
async function install() {
  const requests = Object.entries(FILES).map(([path, integrity]) => new Request(at(path), { cache: "no-cache", integrity }));
  const cache = await caches.open(SITE);
  await cache.addAll(requests);
}

async function activate() {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && !(VERSION && [SITE, OPENED].includes(name)));
  await Promise.all(old.map((name) => caches.delete(name)));
  // The page of the first visit, too, so that recordings opened in it are kept.
  await (VERSION ? self.clients.claim() : self.registration.unregister());
}

function answer(event) {
  const url = new URL(event.request.url);
  const scope = new URL(self.registration.scope);
  if (url.origin !== scope.origin || !url.pathname.startsWith(scope.pathname)) return;
  const path = url.pathname.slice(scope.pathname.length).replace(/^index\.html$/, "");
  if (`./${path}` in FILES) event.respondWith(fromSite(event.request, at(`./${path}`)));
  else if (path.startsWith("recordings/")) event.respondWith(fromOpened(event.request));
}

async function fromSite(request, address) {
  const cache = await caches.open(SITE);
  return (await cache.match(address)) ?? fetch(request);
}

async function fromOpened(request) {
  const cache = await caches.open(OPENED);
  const kept = await cache.match(request);
  if (kept) return kept;
  const response = await fetch(request);
  // A browser whose memory is full keeps nothing, and still shows the recording.
  if (response.ok) await cache.put(request, response.clone()).catch(() => {});
  return response;
}
