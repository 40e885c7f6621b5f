/** Entry of the page. */

import { render } from "preact";
import { type PyMemory, openMemory } from "../client/index";
import { registerServiceWorker } from "../site";
import { Page } from "./Page";
import { language, t } from "./i18n/index";
import { App } from "./memory";
import "./styles.css";

declare global {
  var pyMemory: PyMemory;
}

document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
document.title = t("appName");

// Python starts once it is settled who answers the page's requests, so that the policy holds in the worker as well.
const site = registerServiceWorker();
globalThis.pyMemory = openMemory({ policy: site.then(({ controlled }) => controlled) });

const app = new App(globalThis.pyMemory);
void site.then(({ onUpdateReady }) =>
  onUpdateReady((apply) => app.set({ update: apply })),
);
render(<Page app={app} />, document.getElementById("app") as HTMLElement);
