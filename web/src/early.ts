/** Runs before the application is there. */

import { startEarly } from "./client/early";
import { create, database } from "./profiles/current";
import { look } from "./look";

declare const __BUILD__: { readonly worker: string };

look();
startEarly(new URL(__BUILD__.worker, document.baseURI), { database, create });
