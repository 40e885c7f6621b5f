/** Messages that were sent and not answered yet. They have a store of their own, which is usable before anything else. */

import { Connection, result } from "../host/idb";

export interface WaitingMessage {
  message_id: string;
  session_id: string | null;
  text: string;
  instead_of?: string;
  again?: string;
  at: number;
}

export class WaitingMessages {
  private readonly connection: Connection;

  constructor(database: string, create = true) {
    this.connection = Connection.shared(database, create);
  }

  add(message: WaitingMessage): Promise<unknown> {
    return this.connection.run(["waiting"], "readwrite", (transaction) => {
      transaction.objectStore("waiting").put(message);
    });
  }

  /** Oldest first. */
  async list(): Promise<WaitingMessage[]> {
    const messages = await this.connection.run(["waiting"], "readonly", (transaction) =>
      result<WaitingMessage[]>(transaction.objectStore("waiting").getAll()),
    );
    return messages.sort((a, b) => a.at - b.at);
  }
}
