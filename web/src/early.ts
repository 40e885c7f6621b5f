/** Runs before the application is there. */

import { startEarly } from "./client/early";

declare const __BUILD__: { readonly worker: string };

startEarly(new URL(__BUILD__.worker, document.baseURI), "py-memory");
