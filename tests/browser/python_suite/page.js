// Runs the suite in a module worker, where the memory runs too.
const worker = new Worker("worker.js", { type: "module" });
globalThis.progress = "starting";
globalThis.result = new Promise((resolve) => {
  worker.onmessage = ({ data }) => (data.done ? resolve(data) : (globalThis.progress = data.at));
  worker.onerror = (event) => resolve({ done: true, error: event.message });
});
