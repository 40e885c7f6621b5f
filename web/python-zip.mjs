// Builds the one zip that Python needs in the page: the standard library modules in use and py_memory, compiled to
// .pyc files and stored uncompressed (the transport compresses better than the zip would, and loading is a plain read).
//
// Beside it lies the boot image: the memory of an interpreter that has imported py_memory from that very zip, which
// later starts of the page restore instead of starting Python from nothing. They need no more of the zip than what had
// not been imported; that lies first in it, and is a zip of its own, with each member at the same place as in the whole.
//
// Runs under Node, compiling inside Pyodide itself, since bytecode must carry its interpreter's magic number.
// Usage: node python-zip.mjs PACKAGE_FOLDER OUTPUT_FOLDER   prints one JSON line {file, modules, bytes, rest, image}

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { loadPyodide } from "pyodide";
import { makeRoom, pack, unpack } from "./boot-image.mjs";

const [packageFolder, outputFolder] = process.argv.slice(2).map((path) => resolve(path));

const COMPILE = `
import ast, importlib, importlib.util, io, marshal, pathlib, sys, zipfile

LIBRARY = "/lib/python314.zip"
# Imported by nobody at start, but needed later: text codecs, lazy imports inside the standard library, error output.
ALSO = """
    _strptime asyncio codeop dataclasses datetime hashlib importlib.metadata importlib.readers importlib.resources
    importlib.resources._adapters importlib.resources.readers ipaddress json linecache locale logging random secrets
    sqlite3 string tempfile traceback typing uuid zipfile zipfile._path zlib encodings.ascii encodings.cp437
    encodings.idna encodings.latin_1 encodings.utf_16 encodings.utf_16_le encodings.utf_8 encodings.utf_8_sig
    pyodide.code pyodide.ffi pyodide.http pyodide.webloop
""".split()
# Edges that only exist outside the page.
NOT_IN_THE_PAGE = {("server",), ("cli",), ("sync", "transport")}

def own_sources(root):
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).with_suffix("").parts
        if path.suffix in {".py", ".sql", ".bin"} and not NOT_IN_THE_PAGE & {parts[:1], parts}:
            yield path

def module_name(path, root):
    parts = path.relative_to(root.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

def imports_of(path):
    "Every module that a file names in an import statement, also inside functions."
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)

def load_everything(root):
    for path in own_sources(root):
        if path.suffix == ".py":
            importlib.import_module(module_name(path, root))
            for name in imports_of(path):
                if name.partition(".")[0] != root.name and exists(name):
                    importlib.import_module(name)
    for name in ALSO:
        if exists(name):
            importlib.import_module(name)

def exists(name):
    try:
        return importlib.util.find_spec(name) is not None
    except (ModuleNotFoundError, ValueError):
        return False

def pyc(source, filename):
    # Flag 1: an unchecked hash-based file, which Python never compares with a source that is not there.
    code = compile(source, filename, "exec", dont_inherit=True)
    return importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + marshal.dumps(code)

async def build(root, first_use):
    root = pathlib.Path(root)
    sys.path.insert(0, str(root.parent))
    load_everything(root)
    names = {}
    exec(first_use, names)
    await names["first_use"]()
    members = {}
    with zipfile.ZipFile(LIBRARY) as library:
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None) or ""
            if file.startswith(LIBRARY + "/"):
                name = file.removeprefix(LIBRARY + "/").removesuffix("c")
                members[name + "c"] = pyc(library.read(name), f"{LIBRARY}/{name}")
    for path in own_sources(root):
        name = str(path.relative_to(root.parent))
        data = path.read_bytes()
        if path.suffix == ".py":
            members[name + "c"] = pyc(data, f"{LIBRARY}/{name}")
        else:
            members[name] = data
    return members

def archive(members, names):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as file:
        for name in names:
            file.writestr(zipfile.ZipInfo(name), members[name])
    return target.getvalue()

def archives(members, imported):
    "The whole, and what is not among the imported."
    later = sorted(members.keys() - set(imported))
    return archive(members, [*later, *sorted(members.keys() & set(imported))]), archive(members, later)
`;

