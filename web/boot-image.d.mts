export function pack(image: Uint8Array): Uint8Array<ArrayBuffer>;
export function unpack(packed: Uint8Array): Uint8Array<ArrayBuffer>;
