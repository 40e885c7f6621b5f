/** Filled in by the bundler. Paths are relative to the site's root. */
declare const __BUILD__: {
  readonly version: string;
  /** Folder of the Pyodide distribution, with a trailing slash. */
  readonly pyodide: string;
  /** Zip of the standard library and py_memory. */
  readonly python: string;
  /** Pyodide's list of packages. */
  readonly packages: object;
  /** Memory of an interpreter that has loaded that zip. */
  readonly image: { readonly path: string; readonly integrity: string };
};