/** A first use of the memory: run while building, to see what is imported late, and again from the finished zip. */
const FIRST_USE = `
import os, tempfile
from py_memory import ChatAgent, MemoryStore, OfflineAssistant, PyMemoryError

async def first_use():
    store = MemoryStore(":memory:")
    session = store.create_session("check")
    store.add_message(session.id, "user", "The zip holds all that a memory needs.")
    store.set_fact("user::name", "Ada")
    assert store.get_fact("user::name").value == "Ada"
    assert store.search("zip holds") and store.recall("zip memory")
    agent = ChatAgent(store, OfflineAssistant())
    assert (await agent.chat_round(session.id, "Remind me to call Mei tomorrow at 10.")).content
    assert (await agent.chat_round(session.id, "提醒我明天上午十点给小美打电话。")).content
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "memory.db")
        store.export_to(path)
        for mode in ("merge", "replace"):
            MemoryStore(":memory:").import_file(path, mode=mode)
        with open(path, "r+b") as file:
            file.truncate(5000)
        try:
            store.import_file(path)
        except PyMemoryError:
            pass
    store.forget(text="zip")
    store.verify()
    store.close()
`;

const IMPORT_ALL = `
import importlib, zipfile
for name in sorted(zipfile.ZipFile("/lib/python314.zip").namelist()):
    if name.startswith("py_memory/") and name.endswith(".pyc"):
        importlib.import_module(name.removesuffix(".pyc").removesuffix("/__init__").replace("/", "."))
`;

/** What the boot image has in it. The rules are otherwise loaded with the first message. */
const IMPORT_FOR_IMAGE = `
import py_memory.browser, random, sys
from py_memory.extraction import asides_en, asides_zh, rules_en, rules_zh
`;

const IMPORTED = `${IMPORT_FOR_IMAGE}
folder = "/lib/python314.zip/"
files = [getattr(module, "__file__", None) or "" for module in sys.modules.values()]
[file.removeprefix(folder) for file in files if file.startswith(folder)]
`;

/** Compiles everything; gives a function that makes (whole, rest) of it from the names of what is imported. */
async function build() {
  const pyodide = await loadPyodide();
  pyodide.FS.mkdirTree("/build");
  pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root: dirname(packageFolder) }, "/build");
  pyodide.runPython(COMPILE);
  const members = await pyodide.globals.get("build")(`/build/${basename(packageFolder)}`, FIRST_USE);
  const archives = (imported) =>
    pyodide.globals.get("archives")(members, imported).toJs().map((bytes) => new Uint8Array(bytes));
  return { archives, modules: members.length };
}

function boot(file, options = {}) {
  const { info } = createRequire(import.meta.url)("pyodide/pyodide-lock.json");
  return loadPyodide({ stdLibURL: file, lockFileContents: { info, packages: {} }, ...options });
}

/** Boots a second interpreter from the zip alone, as the page does, and uses the memory once. */
async function verify(file) {
  const pyodide = await boot(file);
  await pyodide.runPythonAsync(`${IMPORT_ALL}${FIRST_USE}await first_use()`);
}

/** Nothing is used before it is made, a database connection least of all: its random state would be everybody's. */
async function bootImage(file) {
  const pyodide = await boot(file, { _makeSnapshot: true });
  pyodide.runPython(IMPORT_FOR_IMAGE);
  return pack(pyodide.makeMemorySnapshot());
}

async function verifyImage(rest, image) {
  const whole = unpack(image);
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = async (...program) => {
    const made = await instantiate(...program);
    if (made.instance) makeRoom(made.instance, whole);
    return made;
  };
  const pyodide = await boot(rest, { _loadSnapshot: whole });
  WebAssembly.instantiate = instantiate;
  await pyodide.runPythonAsync(`${IMPORT_ALL}${FIRST_USE}await first_use()`);
}

try {
  const { archives, modules } = await build();
  mkdirSync(outputFolder, { recursive: true });
  for (const old of readdirSync(outputFolder).filter((name) => /^((stdlib|rest)-.*\.zip|boot-.*\.img)$/.test(name))) {
    rmSync(join(outputFolder, old));
  }
  const trial = join(outputFolder, "stdlib-trial.zip");
  writeFileSync(trial, archives([])[0]);
  const imported = (await boot(trial)).runPython(IMPORTED).toJs();
  rmSync(trial);
  const [bytes, restBytes] = archives(imported);
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  const file = join(outputFolder, `stdlib-${hash}.zip`);
  const rest = join(outputFolder, `rest-${hash}.zip`);
  writeFileSync(file, bytes);
  writeFileSync(rest, restBytes);
  await verify(file);
  const image = await bootImage(file);
  await verifyImage(rest, image);
  writeFileSync(join(outputFolder, `boot-${hash}.img`), image);
  const lengths = { bytes: bytes.length, rest: restBytes.length, image: image.length };
  console.log(JSON.stringify({ file: basename(file), modules, ...lengths }));
  process.exit(0);
} catch (error) {
  // The message alone: a stack trace here would quote Pyodide's minified source.
  console.error(error.message);
  process.exit(1);
}
