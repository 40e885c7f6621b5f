import "./styles/index.css";
import { render } from "preact";
import { App } from "./app";
import { locale, t } from "./i18n";
import { start } from "./state/start";

document.documentElement.lang = locale;
document.title = t.app.name;
render(<App />, document.getElementById("app") as HTMLElement);
// A start that fails is shown by the page: the memory reports it as an error.
start().catch(() => undefined);
