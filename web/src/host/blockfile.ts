/**
 * The file system SQLite writes to: files are arrays of 8 MiB chunks outside the WebAssembly heap (which never
 * shrinks), and every page written is remembered until it has been saved.
 */

export const PAGE = 1024;
export const CHUNK = 8 * 1024 * 1024;
export const PAGES_PER_CHUNK = CHUNK / PAGE;

/** Chunks and pages are `ArrayBuffer`s of their own, so that storing one never stores its neighbours. */
export type Bytes = Uint8Array<ArrayBuffer>;

const ENOENT = 44;
const EINVAL = 28;
const ENODEV = 43;
const ENOTEMPTY = 55;

export class BlockFile {
  readonly chunks: Bytes[] = [];
  readonly dirty = new Set<number>();
  size = 0;
  /** Counts writes, so that a caller can tell whether something has changed. */
  writes = 0;

  read(target: Uint8Array, offset: number, length: number, position: number): number {
    const end = Math.min(this.size, position + length);
    for (let at = position; at < end; ) {
      const start = at % CHUNK;
      const count = Math.min(CHUNK - start, end - at);
      const chunk = this.chunks[Math.floor(at / CHUNK)];
      const to = offset + at - position;
      const held = chunk ? Math.max(0, Math.min(count, chunk.length - start)) : 0;
      if (chunk && held > 0) target.set(chunk.subarray(start, start + held), to);
      // Never written, such as pages on SQLite's free list: zeros.
      if (held < count) target.fill(0, to + held, to + count);
      at += count;
    }
    return Math.max(0, end - position);
  }

  write(source: Uint8Array, offset: number, length: number, position: number): number {
    for (let done = 0; done < length; ) {
      const at = position + done;
      const start = at % CHUNK;
      const count = Math.min(CHUNK - start, length - done);
      this.chunk(Math.floor(at / CHUNK)).set(source.subarray(offset + done, offset + done + count), start);
      done += count;
    }
    const last = Math.floor((position + length - 1) / PAGE);
    for (let page = Math.floor(position / PAGE); page <= last; page++) this.dirty.add(page);
    this.size = Math.max(this.size, position + length);
    this.writes += 1;
    return length;
  }

  /** What is cut off reads as zeros if the file grows again. */
  resize(size: number): void {
    this.size = size;
    this.chunks.length = Math.min(this.chunks.length, Math.ceil(size / CHUNK));
    this.chunks[Math.floor(size / CHUNK)]?.fill(0, size % CHUNK);
    for (const page of this.dirty) if (page * PAGE >= size) this.dirty.delete(page);
  }

  /** Copies pages one after the other. */
  pages(numbers: ArrayLike<number>): Bytes {
    const copy = new Uint8Array(numbers.length * PAGE);
    for (let i = 0; i < numbers.length; i++) this.read(copy, i * PAGE, PAGE, (numbers[i] as number) * PAGE);
    return copy;
  }

  /** Lays stored bytes in place, which must not reach into a second chunk. The file's size stays. */
  put(position: number, bytes: Uint8Array): void {
    this.chunk(Math.floor(position / CHUNK)).set(bytes, position % CHUNK);
  }

  /** A copy of one chunk, no longer than the file. */
  chunkCopy(index: number): Bytes {
    const length = Math.max(0, Math.min(CHUNK, this.size - index * CHUNK));
    const copy = new Uint8Array(length);
    this.read(copy, 0, length, index * CHUNK);
    return copy;
  }

  toBlob(): Blob {
    const parts: Bytes[] = [];
    for (let index = 0; index * CHUNK < this.size; index++) parts.push(this.chunkCopy(index));
    return new Blob(parts, { type: "application/vnd.sqlite3" });
  }

  private chunk(index: number): Bytes {
    const present = this.chunks[index];
    if (present?.length === CHUNK) return present;
    // The last chunk is stored as long as the file; it gets its full length when the file grows.
    const full = new Uint8Array(CHUNK);
    if (present) full.set(present);
    while (this.chunks.length < index) this.chunks.push(new Uint8Array(0));
    this.chunks[index] = full;
    return full;
  }
}

