// Turns a bare worker into one that runs the engine. The first message is the compiled module; starting it here and now,
// without waiting for anything, leaves no gap in which a second message would find nobody listening.
import { initSync, start_worker } from "./pkg/leaselab.js";

self.addEventListener(
  "message",
  ({ data: module }) => {
    initSync({ module });
    start_worker();
  },
  { once: true },
);
