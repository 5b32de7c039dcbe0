/** First bytes of files that are often mistaken for models, with the kind of the file for error messages. */
const BEGINNINGS: readonly (readonly [begins: string, kind: string])[] = [
  ["version https://git-lfs", "a pointer of Git LFS: fetch the file itself (git lfs pull)"],
  [
    "PK\x03\x04",
    "a zip, as PyTorch writes: export the model to ONNX, as hooke-export does (python/README.md)",
  ],
  ["\x80\x02", "a Python pickle: export the model to ONNX"],
  ["\x89HDF", "an HDF5 file: export the model to ONNX"],
  ["<", "a page of HTML or XML, which a server may have sent instead of the model"],
  ["{", "JSON"],
];

/** Returns the kind of a file that is not a model, according to its first bytes; `undefined` if they are unknown. */
export function foreignKind(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 64));
  const known = BEGINNINGS.find(([begins]) => head.trimStart().startsWith(begins));
  if (known !== undefined) return known[1];
  return bytes.length >= 8 && /^[\t\n\r\x20-\x7e]+$/.test(head) ? "text" : undefined;
}
