// CouchDB's protocol over PouchDB, on a free port. Prints the address; everything lies in the folder named.

import express from "express";
import expressPouchDB from "express-pouchdb";
import PouchDB from "pouchdb";

const folder = process.argv[2];
const app = express();
const options = { mode: "minimumForPouchDB", inMemoryConfig: true, logPath: `${folder}/log.txt` };
app.use("/", expressPouchDB(PouchDB.defaults({ prefix: `${folder}/` }), options));
const server = app.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
