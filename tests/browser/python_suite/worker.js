import { loadPyodide } from "./pyodide/pyodide.mjs";

// A fatal error, such as an overflown stack, leaves the promises of the interpreter unsettled.
const print = console.error;
console.error = (...args) => {
  print(...args);
  if (String(args[0]).includes("fatal error")) postMessage({ fatal: args.join(" ") });
};

try {
  const pyodide = await loadPyodide();
  const archive = await (await fetch("suite.zip")).arrayBuffer();
  pyodide.unpackArchive(archive, "zip", { extractDir: "/suite" });
  pyodide.globals.set("tell", (at) => postMessage({ at }));
  const run = await (await fetch("run.py")).text();
  const report = await pyodide.runPythonAsync(run); // asynchronous, so that tests may use asyncio.run()
  postMessage({ done: true, report });
} catch (error) {
  postMessage({ done: true, error: error.message });
}
