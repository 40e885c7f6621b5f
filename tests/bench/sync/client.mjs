// A PouchDB that replicates with a server: one JSON object a line in, one out. tests/bench/_sync_client.py
// understands the same commands.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import PouchDB from "pouchdb";

const [folder, url] = process.argv.slice(2);
const here = new PouchDB(`${folder}/here`);
const there = new PouchDB(`${url}/memory`);
const PER_PUT = 1000;

const lines = (path) => createInterface({ input: createReadStream(path), crlfDelay: Infinity });

async function timed(work) {
  const cpu = process.cpuUsage();
  const started = performance.now();
  await work();
  const ms = performance.now() - started;
  const used = process.cpuUsage(cpu);
  return { ms, cpu_ms: (used.user + used.system) / 1000 };
}

async function fill(path) {
  let docs = [];
  const put = async () => {
    for (const answer of await here.bulkDocs(docs)) if (answer.error) throw new Error(answer.message);
    docs = [];
  };
  for await (const line of lines(path)) if (docs.push(JSON.parse(line)) === PER_PUT) await put();
  await put();
}

/** Of all documents as they were put, in the order of their ids, without what a store adds. */
async function hash(db, kind) {
  const total = createHash("sha256");
  let count = 0;
  let after = {};
  for (;;) {
    const { rows } = await db.allDocs({ include_docs: true, limit: PER_PUT, ...after });
    if (rows.length === 0) return { count, hash: total.digest("hex") };
    for (const { doc } of rows) {
      const { _rev, ...rest } = doc;
      if (kind && kind !== rest.kind) continue;
      const names = Object.keys(rest).sort();
      total.update(JSON.stringify(names.map((name) => [name, rest[name]])) + "\n");
      count += 1;
    }
    after = { startkey: rows.at(-1).id, skip: 1 };
  }
}

const commands = {
  fill: ({ path }) => timed(() => fill(path)),
  push: () => timed(() => here.replicate.to(there)),
  pull: () => timed(() => here.replicate.from(there)),
  async small({ docs }) {
    const each = [];
    for (const doc of docs) {
      await here.put(doc);
      each.push((await timed(() => here.replicate.to(there))).ms);
    }
    return { each };
  },
  hash: ({ kind }) => hash(here, kind),
  hash_there: () => hash(there),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...rest } = JSON.parse(line);
  console.log(JSON.stringify(await commands[command](rest)));
}
process.exit(0);
