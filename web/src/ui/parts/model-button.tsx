import type { JSX } from "preact";
import { t } from "../i18n";
import { models } from "../state/model-choice";
import { state } from "../state/state";
import { useStore } from "../state/store";
import { Icon } from "./icons";

/** Says who answers, and opens the choice. */
export function ModelButton(): JSX.Element {
  const name = useStore(models, ({ settings: { choice, file } }) => {
    if (choice.kind === "server") return choice.model;
    if (choice.kind === "device") return file?.name ?? t.models.device;
    return choice.kind === "browser" ? t.models.browser : t.models.offline;
  });
  const loading = useStore(models, (value) => value.loading);
  return (
    <button
      type="button"
      class="model-button"
      aria-label={t.models.button(name)}
      onClick={() => state.set({ dialog: { kind: "models" } })}
    >
      <Icon name="model" />
      <span>{loading ? t.models.loading : name}</span>
    </button>
  );
}
