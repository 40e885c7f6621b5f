export function pack(image: Uint8Array): Uint8Array<ArrayBuffer>;
export function makeRoom(instance: WebAssembly.Instance, image: Uint8Array): void;
export function unpack(packed: Uint8Array): Uint8Array<ArrayBuffer>;
