import { fileURLToPath } from 'node:url';

/** The bundled turn program: beside the running bundle, or in `dist` when the host runs from its sources. */
export function turnProgramPath(): string {
  const fromSources = import.meta.url.endsWith('.ts');
  return fileURLToPath(new URL(fromSources ? '../../dist/turn.js' : './turn.js', import.meta.url));
}
