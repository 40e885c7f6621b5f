/** One owner of the memory per origin: a Web Lock says who, a channel carries the requests of the other tabs. */

import { uuid7 } from "./ids";
import { ownerLock, requestChannel } from "./names";
import type { OnChannel } from "./rpc";

export interface Ownership {
  /** Resolves when another tab has taken the lock away. */
  readonly lost: Promise<void>;
}

/** Waits for the lock, which is then held until this worker ends. */
export function becomeOwner(database: string, steal: boolean): Promise<Ownership> {
  return new Promise((resolve, reject) => {
    let takenAway: () => void = () => undefined;
    let held = false;
    const lost = new Promise<void>((settle) => (takenAway = settle));
    navigator.locks
      .request(ownerLock(database), steal ? { steal: true } : {}, () => {
        held = true;
        resolve({ lost });
        return new Promise<never>(() => undefined);
      })
      .catch((error: unknown) => (held ? takenAway() : reject(error)));
  });
}

export class Channel {
  /** Address of this worker. */
  readonly self = uuid7();
  private readonly channel: BroadcastChannel;

  constructor(database: string, receive: (message: OnChannel) => void) {
    this.channel = new BroadcastChannel(requestChannel(database));
    this.channel.onmessage = (event: MessageEvent<OnChannel>) => receive(event.data);
  }

  send(message: OnChannel): void {
    this.channel.postMessage(message);
  }
}
