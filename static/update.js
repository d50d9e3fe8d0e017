// The page's end of the service worker (offline.js): starts it, says when a newer version of the site is ready, and puts
// it in place when asked to. The page hears "leaselab-newer" and answers "leaselab-update", both events of the window.

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
  let served = Boolean(navigator.serviceWorker.controller);
  watch(registration.installing);
  registration.addEventListener("updatefound", () => watch(registration.installing));
  if (registration.waiting && served) offer(registration.waiting);
  window.addEventListener("leaselab-update", () => {
    asked = true;
    if (next) next.postMessage("take over");
    // Another page of the site has put it in place already.
    else location.reload();
  });
  navigator.serviceWorker.addEventListener("controllerchange", () => {
    if (asked) location.reload();
    // Put in place from another page: this one goes on as it is, and is told.
    else if (served) offer(null);
    served = true;
  });
}
