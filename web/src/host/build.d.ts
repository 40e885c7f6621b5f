/** Filled in by the bundler. Paths are relative to the site's root. */
declare const __BUILD__: {
  readonly version: string;
  /** Folder of the Pyodide distribution, with a trailing slash. */
  readonly pyodide: string;
  /** Zip of the standard library and py_memory. */
  readonly python: string;
  /** Pyodide's list of packages. */
  readonly packages: object;
  /** The part of that zip which the image does not make superfluous. */
  readonly rest: string;
  /** Memory of an interpreter that has loaded the most of that zip. */
  readonly image: { readonly path: string; readonly integrity: string };
};