/* The part of Emscripten's file system that is used here. */
interface Node {
  id: number;
  mode: number;
  name: string;
  parent: Node;
  node_ops: object;
  stream_ops: object;
  file?: BlockFile;
  entries?: Map<string, Node>;
}
interface Stream {
  node: Node;
  position: number;
}
export interface EmscriptenFS {
  mkdirTree(path: string): void;
  mount(type: object, options: object, path: string): unknown;
  createNode(parent: Node | null, name: string, mode: number, dev: number): Node;
  isDir(mode: number): boolean;
  unlink(path: string): void;
  writeFile(path: string, data: Uint8Array): void;
  filesystems: { WORKERFS: object };
  ErrnoError: new (errno: number) => Error;
}

/** A folder of block files. Its root must exist once per interpreter. */
export class BlockFolder {
  private root: Node | undefined;

  constructor(
    private readonly fs: EmscriptenFS,
    readonly path: string,
  ) {
    fs.mkdirTree(path);
    fs.mount({ mount: () => (this.root = this.createNode(null, "/", 0o40777)) }, {}, path);
  }

  /** Gives a file of this content a name in the folder. */
  add(name: string, file: BlockFile): string {
    const root = this.root as Node;
    const node = this.createNode(root, name, 0o100666);
    node.file = file;
    return `${this.path}/${name}`;
  }

  get(name: string): BlockFile {
    const file = this.root?.entries?.get(name)?.file;
    if (!file) throw new Error(`There is no block file ${name}`);
    return file;
  }

  remove(name: string): void {
    if (this.root?.entries?.has(name)) this.fs.unlink(`${this.path}/${name}`);
  }

  private createNode(parent: Node | null, name: string, mode: number): Node {
    const node = this.fs.createNode(parent, name, mode, 0);
    node.node_ops = this.nodeOps;
    node.stream_ops = this.streamOps;
    if (this.fs.isDir(mode)) node.entries = new Map();
    else node.file = new BlockFile();
    parent?.entries?.set(name, node);
    return node;
  }

  private readonly nodeOps = {
    getattr: (node: Node) => {
      const size = node.file?.size ?? 0;
      const time = new Date(0);
      const common = { dev: 2, ino: node.id, mode: node.mode, nlink: 1, uid: 0, gid: 0, rdev: 0 };
      return { ...common, size, atime: time, mtime: time, ctime: time, blksize: PAGE, blocks: Math.ceil(size / PAGE) };
    },
    setattr: (node: Node, attributes: { mode?: number; size?: number }) => {
      if (attributes.mode != null) node.mode = attributes.mode;
      if (attributes.size != null) node.file?.resize(attributes.size);
    },
    lookup: () => {
      // Existing names are found in Emscripten's own table before this is asked.
      throw new this.fs.ErrnoError(ENOENT);
    },
    mknod: (parent: Node, name: string, mode: number) => this.createNode(parent, name, mode),
    rename: (node: Node, folder: Node, name: string) => {
      node.parent.entries?.delete(node.name);
      folder.entries?.set(name, node);
      node.name = name;
    },
    unlink: (parent: Node, name: string) => {
      parent.entries?.delete(name);
    },
    rmdir: (parent: Node, name: string) => {
      if (parent.entries?.get(name)?.entries?.size) throw new this.fs.ErrnoError(ENOTEMPTY);
      parent.entries?.delete(name);
    },
    readdir: (node: Node) => [".", "..", ...(node.entries?.keys() ?? [])],
  };

  private readonly streamOps = {
    llseek: (stream: Stream, offset: number, whence: number) => {
      const base = whence === 1 ? stream.position : whence === 2 ? (stream.node.file?.size ?? 0) : 0;
      if (base + offset < 0) throw new this.fs.ErrnoError(EINVAL);
      return base + offset;
    },
    read: (stream: Stream, buffer: Uint8Array, offset: number, length: number, position: number) =>
      (stream.node.file as BlockFile).read(buffer, offset, length, position),
    write: (stream: Stream, buffer: Uint8Array, offset: number, length: number, position: number) =>
      length > 0 ? (stream.node.file as BlockFile).write(buffer, offset, length, position) : 0,
    mmap: () => {
      throw new this.fs.ErrnoError(ENODEV);
    },
    msync: () => 0,
  };
}
