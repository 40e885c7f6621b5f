// Bundles the page into a folder that any static host can serve. All references in it are relative.
//
// Usage: node bundle.mjs OUTPUT_FOLDER VERSION PYTHON_ZIP REST_ZIP BOOT_IMAGE WHEEL…

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const web = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const [version] = process.argv.splice(3, 1);
const [output, pythonZip, restZip, bootImage, ...wheels] = process.argv.slice(2).map((path) => resolve(path));

const NOTICES = ["@wllama/wllama", "highlight.js", "marked", "preact", "xxhash-wasm"];

const pyodideVersion = require("pyodide/package.json").version;
const WLLAMA = require.resolve("@wllama/wllama/esm/wasm/wllama.wasm");
const site = {
  version,
  pyodide: `pyodide/${pyodideVersion}/`,
  python: `python/${basename(pythonZip)}`,
  // Pyodide's list of packages, left empty: none is fetched from anywhere, and the loader need not read 120 KB.
  packages: { info: require("pyodide/pyodide-lock.json").info, packages: {} },
  rest: `python/${basename(restZip)}`,
  image: { path: `python/${basename(bootImage)}`, integrity: integrity(bootImage) },
};

/** A file's hash in the form that fetch() verifies. */
function integrity(file) {
  return `sha256-${createHash("sha256").update(readFileSync(file)).digest("base64")}`;
}

function place(source, name) {
  const target = join(output, name);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(source, target);
}

/** Bundles one entry and returns its output files, relative to the site. */
async function bundle(entry, name, define, options = {}) {
  const result = await build({
    absWorkingDir: web,
    entryPoints: [{ in: entry, out: name }],
    outdir: output,
    entryNames: "assets/[name]-[hash]",
    assetNames: "assets/[name]-[hash]",
    bundle: true,
    define: Object.fromEntries(Object.entries(define).map(([key, value]) => [key, JSON.stringify(value)])),
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    loader: { ".woff2": "file", ".svg": "dataurl" },
    logLevel: "warning",
    metafile: true,
    minify: true,
    sourcemap: true,
    target: ["chrome120", "firefox121", "safari17.4"],
    ...options,
  });
  const inSite = (file) => relative(output, join(web, file)).split(sep).join("/");
  const [js, { imports, cssBundle }] = Object.entries(result.metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry);
  const needs = imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => inSite(path));
  return { js: inSite(js), css: cssBundle && inSite(cssBundle), needs };
}

function copyPyodide() {
  const folder = dirname(require.resolve("pyodide/package.json"));
  for (const file of ["pyodide.mjs", "pyodide.asm.wasm"]) place(join(folder, file), site.pyodide + file);
  const glue = readFileSync(join(folder, "pyodide.asm.mjs"), "utf8");
  writeFileSync(join(output, site.pyodide, "pyodide.asm.mjs"), readOnce(glue));
}

/** A megabyte of code inside one function: an engine skims it first and reads it again when it is called, unless
 * parentheses tell it that the call comes at once. */
function readOnce(glue) {
  const whole = /^async function (\w+)(\([^]*\})\s*export default \1;\s*$/;
  if (!whole.test(glue)) throw new Error("pyodide.asm.mjs no longer is one function: look at readOnce().");
  return glue.replace(whole, (_, name, rest) => `const ${name}=(async function${rest});export default ${name};\n`);
}

function metaPolicy() {
  const policy = JSON.parse(readFileSync(join(web, "policy.json"), "utf8"));
  delete policy["frame-ancestors"]; // only valid in a header
  const content = Object.entries(policy).map(([name, sources]) => `${name} ${sources}`).join("; ");
  return `<meta http-equiv="Content-Security-Policy" content="${content}">`;
}

function writeIndex(app, early) {
  const file = join(output, "index.html");
  const html = readFileSync(file, "utf8")
    .replaceAll("<!--policy-->", metaPolicy())
    .replaceAll("%EARLY_JS%", early.js)
    .replaceAll("%APP_JS%", app.js)
    .replaceAll("<!--preload-->", app.needs.map((path) => `<link rel="modulepreload" href="${path}" />`).join(""))
    .replaceAll("%APP_CSS%", app.css ?? "");
  writeFileSync(file, html);
}

/** The licences of what the site holds. */
function writeNotices() {
  const text = NOTICES.map((name) => {
    const folder = join(web, "node_modules", name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    return `${name}\n\n${file ? readFileSync(join(folder, file), "utf8") : "MIT License"}\n`;
  });
  const others = [
    `pyodide ${pyodideVersion}: Mozilla Public License 2.0. pyodide.asm.mjs has its one function in parentheses, all else ` +
      "is unchanged. Its source is published with its package.",
    "Python and its standard library: Python Software Foundation License. SQLite: public domain.",
    "The wheels in wheels/ carry their licences inside.\n",
  ];
  writeFileSync(join(output, "licenses.txt"), [...text, others.join("\n")].join("\n----\n\n"));
}

/** A file with its hash, by the path under which it is asked for. */
function named(name) {
  return [name === "index.html" ? "./" : name, integrity(join(output, name))];
}

/** Every file the page needs offline, with its hash. The boot image, which only saves time, comes later. */
function offlineFiles(extras) {
  const left = (name) => extras.includes(name) || /\.(map|whl|img)$/.test(name) || ["licenses.txt", "policy.json", "py-memory.js", "sw.js"].includes(name);
  return readdirSync(output, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(output, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((name) => !left(name))
    .sort()
    .map(named);
}

rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
try {
  cpSync(join(web, "public"), output, { recursive: true });
  copyPyodide();
  place(pythonZip, site.python);
  place(restZip, site.rest);
  place(bootImage, site.image.path);
  place(join(web, "policy.json"), "policy.json");
  wheels.forEach((wheel) => place(wheel, `wheels/${basename(wheel)}`));
  const worker = await bundle("src/host/worker.ts", "worker", { __BUILD__: site });
  const wasm = `assets/wllama-${createHash("sha256").update(readFileSync(WLLAMA)).digest("hex").slice(0, 8)}.wasm`;
  place(WLLAMA, wasm);
  const device = await bundle("src/models/device.ts", "device", { __WASM__: basename(wasm) }, { sourcemap: false });
  const extras = [device.js, wasm];
  const page = { __BUILD__: { ...site, worker: worker.js, device: device.js } };
  const early = await bundle("src/early.ts", "early", page, { format: "iife" });
  writeIndex(await bundle("src/ui/main.tsx", "app", page, { splitting: true, chunkNames: "assets/[name]-[hash]" }), early);
  await bundle("src/client/index.ts", "py-memory", page, { entryNames: "[name]", sourcemap: false }); // for other pages
  writeNotices();
  const files = offlineFiles(extras);
  const set = createHash("sha256").update(JSON.stringify([files, extras])).digest("hex").slice(0, 12);
  const policy = JSON.parse(readFileSync(join(web, "policy.json"), "utf8"));
  await bundle("src/sw.ts", "sw", { __FILES__: files, __EXTRAS__: extras.map(named), __WORKER__: worker.js, __SET__: set, __POLICY__: policy }, {
    entryNames: "[name]",
    format: "iife",
    sourcemap: false,
  });
} catch (error) {
  // esbuild has already printed its own errors with their places.
  if (!error.errors) console.error(error.message);
  process.exit(1);
}
