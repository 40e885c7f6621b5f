/** The keys that do something. */

import { Fragment, type JSX } from "preact";
import { tp } from "../i18n/pages";
import { Modal } from "./modal";
import { modifier } from "./modifier";

export function Shortcuts(): JSX.Element {
  const { shortcuts } = tp;
  const groups: ReadonlyArray<[string, ReadonlyArray<[string, readonly string[]]>]> = [
    [
      shortcuts.anywhere,
      [
        [shortcuts.palette, [modifier, "K"]],
        [shortcuts.newChat, [modifier, "⇧", "O"]],
        [shortcuts.settings, [modifier, ","]],
        [shortcuts.close, ["Esc"]],
      ],
    ],
    [
      shortcuts.outside,
      [
        [shortcuts.write, ["/"]],
        [shortcuts.sheet, ["?"]],
      ],
    ],
    [
      shortcuts.writing,
      [
        [shortcuts.send, ["Enter"]],
        [shortcuts.line, ["⇧", "Enter"]],
      ],
    ],
  ];
  return (
    <Modal title={shortcuts.title}>
      {groups.map(([where, keys]) => (
        <section key={where} class="keys-group">
          <h3>{where}</h3>
          <dl>
            {keys.map(([what, pressed]) => (
              <Fragment key={what}>
                <dt>{what}</dt>
                <dd>
                  {pressed.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dd>
              </Fragment>
            ))}
          </dl>
        </section>
      ))}
    </Modal>
  );
}
