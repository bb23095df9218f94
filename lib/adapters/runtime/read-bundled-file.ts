import { readFileSync } from 'node:fs';

/** The text of a file that lies beside the running bundle, whose own `import.meta.url` is `bundle`. */
export function readBundledFile(bundle: string, name: string): string {
  return readFileSync(new URL(name, bundle), 'utf8');
}
