// The page's end of the service worker (offline.js): starts it, says when a newer version of the site is ready, and puts
// it in place when asked to. The page hears "leaselab-newer" and answers "leaselab-update", both events of the window.

// Another page may change it while this one is still starting.
const atStart = navigator.serviceWorker?.controller;

/** Browsers have service workers only on safe connections; a page that is shown within another has no use for one. */
export async function keepOffline() {
  const here = new URL("./", import.meta.url);
  const wanted = document.querySelector("meta[name='offline']");
  if (!wanted || !navigator.serviceWorker || window.parent !== window) return;
  let registration;
  try {
    registration = await navigator.serviceWorker.register(new URL("./offline.js", here), { scope: here.href, updateViaCache: "none" });
  } catch {
    return; // Refused by the browser's settings, or no network: the page works without.
  }
  let asked = false;
  // The worker of the newer version. The registration may come to know of it later than of its being installed.
  let next;
  const offer = (worker) => {
    next = worker;
    window.dispatchEvent(new CustomEvent("leaselab-newer"));
  };
  const watch = (worker) => {
    worker?.addEventListener("statechange", () => {
      // The very first one takes nobody's place.
      if (worker.state === "installed" && navigator.serviceWorker.controller) offer(worker);
    });
  };
  watch(registration.installing);
  registration.addEventListener("updatefound", () => watch(registration.installing));
  window.addEventListener("leaselab-update", () => {
    asked = true;
    if (next?.state === "installed") next.postMessage("take over");
    // Another page of the site has put it in place already.
    else location.reload();
  });
  // Who served the files of this page: none on the first visit.
  let server = atStart;
  const changed = () => {
    const { controller } = navigator.serviceWorker;
    if (controller === server) return;
    if (asked) location.reload();
    // Put in place from another page: this one goes on as it is, and is told.
    else if (server) offer(null);
    server = controller;
  };
  navigator.serviceWorker.addEventListener("controllerchange", changed);
  // What happened before anybody listened.
  if (registration.waiting && server) offer(registration.waiting);
  changed();
}
