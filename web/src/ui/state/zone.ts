/** Days that are spoken of (“on Friday”) are meant by the clock of this device, so the memory is told its zone. */

import { call } from "./memory";

const ZONE = "zone";
let told: Promise<void> | undefined;

export async function tellZone(): Promise<void> {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  if (timeZone && timeZone !== (await call("get_setting", { name: ZONE })))
    await call("set_setting", { name: ZONE, value: timeZone });
}

/** Once; a first message is read only when its days can be understood. */
export function zoneTold(): Promise<void> {
  return (told ??= tellZone().catch(() => undefined));
}
