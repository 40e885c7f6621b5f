/** Runs before the application is there. */

import { startEarly } from "./client/early";
import { DATABASE } from "./host/rpc";

declare const __BUILD__: { readonly worker: string };

startEarly(new URL(__BUILD__.worker, document.baseURI), DATABASE);
