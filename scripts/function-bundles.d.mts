export declare const functionNames: readonly string[];

/** Bundles the functions of a deployment, each into `<outdir>/<name>/index.mjs`; `entryOf` names its source. */
export declare function functionBundles(outdir: string, entryOf?: (name: string) => string): Promise<void>;
