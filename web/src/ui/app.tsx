import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "./i18n";
import { Banners } from "./parts/banners";
import { Boot } from "./parts/boot";
import { Composer } from "./parts/composer";
import { Conversation } from "./parts/conversation";
import { Dialogs } from "./parts/dialogs";
import { Failed } from "./parts/failed";
import { Header } from "./parts/header";
import { IncognitoNote } from "./parts/incognito";
import { Panel } from "./parts/panel";
import { Sidebar } from "./parts/sidebar";
import { Toasts, measure } from "./parts/toasts";
import { state } from "./state/state";
import { useStore } from "./state/store";

export function App(): JSX.Element {
  const failure = useStore(state, (value) => value.failure);
  const panel = useStore(state, (value) => value.panel);
  const drawer = useStore(state, (value) => value.drawer);
  const early = useStore(state, (value) => value.early);
  const incognito = useStore(state, (value) => value.current !== null && value.current === value.incognito);
  const dialog = useStore(state, (value) => value.dialog !== null);
  const foot = useRef<HTMLDivElement>(null);
  useEffect(() => measure(foot.current as Element, "--foot"), []);
  const drawerCovers = useMedia("(max-width: 800px)");
  const panelCovers = useMedia("(max-width: 1100px)");
  const covered = (drawer && drawerCovers) || (panel && panelCovers);
  return (
    <div class={early ? "app early" : "app"}>
      <a class="skip" href="#message">
        {t.app.skip}
      </a>
      <Sidebar narrow={drawerCovers} />
      <main class={incognito ? "main incognito" : "main"} inert={covered}>
        <Header />
        {incognito ? <IncognitoNote /> : null}
        <Banners />
        {failure ? <Failed fault={failure} /> : <Conversation />}
        <div class="foot" ref={foot}>
          <div class="column">
            <Boot />
            <Composer />
          </div>
        </div>
      </main>
      {panel ? <Panel narrow={panelCovers} /> : null}
      {dialog ? null : <Toasts />}
      <Dialogs />
    </div>
  );
}

function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const change = (): void => setMatches(list.matches);
    list.addEventListener("change", change);
    return () => list.removeEventListener("change", change);
  }, [query]);
  return matches;
}
