// Runs the suite in a module worker, where the memory runs too.
const worker = new Worker("worker.js", { type: "module" });
globalThis.progress = "starting";
globalThis.result = new Promise((resolve) => {
  worker.onmessage = ({ data }) => {
    if (data.done) resolve(data);
    else if (data.fatal) resolve({ error: `${data.fatal}, at ${progress}` });
    else globalThis.progress = data.at;
  };
  worker.onerror = (event) => resolve({ error: event.message });
});
