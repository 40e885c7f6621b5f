import { loadPyodide } from "./pyodide/pyodide.mjs";

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
