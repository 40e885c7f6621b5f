/** Days that are spoken of (“on Friday”) are meant by the clock of this device, so the memory is told its zone. */

import { call } from "./memory";

const name = "zone";

/** `first`: nothing is asked before, so that it is known when the first message of all is read. */
export async function tellZone(first = false): Promise<void> {
  const { timeZone: value } = Intl.DateTimeFormat().resolvedOptions();
  if (value && (first || value !== (await call("get_setting", { name })))) await call("set_setting", { name, value });
}
