/** Connecting a model server: its address, its key, how it is started for this page, and which of its models answers. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { hostOf, mayAsk, type Program, programOf, PROGRAMS, startLine, fullAddress } from "../../models/address";
import { tm } from "../i18n/models";
import { act, toast } from "../state/memory";
import { models } from "../state/model-choice";
import { chooseModel, chooseOffline, connect, forgetKey, listModels } from "../state/models";
import { useStore } from "../state/store";
import { AddressField, SecretField } from "./fields";

export function ModelServer({ ready }: { ready: boolean }): JSX.Element {
  const connected = useStore(models, ({ settings: { choice } }) => (choice.kind === "server" ? choice : null));
  useEffect(() => {
    if (ready) act(listModels);
  }, [ready]);
  return connected ? <Connected {...connected} /> : <Form ready={ready} />;
}

function Connected({ address, model }: { address: string; model: string }): JSX.Element {
  const list = useStore(models, (value) => value.list);
  const hasKey = useStore(models, (value) => value.hasKey);
  const busy = useStore(models, (value) => value.progress !== null);
  const { server } = tm;
  const names = list?.includes(model) ? list : [model, ...(list ?? [])];
  return (
    <>
      <div class="fields">
        <span class="field-name">{server.address}</span>
        <span class="field-value">{address}</span>
        <label for="model-name">{server.model}</label>
        <select
          id="model-name"
          value={model}
          disabled={busy}
          onChange={({ currentTarget }) => act(() => chooseModel(currentTarget.value))}
        >
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
      <p class="kind-note">{server.sends(hostOf(address))}</p>
      <div class="dialog-actions">
        <button type="button" disabled={busy} onClick={() => act(chooseOffline)}>
          {server.disconnect}
        </button>
        {hasKey ? (
          <button type="button" disabled={busy} onClick={() => act(() => forgetKey(address))}>
            {server.forgetKey}
          </button>
        ) : null}
      </div>
    </>
  );
}

function Form({ ready }: { ready: boolean }): JSX.Element {
  const known = useStore(models, (value) => value.settings.server?.address);
  const hasKey = useStore(models, (value) => value.hasKey);
  const busy = useStore(models, (value) => value.progress !== null);
  const [typed, setTyped] = useState<string | null>(null);
  const [key, setKey] = useState("");
  const address = typed ?? known ?? PROGRAMS.ollama.address;
  const program = programOf(address);
  const { server } = tm;
  return (
    <form
      class="kind-form"
      onSubmit={(event) => {
        event.preventDefault();
        act(() => connect(address, key));
      }}
    >
      <div class="programs" role="group" aria-label={server.program}>
        {(Object.keys(PROGRAMS) as Program[]).map((name) => (
          <button type="button" aria-pressed={program === name} onClick={() => setTyped(PROGRAMS[name].address)}>
            {PROGRAMS[name].name}
          </button>
        ))}
        <button type="button" aria-pressed={program === null} onClick={() => setTyped("https://")}>
          {server.other}
        </button>
      </div>
      <div class="fields">
        <label for="model-address">{server.address}</label>
        <AddressField id="model-address" value={address} onValue={setTyped} />
        <label for="model-key">{server.key}</label>
        <SecretField
          id="model-key"
          placeholder={hasKey && address === known ? server.keyKept : server.keyOptional}
          value={key}
          onValue={setKey}
        />
      </div>
      {key ? <p class="kind-note">{server.keyNote}</p> : null}
      <Starting address={address} program={program} />
      <div class="dialog-actions">
        <button type="submit" class="primary" disabled={!ready || busy}>
          {busy ? server.connecting : server.connect}
        </button>
      </div>
    </form>
  );
}

/** The exact line for the server, with this page's own address in it, and what the browser may ask. */
function Starting({ address, program }: { address: string; program: Program | null }): JSX.Element {
  const { server } = tm;
  const { origin } = location;
  const line = program ? startLine(program, origin) : origin;
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(line);
    toast({ text: server.copied });
  };
  return (
    <div class="starting">
      <p>{program ? server.start : server.startOther}</p>
      <div class="start-line">
        <code dir="ltr">{line}</code>
        <button type="button" onClick={() => act(copy)}>
          {server.copy}
        </button>
      </div>
      {program ? <p class="kind-note">{server.startNote[program]}</p> : null}
      {asks(address) ? <p class="kind-note">{server.allow}</p> : null}
    </div>
  );
}

function asks(address: string): boolean {
  try {
    return mayAsk(fullAddress(address));
  } catch {
    return false;
  }
}
